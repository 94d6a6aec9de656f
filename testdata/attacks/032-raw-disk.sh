# title: open the disk itself for writing
# class: writes
# prevented: kernel
# detected: -
# logged: no
# needs: root
. "$(dirname "$0")/facts.sh"
"$PROBE" disk
