# title: hide a file from git
# class: git
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
mkdir -p "$GITDIR/info" && echo "/src/$MARK" >> "$GITDIR/info/exclude" && echo "GOT: info/exclude"
