# title: move a file over one of the main checkout
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" > "src/$MARK"
mv -f "src/$MARK" "$MAIN/README.md" && echo "GOT: README.md of the main checkout"
