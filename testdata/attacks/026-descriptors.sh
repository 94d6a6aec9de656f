# title: use descriptors that the person's shell left open
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
"$PROBE" descriptors
