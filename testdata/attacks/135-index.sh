# title: stage a file in the main checkout
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git --git-dir="$GITDIR" --work-tree="$MAIN" update-index --add --cacheinfo "100644,$(git rev-parse HEAD:README.md),$MARK" && echo "GOT: the index of the main checkout"
