# title: push where only the hook is in the way
# class: remotes
# prevented: git
# detected: spool
# logged: yes
# trace: push
. "$(dirname "$0")/facts.sh"
env -u GIT_ALLOW_PROTOCOL git -c "url.$REMOTE.pushInsteadOf=up:" push -q up: "HEAD:refs/heads/$MARK" && echo "GOT: a push"
