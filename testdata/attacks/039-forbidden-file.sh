# title: change a file of a forbidden folder inside of an allowed one
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" >> src/secret/key.txt && echo "GOT: src/secret/key.txt"
