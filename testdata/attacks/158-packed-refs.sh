# title: write a branch among the packed references
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$(git rev-parse HEAD) refs/heads/$MARK" >> "$GITDIR/packed-refs" && echo "GOT: packed-refs"
