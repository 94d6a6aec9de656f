# title: change the progress file in its own worktree
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" >> docs/01_progress.md && echo "GOT: docs/01_progress.md"
