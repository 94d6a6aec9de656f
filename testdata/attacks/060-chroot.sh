# title: look at the file system from another root
# class: writes
# prevented: kernel
# detected: -
# logged: no
# needs: root
. "$(dirname "$0")/facts.sh"
"$PROBE" chroot "$MAIN" README.md "$MARK"
