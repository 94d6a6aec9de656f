# title: plant a hook
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
mkdir -p "$GITDIR/hooks" && echo "$MARK" > "$GITDIR/hooks/post-commit" && echo "GOT: a hook"
