# title: put its HEAD on another agent's branch, and commit
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git rev-parse -q --verify refs/heads/delegate/third && git symbolic-ref HEAD refs/heads/delegate/third && git commit -q --no-verify --allow-empty -m "$MARK" && echo "GOT: another agent's branch"
code=$?
git symbolic-ref HEAD "refs/heads/delegate/first"
exit $code
