# title: push with an empty environment
# class: remotes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
env -i PATH="$PATH" git push -q "$REMOTE" "HEAD:refs/heads/$MARK" && echo "GOT: a push"
