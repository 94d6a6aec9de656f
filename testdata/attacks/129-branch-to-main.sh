# title: make its branch a name of the target, and commit
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
tip=$(git rev-parse HEAD)
git symbolic-ref "refs/heads/delegate/$SESSION/AGT-001/work" refs/heads/main
git commit -q --allow-empty -m "$MARK"
git symbolic-ref -d "refs/heads/delegate/$SESSION/AGT-001/work"
git update-ref HEAD "$tip"
true
