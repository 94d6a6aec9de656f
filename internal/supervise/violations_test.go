//go:build linux

package supervise

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"delegate/internal/control"
	"delegate/internal/supervise/scopemonitor"
	"delegate/internal/sys/long"
	"delegate/internal/view/status"
	"delegate/registry"
	"delegate/scope"
)

// withoutFence lets agents do what the watch is to find.
const withoutFence = "sandbox: {level: off}\n"

func (d *delegation) violations(id string) []string { return d.events(id, registry.EventViolation) }

// TestWatchFindsWhatAnAgentWritesOutside holds that a running agent's change outside of its scope
// is a row within seconds, once, that one which it takes back and makes again is a second row, and
// that its end adds none. What git ignores and what was put there for it are no changes.
func TestWatchFindsWhatAnAgentWritesOutside(t *testing.T) {
	long.Only(t)
	t.Parallel()
	d := newDelegation(t, `
mkdir -p lib/deep build
echo ignored > build/out
echo in > in.txt
until [ -e $ROOT/write ]; do sleep 0.05; done
echo out > lib/deep/out.md
until [ -e $ROOT/mend ]; do sleep 0.05; echo more >> in.txt; done
rm lib/deep/out.md
until [ -e $ROOT/again ]; do sleep 0.05; done
echo out > lib/deep/out.md
until [ -e $ROOT/end ]; do sleep 0.05; echo more >> lib/deep/out.md; done
block COMPLETE MERGE
`, withoutFence+"copy: [given.env]\n")
	for name, text := range map[string]string{".gitignore": "build/\n", "given.env": "secret\n"} {
		if err := os.WriteFile(filepath.Join(d.Main, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d.git("add", ".gitignore")
	d.git("commit", "-qm", "Ignore")
	d.begin(1)
	d.reaches("AGT-001", registry.Running)
	work := filepath.Join(d.agent("AGT-001").Worktree, "in.txt")
	d.until("its first file", func() bool { _, err := os.Stat(work); return err == nil })
	time.Sleep(6 * time.Second) // a look at what is no breach, and one that begins to listen to the new folders
	if rows := d.violations("AGT-001"); len(rows) > 0 {
		t.Errorf("rows for what is no breach: %q", rows)
	}
	d.touch("write")
	d.until("the first row", func() bool { return len(d.violations("AGT-001")) == 1 })
	if row := d.violations("AGT-001")[0]; !strings.Contains(row, "(watch, turn 1): lib/deep/out.md: ") ||
		!strings.Contains(row, "**/*.txt") {
		t.Errorf("row %q", row)
	}
	if a := d.agent("AGT-001"); a.Status != registry.Running || a.Violations != 1 {
		t.Errorf("%s, %d violations", a.Status, a.Violations)
	}
	d.until("the point", func() bool {
		points, _ := status.Points(d.Project, d.state())
		return len(points) == 1 && points[0].Kind == status.ViolationPoint
	})
	d.touch("mend")
	d.until("the mending noticed",
		func() bool { points, _ := status.Points(d.Project, d.state()); return len(points) == 0 })
	d.touch("again")
	d.until("the second row", func() bool { return len(d.violations("AGT-001")) == 2 })
	time.Sleep(6 * time.Second) // in which it writes on and on
	d.touch("end")
	d.reaches("AGT-001", registry.Complete)
	if rows := d.violations("AGT-001"); len(rows) != 2 {
		t.Errorf("after the end: %q", rows)
	}
}

// TestWatchFindsABentPointer holds that a worktree which leads git elsewhere is a violation that
// the agent's work survives.
func TestWatchFindsABentPointer(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "echo in > in.txt; cp .git $ROOT/kept; echo 'gitdir: /elsewhere' > .git; until [ -e "+
		"$ROOT/end ]; do sleep 0.05; done; cat $ROOT/kept > .git; block COMPLETE MERGE", withoutFence)
	d.begin(1)
	d.until("the row", func() bool { return len(d.violations("AGT-001")) == 1 })
	if row := d.violations("AGT-001")[0]; !strings.Contains(row, ".git: ") || !strings.Contains(row, "/elsewhere") {
		t.Errorf("row %q", row)
	}
	d.touch("end")
	if a := d.reaches("AGT-001", registry.Complete); !slices.Equal(a.FilesModified, []string{"in.txt"}) {
		t.Errorf("files %q", a.FilesModified)
	}
}

// TestPutBack holds that a person's restore interrupts a running agent, keeps what the files held,
// and lets the agent go on with the news.
func TestPutBack(t *testing.T) {
	long.Only(t)
	t.Parallel()
	d := newDelegation(t, `
if grep -q "were put back" $DELEGATE_PROMPT_FILE; then test ! -e lib/out.md && block COMPLETE MERGE; exit; fi
mkdir -p lib; echo out > lib/out.md; echo in > in.txt; echo changed >> agent.sh; sleep 300
`, withoutFence)
	d.begin(1)
	d.until("the rows", func() bool { return len(d.violations("AGT-001")) == 2 })
	if _, err := d.PutBack(context.Background(), "AGT-001", []string{"agent.sh", "lib/out.md"}); err != nil {
		t.Fatal(err)
	}
	a := d.reaches("AGT-001", registry.Complete)
	if !slices.Equal(a.FilesModified, []string{"in.txt"}) || a.Turns != 2 {
		t.Errorf("files %q after %d turns", a.FilesModified, a.Turns)
	}
	refs, err := d.Repo.RefsUnder(context.Background(), "refs/delegate/")
	if err != nil {
		t.Fatal(err)
	}
	kept := ""
	for name, commit := range refs {
		if strings.Contains(name, "before-drop") {
			kept = commit
		}
	}
	if files, err := d.Repo.Files(context.Background(), kept); err != nil || !slices.Contains(files, "lib/out.md") {
		t.Errorf("kept %q, %v", files, err)
	}
	if points, err := status.Points(d.Project, d.state()); err != nil ||
		slices.ContainsFunc(points, func(p status.Point) bool {
			return p.Kind == status.ViolationPoint
		}) {
		t.Errorf("still waits for a person: %+v, %v", points, err)
	}
}

// TestTellOutside holds that what is sent back to a running agent is on its desk at once and with
// its next turn, and is not asked about again.
func TestTellOutside(t *testing.T) {
	long.Only(t)
	t.Parallel()
	d := newDelegation(t, `
if grep -q "Put them back" $DELEGATE_PROMPT_FILE; then rm -r lib; block COMPLETE MERGE; exit; fi
mkdir -p lib; echo out > lib/out.md
until grep -q "SCOPE.*lib/out.md" $DELEGATE_AGENT_DIR/COMMANDS.md; do sleep 0.05; done
block COMPLETE MERGE
`, withoutFence)
	d.begin(1)
	d.until("the row", func() bool { return len(d.violations("AGT-001")) == 1 })
	var points []status.Point
	d.until("the point", func() bool { points, _ = status.Points(d.Project, d.state()); return len(points) == 1 })
	if !points[0].Outside[0].Allowable {
		t.Errorf("%+v", points[0])
	}
	if _, err := d.TellOutside(context.Background(), "AGT-001", points[0].Outside, "Now."); err != nil {
		t.Fatal(err)
	}
	if points, err := status.Points(d.Project, d.state()); err != nil ||
		slices.ContainsFunc(points, func(p status.Point) bool {
			return p.Kind == status.ViolationPoint
		}) {
		t.Errorf("asked about again: %+v, %v", points, err)
	}
	d.until("the second turn's end", func() bool {
		a := d.agent("AGT-001")
		return a.Status == registry.Complete && a.Turns == 2
	})
	if rows := d.violations("AGT-001"); len(rows) != 1 {
		t.Errorf("rows %q", rows)
	}
}

// TestAllowedBreachIsForgotten holds that widening the scope of a running agent answers the violation.
func TestAllowedBreachIsForgotten(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "mkdir -p 'l[b'; echo out > 'l[b/o*t.md'; until [ -e $ROOT/end ]; do sleep 0.05; done; "+
		"block COMPLETE MERGE", withoutFence)
	d.begin(1)
	d.until("the row", func() bool { return len(d.violations("AGT-001")) == 1 })
	if _, _, err := d.ChangeScope(context.Background(), "AGT-001",
		control.ScopeChange{Allow: []string{scope.Literal("l[b/o*t.md")}}); err != nil {
		t.Fatal(err)
	}
	// The watch may be about to note what it found by the scope before; its next look takes that back.
	d.until("nothing that waits for a person", func() bool {
		points, err := status.Points(d.Project, d.state())
		return err == nil && len(points) == 0
	})
	d.touch("end")
	d.reaches("AGT-001", registry.Complete)
	if rows := d.violations("AGT-001"); len(rows) != 1 {
		t.Errorf("rows %q", rows)
	}
}

// TestViolationLimit holds that an agent which goes on and on is stopped, however many other rows the log has by then,
// and that many paths at once count once.
func TestViolationLimit(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, "mkdir -p lib; for i in $(seq 60); do echo x > lib/$i.md; done; echo in > in.txt; sleep 300",
		withoutFence)
	d.begin(1)
	d.until("the rows", func() bool { return d.agent("AGT-001").Violations == scopemonitor.MostRows+1 })
	rows := d.violations("AGT-001")
	if last := rows[len(rows)-1]; !strings.Contains(last, "10 more paths") {
		t.Errorf("last row %q", last)
	}
	if a := d.agent("AGT-001"); a.LimitCount() != 1 {
		t.Errorf("one look counts as %d", a.LimitCount())
	}
	record := func(times int) {
		t.Helper()
		if _, err := d.Store.Update(context.Background(), func(tx *registry.Tx) (err error) {
			for range times {
				err = errors.Join(err, tx.Record(registry.Event{Kind: registry.EventViolation, Agent: "AGT-001",
					Details: "refused"}, (*registry.Agent).AddViolation))
				for range 5 {
					err = errors.Join(err, tx.Record(registry.Event{Kind: registry.EventCheckpoint, Agent: "AGT-001"},
						nil))
				}
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	record(mostViolations - 1)
	time.Sleep(5 * tick)
	if a := d.agent("AGT-001"); a.Status != registry.Running {
		t.Errorf("at the limit: %s", a.Status)
	}
	record(1)
	if a := d.reaches("AGT-001", registry.Failed); !a.Flags.Has(registry.FlagViolationLimit) ||
		len(a.FilesModified) != 61 {
		t.Errorf("flags %q, %d files", a.Flags, len(a.FilesModified))
	}
}

// TestLeftoverProcesses holds that another agent program is a row, once, under whatever runs it, and that a
// worker of the turn's own program is none.
func TestLeftoverProcesses(t *testing.T) {
	t.Parallel()
	d := newDelegation(t, `
mkdir -p $ROOT/bin
printf 'sleep 300; :\n' > $ROOT/bin/codex
ln -s $(command -v sleep) $ROOT/bin/claude
sh $ROOT/bin/codex exec 'Do my work' &
$ROOT/bin/claude 301 &
sh -c 'sleep 302; echo codex' &
wait
`, withoutFence)
	d.begin(1)
	d.until("both rows", func() bool { return len(d.violations("AGT-001")) == 2 })
	again := 3 * time.Second // looks, each of which sees both once more
	if long.Set {
		again = scopemonitor.Limit + time.Second
	}
	time.Sleep(again)
	rows := strings.Join(d.violations("AGT-001"), "\n")
	if strings.Count(rows, "\n") != 1 || !strings.Contains(rows, "): codex") || !strings.Contains(rows, "): claude") ||
		!strings.Contains(rows, "started an agent program (supervisor, turn 1, process ") {
		t.Errorf("rows:\n%s", rows)
	}
}
