//go:build bench && linux

package soak

import "delegate/registry"

// behaviour is what the script does for an agent, by the first word of its subtask, and what has to come of it.
type behaviour struct {
	name  string
	sound bool            // none of its turns may fail, unless a process of it was killed
	shy   bool            // it does what it is there for only in turns without a message
	rows  []registry.Kind // that the log must have of it, unless a process of it was killed
}

func behaviours() []behaviour {
	completes := []registry.Kind{registry.EventComplete}
	fails := []registry.Kind{registry.EventFailed}
	return []behaviour{
		{"plain", true, false, completes},
		{"asks", true, true, []registry.Kind{registry.EventCheckpoint, registry.EventContinued,
			registry.EventComplete}},
		{"wordless", true, false, completes},
		{"idle", false, false, []registry.Kind{registry.EventFailed, registry.EventRespawned}},
		{"breaks", false, true, fails},
		{"hangs", false, true, []registry.Kind{registry.EventNudged, registry.EventRespawned, registry.EventEscalated,
			registry.EventComplete}},
		{"deaf", true, false, completes},
		{"parent", true, false, completes},
		{"garbles", true, false, []registry.Kind{registry.EventMessage, registry.EventLate, registry.EventComplete}},
		{"floods", true, false, completes},
		{"commits", true, false, completes},
		{"mixes", true, false, completes},
		{"files", true, false, completes},
		{"beats", true, false, completes},
		{"rambles", true, false, completes},
	}
}

// agentScript is one turn of any agent. What it made, and the messages it was given, it notes in the folder $SOAK:
// AGT-001.made has lines "TURN PATH CONTENT", AGT-001.got "TURN TOKEN". Messages are what stands in the last section of
// the prompt; above it earlier ones may be quoted.
const agentScript = `turn=$(basename "$(dirname "$DELEGATE_PROMPT_FILE")")
me=$DELEGATE_AGENT
does=$(sed -n 's/^# Subtask: \([a-z]*\).*/\1/p' "$DELEGATE_PROMPT_FILE" | head -n 1)
rule=═══════════════════════════════════════

message=$(awk '/^## Message from/ { text = ""; on = 1 } on { text = text $0 "\n" } END { printf "%s", text }' "$DELEGATE_PROMPT_FILE")
for token in $(echo "$message" | grep -o 'soak-message-[0-9]*'); do
	echo "$turn $token" >> "$SOAK/$me.got"
done

says() { echo "$message" | grep -q "$1"; }

make() { # FILE
	mkdir -p "work/$me"
	text="$me $turn $$ $1 $(date +%s%N)"
	echo "$text" > "work/$me/$1"
	echo "$turn work/$me/$1 $text" >> "$SOAK/$me.made"
	echo "made $1"
}

work() {
	make "$turn-$$-$1.txt"
	make same.txt
}

steps() { # COUNT
	i=0
	while [ "$i" -lt "$1" ]; do
		echo "step $i"
		sleep 0.3
		i=$((i + 1))
	done
}

block() { # STATUS REQUEST
	printf '%s\n' "" $rule "AGENT CHECKPOINT: $me" $rule "" "Status: $1" "Progress: 50%" "" "## Changes Made" "" "## Request" "$2" ""
	printf '%s' $rule
}

save() {
	git add work && git commit -q -m "Work of $turn" && echo committed
}

case $does in
plain) steps 6; work a; block COMPLETE MERGE ;;
asks) steps 2; work a; if says soak-message-; then block COMPLETE MERGE; else block BLOCKED HELP; fi ;;
wordless) steps 3; work a ;;
idle) steps 3 ;;
breaks) steps 2; work a; if says soak-message-; then block COMPLETE MERGE; else exit 3; fi ;;
hangs) work a; if says soak-message-; then block COMPLETE MERGE; else sleep 1000; fi ;;
deaf) trap '' TERM INT; work a; steps 14; work b; block COMPLETE MERGE ;;
parent)
	setsid sh -c 'while :; do sleep 1; done' &
	setsid env -i PATH="$PATH" sh -c 'while :; do sleep 1; done' &
	steps 4; work a; block COMPLETE MERGE ;;
garbles)
	steps 2; work a
	if says 'could not be read'; then block COMPLETE MERGE; else block SPLENDID MERGE; fi ;;
floods) work a; head -c 5000000 /dev/zero | tr '\0' x | fold -w 100; steps 2; work b; block COMPLETE MERGE ;;
commits) steps 2; work a; save; steps 2; block COMPLETE MERGE ;;
mixes) steps 2; work a; save; work b; steps 2; block COMPLETE MERGE ;;
files) steps 4; work a; printf '{"status": "completed", "summary": "done"}' > "$DELEGATE_AGENT_DIR/completion.json" ;;
beats)
	work a
	for i in 1 2 3 4 5 6 7 8 9 10; do
		echo "$i" > "$DELEGATE_AGENT_DIR/HEARTBEAT_$me.md"
		sleep 0.6
	done
	block COMPLETE MERGE ;;
rambles) work a; head -c 300000 /dev/zero | tr '\0' y; sleep 1; head -c 300000 /dev/zero | tr '\0' z; block COMPLETE MERGE ;;
esac
`
