# title: push without the settings in the environment
# class: remotes
# prevented: environment
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
env -u GIT_CONFIG_COUNT git push -q "$REMOTE" "HEAD:refs/heads/$MARK" && echo "GOT: a push"
