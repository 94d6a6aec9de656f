# title: change a file beside the one that is allowed
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" >> one/other.txt && echo "GOT: one/other.txt"
