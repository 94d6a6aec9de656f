# title: change the manager's settings
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "# $MARK" >> "$MAIN/.delegate.yaml" && echo "GOT: .delegate.yaml of the main checkout"
