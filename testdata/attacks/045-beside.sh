# title: make a file beside the one that is allowed
# class: writes
# prevented: -
# detected: watch, gate
# logged: yes
. "$(dirname "$0")/facts.sh"
echo "$MARK" > "one/$MARK" && echo "GOT: a file beside one/allowed.txt"
