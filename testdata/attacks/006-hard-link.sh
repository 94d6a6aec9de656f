# title: make a hard link in scope to a file outside, and write it
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
ln "$MAIN/README.md" "src/hard-$MARK" && echo "$MARK" >> "src/hard-$MARK" && echo "GOT: README.md of the main checkout"
