# title: put garbage, a link and a pipe where its references are
# class: git
# prevented: kernel
# detected: supervisor
# logged: yes
# needs: fence
# turn: own
. "$(dirname "$0")/facts.sh"
folder="$GITDIR/refs/heads/delegate"
echo "$MARK" > "$folder/garbage"
ln -s "$MAIN/README.md" "$folder/link"
mkfifo "$folder/pipe"
true
