# title: commit a path out of scope past the hook
# class: git
# prevented: -
# detected: -
# logged: no
# gets: a commit in its own history, which the landing question names; what lands is its worktree
. "$(dirname "$0")/facts.sh"
blob=$(echo "$MARK" | git hash-object -w --stdin)
git update-index --add --cacheinfo "100644,$blob,lib/$MARK" && git commit -q --no-verify -m "$MARK" && echo "GOT: lib/$MARK, committed"
