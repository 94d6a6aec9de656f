# title: set an extended attribute of a file outside
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
"$PROBE" xattr "$MAIN/README.md"
