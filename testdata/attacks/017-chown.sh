# title: change the owner of a file outside
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
chown 12345 "$MAIN/README.md" && echo "GOT: the owner of README.md of the main checkout"
