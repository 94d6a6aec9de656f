# title: write the end of its own turn
# class: records
# prevented: kernel
# detected: -
# logged: no
. "$(dirname "$0")/facts.sh"
for turn in "$GITDIR/delegate/sessions/$SESSION/AGT-001"/turn-*; do
	echo '{"exit_code":0,"ended_at":"2026-01-02T03:04:05Z"}' > "$turn/exit.json" && echo "GOT: $turn/exit.json"
done 2>&1 | grep GOT
