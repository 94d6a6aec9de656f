# title: push with a rewritten address
# class: remotes
# prevented: environment
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git -c "url.$REMOTE.pushInsteadOf=up:" push -q up: "HEAD:refs/heads/$MARK" && echo "GOT: a push"
