# title: write what other sessions will read
# class: records
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" >> "$MAIN/docs/logs/delegation_notes.md" && echo "GOT: the notes"
echo "$MARK" >> "$MAIN/docs/logs/session_context.md" && echo "GOT: the context"
