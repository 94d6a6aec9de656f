//go:build linux

package supervise

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/git/gittest"
	"delegate/internal/intake/takeover"
	"delegate/internal/sys/long"
	"delegate/registry"
)

// git runs git in the person's checkout.
func (d *delegation) git(args ...string) string {
	d.Helper()
	return strings.TrimSpace(gittest.In(d.T, d.Main).Git(args...))
}

// commits puts files on the target.
func (d *delegation) commits(message string, files map[string]string) string {
	d.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(d.Main, name), []byte(text), 0o644); err != nil {
			d.Fatal(err)
		}
		d.git("add", name)
	}
	d.git("commit", "-q", "-m", message)
	return d.git("rev-parse", "HEAD")
}

// adapting is an agent that changes a line which somebody else changes as well, and resolves the markers that it finds.
const adapting = `
if grep -q '^<<<<<<< AGT' shared.txt; then
	git merge-base --is-ancestor main HEAD && [ -z "$(git status --porcelain)" ] || { block BLOCKED HELP; exit; }
	printf 'top\nboth\n' > shared.txt
	git commit -qam 'Resolve' && echo more > $DELEGATE_AGENT.txt
else
	printf 'top\n%s\n' $DELEGATE_AGENT > shared.txt
	git commit -qam 'First'
	echo left > $DELEGATE_AGENT.txt
fi
block COMPLETE MERGE
`

// TestAdapt holds that finished work which clashes with the target goes back to its agent with the target merged in,
// that the agent can resolve what clashes behind its fence, and that nothing of the target counts
// as its own afterwards.
func TestAdapt(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, adapting, "")
	d.commits("Shared", map[string]string{"shared.txt": "top\nline\n"})
	d.begin(1)
	first := d.reaches("AGT-001", registry.Complete)
	ctx := context.Background()
	merged, err := d.Repo.Merge(ctx, d.commits("Change what others change",
		map[string]string{"shared.txt": "top\nmine\n", "outside.md": "text\n"}), first.Head)
	if err != nil || merged.Clean {
		t.Fatalf("merge %+v, %v; want a clash", merged, err)
	}
	tip := d.git("rev-parse", "main")
	a, err := d.Adapt(ctx, "1", "Keep both lines.")
	if err != nil {
		t.Fatal(err)
	}
	if a.Status != registry.Running || a.Base != tip || a.Turns != 2 {
		t.Errorf("agent is %s from %q in turn %d", a.Status, a.Base, a.Turns)
	}
	if rows := d.events("AGT-001", registry.EventSentBack); len(rows) != 1 ||
		!strings.Contains(rows[0], "main at "+tip[:12]+
			" merged into its work; conflict markers in shared.txt; Keep both lines.") {
		t.Errorf("rows %q", rows)
	}
	done := d.reaches("AGT-001", registry.Complete)
	for _, part := range []string{"Keep both lines.", "Change what others change", "shared.txt (lines 2-8)",
		"<<<<<<< AGT-001", ">>>>>>> main", tip[:12]} {
		if prompt := d.prompt("AGT-001", 2); !strings.Contains(prompt, part) {
			t.Errorf("prompt without %q:\n%s", part, prompt)
		}
	}
	if !slices.Equal(done.FilesModified, []string{"AGT-001.txt", "shared.txt"}) || done.Violations != 0 ||
		!unflagged(done) {
		t.Errorf("files %q, violations %q, flags %q", done.FilesModified,
			d.events("AGT-001", registry.EventViolation), done.Flags)
	}
	if merged, err = d.Repo.Merge(ctx, tip, done.Head); err != nil || !merged.Clean {
		t.Errorf("merge %+v, %v; want a clean one", merged, err)
	}
	if text := d.git("show", done.Head+":shared.txt") +
		d.git("show", done.Head+":outside.md"); text != "top\nbothtext" {
		t.Errorf("the head has %q", text)
	}
	for _, commit := range []string{first.Head, tip} {
		d.git("merge-base", "--is-ancestor", commit, done.Head)
	}
	work, err := d.Work(ctx, d.state().Session.ID, done, tip)
	if err != nil || work.Fork != tip || len(work.Breaches) != 0 || work.Incomplete != "" || work.Rewritten {
		t.Errorf("work %+v, %v", work, err)
	}
	if a, err = d.Adapt(ctx, "1", "Once more."); err != nil || a.Head != done.Head || a.Turns != 3 {
		t.Errorf("with the target in its work: head %q, turn %d, %v", a.Head, a.Turns, err)
	}
	d.reaches("AGT-001", registry.Complete)
	if rows := d.events("AGT-001", registry.EventSentBack); len(rows) != 2 || rows[1] != "SENT_BACK Once more." {
		t.Errorf("rows %q", rows)
	}
}

