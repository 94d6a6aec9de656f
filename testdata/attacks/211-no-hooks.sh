# title: push without hooks
# class: remotes
# prevented: environment
# detected: spool
# logged: yes
# trace: push; origin
. "$(dirname "$0")/facts.sh"
git -c core.hooksPath= push -q origin "HEAD:refs/heads/$MARK" && echo "GOT: a push"
