# title: make a file that a pattern without a folder forbids
# class: writes
# prevented: -
# detected: watch, gate
# logged: yes
. "$(dirname "$0")/facts.sh"
echo "$MARK" > "src/$MARK.pem" && echo "GOT: a new .pem file"
