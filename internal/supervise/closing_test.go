//go:build linux

package supervise

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/fence/sandbox"
	"delegate/internal/turn/keeper"
	"delegate/internal/view/status"
	"delegate/registry"
)

// formsOfQuestion are agents that ask in words, or in a block that cannot be read; each needs a person.
const formsOfQuestion = `
rule=═══════════════════════════════════════
echo work > $DELEGATE_AGENT.txt
case $DELEGATE_AGENT in
AGT-001) told COMPLETE MERGE; say "But I am not done: which of the two formats do you want?" ;;
AGT-002) say "$rule\nAGENT CHECKPOINT: AGT-002\n$rule\n\nStatus: WAITING\n\n## Questions for Parent\nWhich database?\n\n$rule" ;;
AGT-003) say "$rule\nlog: 1\nAGENT CHECKPOINT: AGT-003\nlog: 2\n$rule\nlog: 3\nStatus: BLOCKED\nlog: 4\nWhich database?" ;;
AGT-004) say "An earlier agent wrote:\n> $rule\n> AGENT CHECKPOINT: AGT-004\n> $rule\n> Status: COMPLETE\n> $rule\nShall I go on?" ;;
AGT-005) say "## AGENT CHECKPOINT: AGT-005\n\nStatus: BLOCKED\n\nWhich database?" ;;
AGT-006) say "I made it. Which of the two formats do you want?" ;;
AGT-007) say "$rule\nAGENT CHECKPOINT: AGT-007\n$rule\n\n## Status\nCOMPLETE\n\n## Request\n\nMERGE\n\n$rule" ;;
esac
`

// TestNoQuestionIsSwallowed holds that whatever an agent asks in words reaches a person, of a
// program that prints text and of one that prints events.
func TestNoQuestionIsSwallowed(t *testing.T) {
	t.Parallel()
	for output, head := range map[string]string{"json": eventful, "text": `
say() { printf "$1\n"; }
told() { echo "Done."; block $1 $2; }
`} {
		t.Run(output, func(t *testing.T) {
			t.Parallel()
			d := newDelegation(t, head+formsOfQuestion, "")
			d.configure("agent: scripted\nmax_parallel_agents: 4\nstop_grace: 500ms\nprofiles:\n" +
				"  scripted: {command: [sh, agent.sh], output: " + output + ", pass_env: [GORACE]}\n")
			d.begin(7)
			for i, want := range []string{"which of the two formats", "Status: WAITING", "Status: BLOCKED",
				"Shall I go on?", "Which database?", "Which of the two formats"} {
				id := fmt.Sprintf("AGT-00%d", i+1)
				a := d.reaches(id, registry.Checkpoint)
				if !strings.Contains(a.Question, want) || len(a.Flags) == 0 {
					t.Errorf("%s waits with %q, flags %q", id, a.Question, a.Flags)
				}
				asked := len(d.events(id, registry.EventMessage))
				if unread := a.Flags.Has(registry.FlagUnreadBlock); unread && asked != 1 || !unread && asked != 0 {
					t.Errorf("%s was asked %d times for a correction, flags %q", id, asked, a.Flags)
				}
			}
			if a := d.reaches("AGT-007", registry.Complete); a.Flags.Has(registry.FlagResponseLost) || a.Turns != 1 {
				t.Errorf("%d turns, flags %q", a.Turns, a.Flags)
			}
		})
	}
}

// TestToolBehindItsBlock holds that an agent that works on after its report is not finished.
func TestToolBehindItsBlock(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, eventful+`
told COMPLETE MERGE
echo '{"type":"item.started","item":{"type":"command_execution","command":"make more"}}'
echo work > work.txt
`, "")
	d.configure("agent: scripted\nstop_grace: 500ms\nprofiles:\n  scripted: {command: [sh, agent.sh], output: json, " +
		"pass_env: [GORACE]}\n")
	d.begin(1)
	if a := d.reaches("AGT-001", registry.Checkpoint); !a.Flags.Has(registry.FlagWentOn) || a.Question != "" {
		t.Errorf("flags %q, waits with %q", a.Flags, a.Question)
	}
}

