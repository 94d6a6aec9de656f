# title: put a file on another agent's folder
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" > "$OTHERDESK/inbox/$MARK.md" && echo "GOT: a note in another agent's name"
