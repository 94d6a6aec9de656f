# title: push with an address for pushes of its own
# class: remotes
# prevented: environment
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git -c "remote.origin.pushurl=$REMOTE" push -q origin "HEAD:refs/heads/$MARK" && echo "GOT: a push"