// TestClosingWords holds that how an agent closes its turn is kept in the record, and what the kernel refused in it:
// what its output says of that counts for nothing.
func TestClosingWords(t *testing.T) {
	t.Parallel()
	if s := sandbox.Detect(t.Context()); !s.Namespaces || !s.Seccomp {
		t.Skip("the kernel tells nobody here what it refuses")
	}
	d := newDelegation(t, `
echo work > work.txt
(echo x > command.go) 2> /dev/null
(echo x > .git) 2> /dev/null
mkdir -p ../nowhere/x/y 2> /dev/null
unshare -U true 2> /dev/null
unshare -U true 2> /dev/null
echo "tee: mine.md: Permission denied"
i=0; while [ $i -lt 1500 ]; do echo "a line of its log, number $i of many"; i=$((i+1)); done
echo
echo "I added X. Key decision: burst of 20."
block COMPLETE MERGE
`, "")
	d.commits("Command", map[string]string{"command.go": "package main\n"})
	d.begin(1)
	a := d.reaches("AGT-001", registry.Complete)
	nowhere := "../" + filepath.Base(filepath.Dir(a.Worktree)) + "/nowhere"
	if a.Summary != "I added X. Key decision: burst of 20." || !slices.Equal(a.Refused, []string{"command.go", ".git",
		nowhere}) || !slices.Equal(a.RefusedCalls, []string{"new namespace"}) {
		t.Errorf("summary %q, refused %q, %q", a.Summary, a.Refused, a.RefusedCalls)
	}
	if rows := d.events("AGT-001", registry.EventViolation); a.Violations != 2 || !slices.Equal(rows, []string{
		"VIOLATION refused by the kernel in turn 1: write outside its scope: command.go, .git, " + nowhere,
		"VIOLATION refused by the kernel in turn 1: new namespace"}) {
		t.Errorf("%d violations, rows %q", a.Violations, rows)
	}
	whole, err := os.ReadFile(filepath.Join(d.Main, a.Output))
	if err != nil || !strings.HasPrefix(string(whole), "tee: mine") {
		t.Errorf("the output is cut at its front: %.60q, %v", whole, err)
	}
	if r := status.ReportOf(d.Project, d.state(), a); r.Summary != a.Summary || !slices.Equal(r.Files,
		[]string{"work.txt"}) {
		t.Errorf("report %+v", r)
	}
	d.until("the private folder is gone", func() bool { // the supervisor may write there still
		return os.RemoveAll(d.AgentState(d.state().Session.ID, a.ID)) == nil
	})
	if r := status.ReportOf(d.Project, d.state(), a); r.Summary != a.Summary {
		t.Errorf("without the private folder the summary is %q", r.Summary)
	}
	more := control.ScopeChange{Allow: []string{"command.go"}}
	if _, _, err := d.ChangeScope(context.Background(), a.ID, more); err != nil {
		t.Error(err)
	}
	if a = d.agent(a.ID); !slices.Equal(a.Refused, []string{".git", nowhere}) {
		t.Errorf("refused after one was allowed: %q", a.Refused)
	}
}

// TestEvidenceOfATurn holds that what is said truthfully of a later turn is no contradiction, and what is not is one.
func TestEvidenceOfATurn(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, `
says() { # STATUS REQUEST ROWS...
	echo ═══════════════════════════════════════
	echo AGENT CHECKPOINT: $DELEGATE_AGENT
	echo ═══════════════════════════════════════
	echo Status: $1
	echo '## Changes Made'
	request=$2
	shift 2
	for row in "$@"; do echo "| ${row%=*} | ${row#*=} | x |"; done
	echo '## Request'
	echo $request
	echo ═══════════════════════════════════════
}
if grep -q "Second" $DELEGATE_PROMPT_FILE; then
	echo more >> a.txt
	rm b.txt
	echo new > c.txt
	case $DELEGATE_AGENT in
	AGT-001) says COMPLETE MERGE a.txt=modified b.txt=deleted c.txt=created ;;
	AGT-002) says COMPLETE MERGE a.txt=modified c.txt=modified ;;
	esac
else
	echo one > a.txt
	echo one > b.txt
	echo one > same.txt
	says IN_PROGRESS CONTINUE a.txt=created b.txt=created same.txt=created
fi
`, "")
	d.begin(2)
	for _, id := range []string{"AGT-001", "AGT-002"} {
		d.reaches(id, registry.Checkpoint)
		if _, err := d.Continue(context.Background(), id, "Second."); err != nil {
			t.Fatal(err)
		}
	}
	if a := d.reaches("AGT-001", registry.Complete); a.Flags.Has(registry.FlagContradicted) {
		t.Errorf("%q: %q", a.Flags, session.ReadReport(d.Project, d.state().Session.ID, a).Differences)
	}
	a := d.reaches("AGT-002", registry.Complete)
	differences := session.ReadReport(d.Project, d.state().Session.ID, a).Differences
	if !slices.Equal(differences, []string{`"c.txt" is listed as modified, and git shows it as created`}) {
		t.Errorf("differences %q, flags %q", differences, a.Flags)
	}
}

