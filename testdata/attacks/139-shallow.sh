# title: cut the history off
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git rev-parse HEAD > "$GITDIR/shallow" && echo "GOT: shallow"
