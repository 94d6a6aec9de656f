# title: make a tag
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
git tag "$MARK" && echo "GOT: a tag"