// TestWhatAProgramTriesItself holds that what a program tries whatever its model does is no violation of the agent.
func TestWhatAProgramTriesItself(t *testing.T) {
	t.Parallel()
	if s := sandbox.Detect(t.Context()); !s.Namespaces || !s.Seccomp {
		t.Skip("the kernel tells nobody here what it refuses")
	}
	d := newDelegation(t, `
echo work > work.txt
cd "$(git rev-parse --git-common-dir)"
for i in opencode opencodes; do mkdir $i 2> /dev/null; done
cd - > /dev/null
block COMPLETE MERGE
`, "")
	d.configure("agent: scripted\nstop_grace: 500ms\nprofiles:\n  scripted: {extends: opencode, " +
		"command: [sh, agent.sh], output: text, pass_env: [GORACE]}\n")
	d.begin(1)
	a := d.reaches("AGT-001", registry.Complete)
	want := "../" + filepath.Base(d.Main) + "/.git/opencodes"
	if !slices.Equal(a.Refused, []string{want}) || a.Violations != 1 {
		t.Errorf("refused %q, %d violations %q", a.Refused, a.Violations, d.events("AGT-001", registry.EventViolation))
	}
}

// TestRefusedWithoutItsProfile holds that a turn in which something was refused ends as well where somebody took the
// agent's profile out of the configuration.
func TestRefusedWithoutItsProfile(t *testing.T) {
	t.Parallel()
	if s := sandbox.Detect(t.Context()); !s.Namespaces || !s.Seccomp {
		t.Skip("the kernel tells nobody here what it refuses")
	}
	d := newDelegation(t, `
echo work > work.txt
while [ ! -e $ROOT/go ]; do sleep 0.05; done
mkdir "$(git rev-parse --git-common-dir)/mine" 2> /dev/null
block COMPLETE MERGE
`, "")
	d.begin(1)
	d.reaches("AGT-001", registry.Running)
	d.kill()
	d.configure("agent: other\nstop_grace: 500ms\nprofiles:\n  other: {command: [sh, agent.sh], prompt: file}\n")
	d.touch("go")
	d.launch()
	if a := d.reaches("AGT-001", registry.Complete); len(a.Refused) != 1 || a.Violations != 1 {
		t.Errorf("refused %q, %d violations", a.Refused, a.Violations)
	}
}

// TestNothingIsWrittenAfterTheEnd holds that a step which outlives its session leaves the record alone, which a person
// may have committed by then.
func TestNothingIsWrittenAfterTheEnd(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "sleep 300", "")
	d.begin(1)
	d.reaches("AGT-001", registry.Running)
	state := d.state()
	d.abortSession()
	if err := session.WriteLastState(t.Context(), d.Project, state.Session.ID); err != nil {
		t.Fatal(err)
	}
	record := func() (text string) {
		err := filepath.WalkDir(filepath.Join(d.Main, "docs"), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			text += path + "\n" + string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	before := record()
	s := snapshot{p: d.Project, state: state, o: Options{Log: io.Discard}}
	turn := keeper.Turn{Dir: d.TurnDir(state.Session.ID, "AGT-001", 1)}
	_, err := s.keepOutput(t.Context(), state.Session.ID, state.Agents[0], turn)
	err = errors.Join(err, s.writeState(t.Context()), s.keepForOthers(t.Context(), state.Agents[0],
		outcome{kind: registry.EventFailed, details: "out of luck"}))
	if after := record(); err != nil || after != before {
		t.Errorf("%v; the record was\n%s\nand is\n%s", err, before, after)
	}
}
