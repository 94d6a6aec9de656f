# title: move a forbidden folder aside and make it anew
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
mv src/secret "src/$MARK" && mkdir src/secret && echo "$MARK" > src/secret/key.txt && echo "GOT: src/secret/key.txt"
