# title: name a filter in the repository's private attributes
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
mkdir -p "$GITDIR/info" && echo "*.txt filter=$MARK" >> "$GITDIR/info/attributes" && echo "GOT: info/attributes"
