# title: make a new file in a forbidden folder inside of an allowed one
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" > "src/secret/$MARK" && echo "GOT: a new file in src/secret"
