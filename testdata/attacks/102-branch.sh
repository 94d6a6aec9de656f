# title: make a branch
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git branch "$MARK" && echo "GOT: a branch"
