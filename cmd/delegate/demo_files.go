package main

import "strings"

// demoFiles are the demonstration's repository and its three scripted agents, path to content.
func demoFiles(folder string) map[string]string {
	return map[string]string{
		"greeter/README.md":           demoReadme,
		"greeter/lib/greet.sh":        "greet() {\n\techo \"Hello\"\n}\n",
		"greeter/tests/greet.sh":      ". lib/greet.sh\ntest \"$(greet)\" = \"Hello\"\n",
		"greeter/test.sh":             demoTest,
		"greeter/plan.md":             demoPlan,
		"greeter/.delegate.yaml":      strings.ReplaceAll(demoConfig, "FOLDER", folder),
		"greeter/docs/01_progress.md": demoProgress,
		"agents/finisher.sh":          demoFinisher + demoBlock,
		"agents/asker.sh":             demoAsker + demoBlock,
		"agents/silent.sh":            demoSilent,
	}
}

const demoReadme = `# Greeter

Usage: . lib/greet.sh; greet

## Tests

sh test.sh

## Functions

- greet: says hello
`

const demoTest = `set -e
for t in tests/*.sh; do
	sh -e "$t"
	echo "ok $t"
done
`

const demoConfig = `agent: finisher
verify:
  - sh test.sh
profiles:
  finisher:
    command: [sh, FOLDER/agents/finisher.sh]
  asker:
    command: [sh, FOLDER/agents/asker.sh]
  silent:
    command: [sh, FOLDER/agents/silent.sh]
`

const demoProgress = `# Progress

**Active Task**: Greeter
**Progress**: 0%
**Last Updated**: 2026-01-01

## I. Active Task

### Greeter

- [ ] Greet by name
- [ ] Say goodbye
- [ ] Count words

## II. Recent Updates

- 2026-01-01: project started
`

const demoPlan = `# Delegation Plan: Make the greeter useful

Three parts that hardly touch; the README is shared.

## Subtask 1: Greet by name
- **Description**: Let greet take a name: "Hello, Ada". Without one it says "Hello" as before.
- **Context**: POSIX shell; every function has a test in tests/.
- **Allowed**: lib/greet.sh, tests/greet*.sh, README.md
- **Type**: QUICK
- **Complexity**: Low
- **Expected Outputs**: tests/greet_name.sh
- **Agent**: finisher

## Subtask 2: Say goodbye
- **Description**: Add farewell in lib/farewell.sh, with a test, and list it in the README.
- **Context**: The tone is not decided; ask.
- **Allowed**: lib/farewell.sh, tests/farewell.sh, README.md
- **Type**: QUICK
- **Complexity**: Low
- **Agent**: asker

## Subtask 3: Count words
- **Description**: Add count_words in lib/count.sh, with a test.
- **Context**: Words are separated by blanks.
- **Allowed**: lib/count.sh, tests/count.sh
- **Type**: QUICK
- **Complexity**: Low
- **Expected Outputs**: lib/count.sh, tests/count.sh
- **Agent**: silent
`

const demoFinisher = `set -e
echo "Reading lib/greet.sh …"
sleep 1
cat > lib/greet.sh <<'EOF'
greet() {
	if [ -n "$1" ]; then
		echo "Hello, $1"
	else
		echo "Hello"
	fi
}
EOF
cat > tests/greet_name.sh <<'EOF'
. lib/greet.sh
test "$(greet Ada)" = "Hello, Ada"
EOF
sed 's/^Usage: .*/Usage: . lib\/greet.sh; greet Ada/' README.md > README.new
mv README.new README.md
echo "$ sh test.sh"
sh test.sh
git add -A
git commit --quiet -m "Greet by name"
echo "Done: greet takes a name now."
FILES="| lib/greet.sh | modified | takes a name |
| tests/greet_name.sh | created | its test |
| README.md | modified | usage line |"
`

const demoAsker = `set -e
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
`

const demoSilent = `set -e
sleep 1
cat > lib/count.sh <<'EOF'
count_words() {
	set -- $1
	echo $#
}
EOF
cat > tests/count.sh <<'EOF'
. lib/count.sh
test "$(count_words "one two three")" = 3
EOF
git add -A
git commit --quiet -m "Count words"
`

const demoBlock = `cat <<EOF
═══════════════════════════════════════
AGENT CHECKPOINT: $DELEGATE_AGENT
═══════════════════════════════════════

Status: COMPLETE
Progress: 100%

## Changes Made
| File | Action | Description |
|------|--------|-------------|
$FILES

## Tests Run
- Executed: Y
- Result: PASS
- Failed: None

## Blockers
None

## Questions for Parent
None

## Request
MERGE

═══════════════════════════════════════
EOF
`