// unflagged reports whether an agent has no flag but that its block names no files.
func unflagged(a registry.Agent) bool {
	return len(a.Flags.Without(registry.FlagContradicted)) == 0
}

// crash runs what ends at a step as in a power cut.
func (d *delegation) crash(at string, do func()) {
	d.Helper()
	defer func() {
		d.Step = func(string) {}
		if got := recover(); got != at {
			d.Fatalf("%s: ended with %v", at, got)
		}
	}()
	d.Step = func(step string) {
		if step == at {
			panic(step)
		}
	}
	do()
	d.Fatalf("nothing ended at %q", at)
}

// TestAdaptCutOff holds that an adaptation that was cut off anywhere is finished by repeating it,
// and that nothing half-done is used meanwhile.
func TestAdaptCutOff(t *testing.T) {
	t.Parallel()
	steps := []string{
		control.StepMerged,
		"move: noted",
		"move of files: files",
		"move of files: index",
		"move: branch",
		"move: index",
		control.StepAdvanced,
		control.StepMessaged,
	}
	if !long.Set {
		steps = []string{control.StepMerged, "move of files: files", control.StepMessaged}
	}
	d := newDelegation(t, adapting, "max_parallel_agents: 4\n")
	d.commits("Shared", map[string]string{"shared.txt": "top\nline\n"})
	d.begin(len(steps))
	heads := map[string]string{}
	for n := range steps {
		id := fmt.Sprintf("AGT-%03d", n+1)
		heads[id] = d.reaches(id, registry.Complete).Head
	}
	d.kill()
	ctx := context.Background()
	tip := d.commits("Change", map[string]string{"shared.txt": "top\nmine\n"})
	for n, step := range steps {
		id := fmt.Sprintf("AGT-%03d", n+1)
		d.crash(step, func() { _, _ = d.Adapt(ctx, id, "Adapt.") })
		if step == control.StepMessaged {
			continue
		}
		a := d.agent(id)
		if a.Status != registry.Complete || a.Head != heads[id] {
			t.Errorf("%s: %s is %s at %q", step, id, a.Status, a.Head)
		}
		snap, err := d.TakeHead(ctx, d.state().Session.ID, a, takeover.ForALook)
		if err != nil || step == control.StepMerged && snap.Head != heads[id] ||
			step != control.StepMerged && !strings.Contains(snap.Incomplete, "delegate adapt "+id) {
			t.Errorf("%s: look at %s: %+v, %v", step, id, snap, err)
		}
		var unfinished *session.AdaptUnfinishedError
		if _, err := d.SendBack(ctx, id, "Go on."); step != control.StepMerged && !errors.As(err, &unfinished) {
			t.Errorf("%s: %s goes on: %v", step, id, err)
		} else if step == control.StepMerged {
			continue // nothing had begun
		}
		if a, err = d.Adapt(ctx, id, "Adapt now."); err != nil || a.Status != registry.Running || a.Base != tip {
			t.Errorf("%s: repeated: %s from %q, %v", step, a.Status, a.Base, err)
		}
	}
	d.launch()
	for n, step := range steps {
		id := fmt.Sprintf("AGT-%03d", n+1)
		d.until(id+" turn 2", func() bool { a := d.agent(id); return a.Status != registry.Running && a.Turns == 2 })
		a := d.agent(id)
		if step == control.StepMerged { // sent back as it was, and as it was it came back
			a.Flags = a.Flags.Without(registry.FlagNoNewWork)
		}
		if a.Status != registry.Complete || !unflagged(a) {
			t.Errorf("%s: %s is %s, flags %q", step, id, a.Status, a.Flags)
		}
		if step == control.StepMerged {
			continue
		}
		if prompt := d.prompt(id, 2); strings.Count(prompt, "shared.txt (lines 2-8)") != 1 {
			t.Errorf("%s: prompt of %s:\n%s", step, id, prompt)
		}
		if merged, err := d.Repo.Merge(ctx, tip, a.Head); err != nil || !merged.Clean {
			t.Errorf("%s: %s does not merge: %+v, %v", step, id, merged, err)
		}
		d.git("merge-base", "--is-ancestor", heads[id], a.Head)
	}
}

