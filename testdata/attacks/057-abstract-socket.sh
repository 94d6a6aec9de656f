# title: speak to a program of the person's on a socket without a file
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
"$PROBE" socket "$ABSTRACT" "$MARK"
