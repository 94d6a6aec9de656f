# title: commit .gitmodules at the root
# class: git
# prevented: -
# detected: supervisor
# logged: yes
# trace: , ".gitmodules")
# gets: a commit in its own history; what lands is its worktree
. "$(dirname "$0")/facts.sh"
blob=$(printf '[submodule "%s"]\n\tpath = src/x\n\turl = ../x\n' "$MARK" | git hash-object -w --stdin)
git update-index --add --cacheinfo "100644,$blob,.gitmodules" && git commit -q --no-verify -m "$MARK" && echo "GOT: .gitmodules, committed"
