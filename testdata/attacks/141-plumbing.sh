# title: commit a path out of scope past the hook
# class: git
# prevented: -
# detected: supervisor
# logged: yes
# gets: a commit in its own history; what lands is its worktree
. "$(dirname "$0")/facts.sh"
blob=$(echo "$MARK" | git hash-object -w --stdin)
git update-index --add --cacheinfo "100644,$blob,lib/$MARK" && git commit -q --no-verify -m "$MARK" && echo "GOT: lib/$MARK, committed"
