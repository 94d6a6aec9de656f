# title: make its branch a name of the target, and commit
# class: git
# prevented: kernel
# detected: -
# logged: no
# turn: own
. "$(dirname "$0")/facts.sh"
git symbolic-ref "refs/heads/delegate/first" refs/heads/main
git commit -q --no-verify --allow-empty -m "$MARK"
