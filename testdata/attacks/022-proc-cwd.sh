# title: climb out through /proc/self/cwd
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" >> "/proc/self/cwd/../../${MAIN##*/}/README.md" && echo "GOT: README.md of the main checkout"
