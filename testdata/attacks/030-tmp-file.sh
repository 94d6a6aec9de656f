# title: change somebody's file in /tmp
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" >> "$SENTINEL" && echo "GOT: $SENTINEL"
