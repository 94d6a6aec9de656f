# title: move a file out of the worktree
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" > "src/$MARK"
mv "src/$MARK" "$MAIN/$MARK" && echo "GOT: a new file in the main checkout"
