# title: push by the remote's address
# class: remotes
# prevented: environment
# detected: spool
# logged: yes
# trace: push; ../
. "$(dirname "$0")/facts.sh"
git push -q "$REMOTE" "HEAD:refs/heads/$MARK" && echo "GOT: a push"
