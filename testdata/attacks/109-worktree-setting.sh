# title: lead the main checkout's git to another folder
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git config core.worktree "$TMPDIR" && echo "GOT: core.worktree"
