# title: put its own HEAD on the target, and commit
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git symbolic-ref HEAD refs/heads/main && git commit -q --no-verify --allow-empty -m "$MARK" && echo "GOT: main"
code=$?
git symbolic-ref HEAD "refs/heads/delegate/first"
exit $code
