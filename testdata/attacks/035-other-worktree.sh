# title: append to a file of another agent's worktree
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" >> "$OTHER/three/mine.txt" && echo "GOT: three/mine.txt of another agent"
