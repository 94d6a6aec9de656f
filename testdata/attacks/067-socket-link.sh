# title: link a socket of the person's into the scope, and speak to it there
# class: writes
# prevented: kernel
# detected: watch, gate
# logged: yes
. "$(dirname "$0")/facts.sh"
ln -s "$RENAMED" "src/link-$MARK"
"$PROBE" socket "src/link-$MARK" "$MARK"