// TestAdaptOthers holds which event it is for agents that wait or failed, and that a running one is refused.
func TestAdaptOthers(t *testing.T) {
	long.Only(t)
	t.Parallel()
	d := newDelegation(t, `
echo $DELEGATE_AGENT > $DELEGATE_AGENT.txt
case $DELEGATE_AGENT in
AGT-001) block BLOCKED HELP;;
AGT-002) echo partial > half.txt; exit 3;;
AGT-003) while [ ! -e $ROOT/go ]; do sleep 0.05; done;;
esac
`, "max_parallel_agents: 3\n"+withoutFence)
	d.begin(3)
	d.reaches("AGT-001", registry.Checkpoint)
	d.reaches("AGT-002", registry.Failed)
	d.reaches("AGT-003", registry.Running)
	tip := d.commits("Later", map[string]string{"later.txt": "l\n"})
	ctx := context.Background()
	for id, kind := range map[string]registry.Kind{"AGT-001": registry.EventContinued,
		"AGT-002": registry.EventResumed} {
		a, err := d.Adapt(ctx, id, "")
		if err != nil || a.Base != tip {
			t.Errorf("%s: from %q, %v", id, a.Base, err)
		}
		if rows := d.events(id, kind); len(rows) != 1 || !strings.Contains(rows[0], "main at "+tip[:12]) {
			t.Errorf("%s: %q", id, rows)
		}
		if text, err := os.ReadFile(filepath.Join(a.Worktree, "later.txt")); string(text) != "l\n" {
			t.Errorf("%s: later.txt %q, %v", id, text, err)
		}
	}
	var refused *registry.TransitionError
	if _, err := d.Adapt(ctx, "AGT-003", ""); !errors.As(err, &refused) || refused.Agent != "AGT-003" {
		t.Errorf("a running one: %v", err)
	}
	d.touch("go")
	a := d.reaches("AGT-001", registry.Checkpoint)
	if half := d.git("show", "refs/delegate/"+d.state().Session.ID+"/AGT-002/turn-1:half.txt"); half != "partial" ||
		!slices.Equal(a.FilesModified, []string{"AGT-001.txt"}) {
		t.Errorf("half.txt %q, files %q", half, a.FilesModified)
	}
	d.reaches("AGT-002", registry.Failed)
	if _, err := d.SendBack(ctx, "AGT-002", " \n"); err == nil {
		t.Error("sent back without a word")
	}
	if _, err := d.SendBack(ctx, "AGT-002", control.Findings("", []string{"It fails."})); err != nil {
		t.Error(err)
	}
	if rows := d.events("AGT-002", registry.EventResumed); len(rows) != 2 || !strings.Contains(rows[1], "It fails.") {
		t.Errorf("rows %q", rows)
	}
	d.until("the last turn", func() bool {
		a := d.agent("AGT-002")
		return a.Turns == 3 && a.Status == registry.Failed
	})
}

// TestAdaptDependent holds that for work that builds on unlanded work both the target and that work
// are what its own begins from.
func TestAdaptDependent(t *testing.T) {
	long.Only(t)
	t.Parallel()
	d := newDelegation(t, `
echo $DELEGATE_AGENT >> $DELEGATE_AGENT.txt
block COMPLETE MERGE
`, "dependencies: complete\n"+withoutFence)
	d.record(2)
	ctx := context.Background()
	if _, err := d.Store.Update(ctx, func(tx *registry.Tx) error {
		return tx.Edit("AGT-002", func(a *registry.Agent) { a.Dependencies = []string{"AGT-001"} })
	}); err != nil {
		t.Fatal(err)
	}
	d.launch()
	first := d.reaches("AGT-001", registry.Complete)
	second := d.reaches("AGT-002", registry.Complete)
	tip := d.commits("Later", map[string]string{"later.md": "l\n"})
	a, err := d.Adapt(ctx, "AGT-002", "")
	if err != nil {
		t.Fatal(err)
	}
	if rows := d.events("AGT-002", registry.EventSentBack); len(rows) != 1 ||
		!strings.Contains(rows[0], "main at "+tip[:12]) {
		t.Errorf("rows %q", rows)
	}
	for _, commit := range []string{tip, first.Head} {
		d.git("merge-base", "--is-ancestor", commit, a.Base)
	}
	d.until("the next turn", func() bool {
		a := d.agent("AGT-002")
		return a.Turns == 2 && a.Status == registry.Complete
	})
	if done := d.agent("AGT-002"); !slices.Equal(done.FilesModified, []string{"AGT-002.txt"}) ||
		done.Violations != 0 ||
		d.git("merge-base", second.Head, done.Head) != second.Head {
		t.Errorf("files %q, %d violations", done.FilesModified, done.Violations)
	}
	if again, err := d.Adapt(ctx, "AGT-002", "Once more."); err != nil || again.Base != a.Base {
		t.Errorf("with all of that: from %q, %v", again.Base, err)
	}
	d.until("the last turn", func() bool {
		a := d.agent("AGT-002")
		return a.Turns == 3 && a.Status == registry.Complete
	})
}
