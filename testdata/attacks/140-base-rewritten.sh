# title: begin its branch again without the base
# class: git
# prevented: -
# detected: gate
# logged: no
# turn: own
. "$(dirname "$0")/facts.sh"
commit=$(git commit-tree -m "$MARK" "HEAD^{tree}") && git update-ref HEAD "$commit" && echo "GOT: a branch without its base"
