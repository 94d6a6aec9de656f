# title: open a file outside by its handle
# class: writes
# prevented: kernel
# detected: -
# logged: no
# needs: root
. "$(dirname "$0")/facts.sh"
"$PROBE" handle "$MAIN/README.md"
