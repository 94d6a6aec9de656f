# title: leave locks on everything of its own
# class: git
# prevented: kernel
# detected: -
# logged: no
# needs: fence
# turn: own
. "$(dirname "$0")/facts.sh"
: > "$OWNGIT/index.lock"
: > "$OWNGIT/HEAD.lock"
: > "$GITDIR/refs/heads/delegate/first.lock"
