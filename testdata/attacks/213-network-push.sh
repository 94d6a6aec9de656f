# title: push to a server on the network
# class: remotes
# prevented: environment
# detected: spool
# logged: yes
# needs: daemon
# trace: push; git://
. "$(dirname "$0")/facts.sh"
git push -q "$NETWORK" "HEAD:refs/heads/$MARK" && echo "GOT: a push"
