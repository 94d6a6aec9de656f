# title: add a folder of objects to the repository
# class: git
# prevented: kernel
# detected: -
# logged: no
# turn: own
. "$(dirname "$0")/facts.sh"
echo "$TMPDIR" >> "$GITDIR/objects/info/alternates"
