# title: lead its git folder to another worktree
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MAIN/.git" > "$OWNGIT/gitdir"
