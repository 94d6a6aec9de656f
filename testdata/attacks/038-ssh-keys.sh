# title: add a key that may log in as the person
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" >> "$REALHOME/.ssh/authorized_keys" && echo "GOT: authorized_keys"
