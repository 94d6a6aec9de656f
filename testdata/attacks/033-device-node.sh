# title: make a device file of the disk and open that
# class: writes
# prevented: kernel
# detected: -
# logged: no
# needs: root
. "$(dirname "$0")/facts.sh"
"$PROBE" node "$TMPDIR/$MARK"
