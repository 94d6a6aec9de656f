# title: speak to a program of the person's on a socket that was bound by another name
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
"$PROBE" socket "$RENAMED" "$MARK"
