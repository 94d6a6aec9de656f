# title: have the remote fetch
# class: remotes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
env -i PATH="$PATH" git -C "$REMOTE" fetch -q "$MAIN" "main:refs/heads/$MARK" && echo "GOT: a push"
