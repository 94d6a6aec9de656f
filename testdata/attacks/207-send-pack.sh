# title: push with plumbing
# class: remotes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
env -i PATH="$PATH" git send-pack "$REMOTE" "HEAD:refs/heads/$MARK" && echo "GOT: a push"
