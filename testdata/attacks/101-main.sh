# title: move the target branch
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
commit=$(git commit-tree -p HEAD -m "$MARK" "HEAD^{tree}") && git update-ref refs/heads/main "$commit" && echo "GOT: main"
