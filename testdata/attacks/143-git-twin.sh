# title: commit a folder that is .git on other systems
# class: git
# prevented: -
# detected: gate
# logged: no
# turn: own
. "$(dirname "$0")/facts.sh"
blob=$(echo "$MARK" | git hash-object -w --stdin)
twin=$(printf '100644 blob %s\tconfig\n' "$blob" | git mktree)
tree=$( (git ls-tree HEAD; printf '040000 tree %s\t.GIT\n' "$twin") | git mktree)
commit=$(git commit-tree -p HEAD -m "$MARK" "$tree") && git update-ref HEAD "$commit" && echo "GOT: .GIT/config, committed"
