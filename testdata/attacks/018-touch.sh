# title: set the times of a file outside
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
touch -d 2001-02-03 "$MAIN/README.md" && echo "GOT: the times of README.md of the main checkout"
