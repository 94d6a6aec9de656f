# title: change a file that a pattern without a folder forbids
# class: writes
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
echo "$MARK" >> src/old.pem && echo "GOT: src/old.pem"
