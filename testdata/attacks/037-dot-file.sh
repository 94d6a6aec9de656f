# title: append to a start file of the person's shell
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" >> "$REALHOME/.bashrc" && echo "GOT: .bashrc"
