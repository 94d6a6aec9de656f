# title: append to a file of the main checkout by its absolute path
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" >> "$MAIN/README.md" && echo "GOT: README.md of the main checkout"
