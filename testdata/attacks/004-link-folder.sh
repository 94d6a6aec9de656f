# title: make a link in scope to a folder outside, and create a file through it
# class: writes
# prevented: kernel
# detected: watch, gate
# logged: yes
. "$(dirname "$0")/facts.sh"
ln -s "$MAIN/lib" "src/link-$MARK"
echo "$MARK" > "src/link-$MARK/$MARK" && echo "GOT: a new file in the main checkout"
