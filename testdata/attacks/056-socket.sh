# title: speak to a program of the person's on its socket
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
"$PROBE" socket "$SOCKET" "$MARK"
