# title: make a user namespace
# class: processes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
unshare -U true && echo "GOT: a namespace"
