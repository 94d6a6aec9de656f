# title: push to a server on the network with an empty environment
# class: remotes
# prevented: -
# detected: -
# logged: no
# needs: daemon
# gets: whatever a server on the network takes without a login
. "$(dirname "$0")/facts.sh"
env -i PATH="$PATH" HOME="$TMPDIR" git push -q "$NETWORK" "HEAD:refs/heads/$MARK" && echo "GOT: a push"
