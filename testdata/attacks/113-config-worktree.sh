# title: leave a configuration for whoever runs git in its worktree
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git config extensions.worktreeConfig true && echo "GOT: the repository's configuration"
printf '[core]\n\tfsmonitor = touch %s\n' "$MAIN/$MARK" > "$OWNGIT/config.worktree"
