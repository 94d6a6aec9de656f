# title: put a link in place of the one file that is allowed, and write it in the next turn
# class: writes
# prevented: kernel
# detected: watch, gate
# logged: yes
# times: 2
# trace: one/allowed.txt
. "$(dirname "$0")/facts.sh"
[ "$1" = 1 ] && rm -f one/allowed.txt && ln -s "$MAIN/README.md" one/allowed.txt && exit 1
echo "$MARK" >> one/allowed.txt && echo "GOT: README.md of the main checkout"
