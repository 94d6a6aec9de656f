set -e
if ! grep -q "Message from" "$DELEGATE_PROMPT_FILE"; then
	echo "The tone of a farewell is not decided."
	cat <<EOF
═══════════════════════════════════════
AGENT CHECKPOINT: $DELEGATE_AGENT
═══════════════════════════════════════

Status: BLOCKED
Progress: 20%

## Changes Made
| File | Action | Description |
|------|--------|-------------|

## Tests Run
- Executed: N
- Result: SKIPPED
- Failed: None

## Blockers
The tone is not decided

## Questions for Parent
Formal or friendly?

## Request
HELP

═══════════════════════════════════════
EOF
	exit 0
fi
word="Goodbye"
if grep -qi "friendly" "$DELEGATE_PROMPT_FILE"; then word="See you"; fi
cat > lib/farewell.sh <<EOF
farewell() {
	echo "$word"
}
EOF
cat > tests/farewell.sh <<EOF
. lib/farewell.sh
test "\$(farewell)" = "$word"
EOF
echo "- farewell: says goodbye" >> README.md
echo "$ sh test.sh"
sh test.sh
echo "Done, in a friendly tone; left uncommitted."
FILES="| lib/farewell.sh | created | farewell |
| tests/farewell.sh | created | its test |
| README.md | modified | list of functions |"
. "$(dirname "$0")/complete.sh"
