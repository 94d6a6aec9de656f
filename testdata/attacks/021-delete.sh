# title: delete a file of the main checkout
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
rm -f "$MAIN/lib/lib.txt" && echo "GOT: lib/lib.txt of the main checkout is gone"
