# title: make another worktree
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git worktree add -q --detach "$TMPDIR/$MARK" && echo "GOT: a worktree"
