# title: climb to the main checkout with ..
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" >> "../../${MAIN##*/}/README.md" && echo "GOT: README.md of the main checkout"
