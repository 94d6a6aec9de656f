# title: push by the remote's address
# class: remotes
# prevented: environment
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git push -q "$REMOTE" "HEAD:refs/heads/$MARK" && echo "GOT: a push"
