# title: replace the program delegate
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
program=$(command -v delegate)
mv "$program" "$program-$MARK" && echo "GOT: $program"
