# title: push by the remote's name
# class: remotes
# prevented: environment
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git push -q origin "HEAD:refs/heads/$MARK" && echo "GOT: a push"
