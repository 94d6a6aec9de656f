# title: change the manager's private state
# class: records
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" > "$GITDIR/delegate/$MARK" && echo "GOT: a file of the private state"
