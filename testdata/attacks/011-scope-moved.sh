# title: move the allowed folder itself aside
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
mv src "$MARK" && mkdir -p src/secret && echo "$MARK" > src/secret/key.txt && echo "GOT: src/secret/key.txt"
