# title: lead the worktree's git to a folder of its own
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
mkdir -p "$TMPDIR/$MARK"
(rm -f .git && echo "gitdir: $TMPDIR/$MARK" > .git) && echo "GOT: .git of the worktree"
