# title: change the mode of a file outside
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
chmod 0777 "$MAIN/README.md" && echo "GOT: the mode of README.md of the main checkout"
