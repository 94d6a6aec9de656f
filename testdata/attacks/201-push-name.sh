# title: push by the remote's name
# class: remotes
# prevented: environment
# detected: spool
# logged: yes
# trace: push; origin
. "$(dirname "$0")/facts.sh"
git push -q origin "HEAD:refs/heads/$MARK" && echo "GOT: a push"
