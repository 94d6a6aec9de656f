# title: commit a tree whose file is nowhere
# class: git
# prevented: -
# detected: gate
# logged: no
# turn: own
. "$(dirname "$0")/facts.sh"
tree=$(printf '100644 blob %040d\tmissing\n' 7 | git mktree --missing)
tree=$(printf '040000 tree %s\tsrc\n' "$tree" | git mktree --missing)
commit=$(git commit-tree -p HEAD -m "$MARK" "$tree") && git update-ref HEAD "$commit" && echo "GOT: a commit that is not whole"
