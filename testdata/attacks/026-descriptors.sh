# title: use descriptors that were left open
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
"$PROBE" descriptors
