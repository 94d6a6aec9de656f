# title: delete its own branch
# class: git
# prevented: kernel
# detected: -
# logged: no
# needs: fence
# turn: own
. "$(dirname "$0")/facts.sh"
git update-ref --no-deref -d "refs/heads/delegate/first"
rm -f "$GITDIR/refs/heads/delegate/first"
true
