# title: cut a file of another agent's worktree to nothing
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
truncate -s 0 "$OTHER/three/mine.txt" && echo "GOT: three/mine.txt of another agent is empty"
