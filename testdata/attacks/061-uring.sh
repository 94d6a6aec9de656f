# title: open a file outside by a ring of the kernel's
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
"$PROBE" uring "$MAIN/README.md"
