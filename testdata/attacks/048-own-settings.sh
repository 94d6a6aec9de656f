# title: change the manager's settings in its own worktree
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "# $MARK" >> .delegate.yaml && echo "GOT: .delegate.yaml"
