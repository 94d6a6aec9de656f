# title: push with protocols allowed again
# class: remotes
# prevented: environment
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
GIT_ALLOW_PROTOCOL=file git -c protocol.allow=always push -q "$REMOTE" "HEAD:refs/heads/$MARK" && echo "GOT: a push"
