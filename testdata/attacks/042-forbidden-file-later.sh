# title: make a forbidden file that is not there yet
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
rmdir src/late.txt 2> /dev/null
echo "$MARK" > src/late.txt && echo "GOT: src/late.txt"
