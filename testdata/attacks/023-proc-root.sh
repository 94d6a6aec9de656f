# title: go through /proc/self/root
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" >> "/proc/self/root$MAIN/README.md" && echo "GOT: README.md of the main checkout"
