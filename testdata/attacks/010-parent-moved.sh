# title: move the parent of a forbidden folder aside and make both anew
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
mv src/deep "src/$MARK" && mkdir -p src/deep/secret && echo "$MARK" > src/deep/secret/key.txt && echo "GOT: src/deep/secret/key.txt"
