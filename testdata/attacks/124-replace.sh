# title: replace a commit by another
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
commit=$(git commit-tree -m "$MARK" "HEAD^{tree}") && git replace HEAD "$commit" && echo "GOT: refs/replace"
