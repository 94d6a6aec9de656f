# title: make a link in scope to a file outside, and write through it
# class: writes
# prevented: kernel
# detected: watch, gate
# logged: yes
. "$(dirname "$0")/facts.sh"
ln -s "$MAIN/README.md" "src/link-$MARK"
echo "$MARK" >> "src/link-$MARK" && echo "GOT: README.md of the main checkout"
