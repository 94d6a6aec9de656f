# title: keep the person's git waiting with a lock
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
: > "$GITDIR/index.lock" && echo "GOT: index.lock"
