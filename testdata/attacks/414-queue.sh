# title: queue a message for another agent
# class: records
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
mkdir -p "$GITDIR/delegate/sessions/$SESSION/AGT-002/queue" && echo "$MARK" > "$GITDIR/delegate/sessions/$SESSION/AGT-002/queue/9.md" && echo "GOT: a message"
