# title: empty the reflogs
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git reflog expire --expire=now --expire-unreachable=now --all
true
