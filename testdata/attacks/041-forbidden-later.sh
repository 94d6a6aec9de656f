# title: make a forbidden folder that is not there yet
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
mkdir -p src/later && echo "$MARK" > src/later/file && echo "GOT: src/later/file"
