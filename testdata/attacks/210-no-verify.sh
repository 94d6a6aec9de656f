# title: push past the hook
# class: remotes
# prevented: environment
# detected: spool
# logged: yes
# trace: push; origin
. "$(dirname "$0")/facts.sh"
git push -q --no-verify origin "HEAD:refs/heads/$MARK" && echo "GOT: a push"
