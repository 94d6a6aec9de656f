# title: write the target's reference as a file
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git rev-parse HEAD > "$GITDIR/refs/heads/$MARK" && echo "GOT: a branch"
