package transcript

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"delegate/checkpoint"
	"delegate/internal/project"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// Reader reads one turn's transcript as it grows.
type Reader struct {
	Turn   keeper.Turn
	Number int // of the turn
	Clock  Stopwatch
	Offset int64 // up to which the transcript was read, in bytes

	Last    *checkpoint.Item // the last valid block
	LastAt  time.Time        // it was printed no later than this
	Broken  *checkpoint.Item // the last block that does not count, if no valid one came after it
	Echoed  bool             // the block's form was printed with placeholders left in it
	BlockAt time.Duration    // what the clock showed when the last block was printed

	p        *project.Project
	agent    string
	worktree string
	model    string // that its subtask or profile names, "" if neither does
	scanner  *checkpoint.Scanner
	tests    *checkpoint.TestDetector
	found    []item    // not yet recorded
	hooked   bool      // its program asks our hook, which reports what it refuses
	refusals int       // by the program's own rules
	recorded int       // items of this turn that have their row
	counted  int       // items seen in this turn, echoes left out
	written  time.Time // when the transcript last grew
	done     bool      // a completion was seen
	usage    usage
	events   *events // of a program that prints events
	notes    notes
	said     said
	refused  refusedWrites
	screen   bool // it is a screen at which a person worked, in which nobody says anything
}

// item is one block of the transcript, or something that the program itself refused.
type item struct {
	checkpoint.Item
	late    bool   // an earlier completion of this turn counts
	refused string // the row of a refusal, "" for a block
}

// Open begins to read an agent's last turn, and goes on with its rows and its clock where an earlier supervisor ended.
// mono is a clock that only goes forward.
func Open(p *project.Project, session registry.Session, a registry.Agent, mono func() time.Duration) *Reader {
	r := &Reader{Turn: keeper.Turn{Dir: p.TurnDir(session.ID, a.ID, a.Turns)}, Number: a.Turns, p: p, agent: a.ID,
		worktree: a.Worktree,
		scanner:  checkpoint.NewScanner(a.ID),
		tests:    checkpoint.NewTestDetector(session.Verify...)}
	if a.Blocks.Turn == a.Turns {
		r.recorded = a.Blocks.Count
	}
	r.model = a.Model
	if profile, err := agent.Find(p.Config, a.Profile); err == nil {
		r.notes.pattern, r.hooked = profile.Notes, profile.Hook != nil
		if r.model == "" {
			r.model = cmp.Or(profile.DefaultModel, profile.PersonsModel())
		}
	}
	spec, err := r.Turn.Spec()
	if r.screen = err == nil && spec.Terminal; err == nil && spec.Output == dialect.EventLines {
		r.events = &events{decoder: dialect.Decoder{Now: p.Now, Given: spec.Conversation},
			before: usedBefore(p, session.ID, a)}
	}
	r.notes.home = agentdir.Dir(filepath.Join(p.AgentRoot(session.ID, a.ID), "home"))
	now := p.Now()
	if exit, err := r.Turn.Exit(); err == nil {
		now = exit.Ended
	}
	r.Clock = NewStopwatch(mono, Worked(r.Turn, now))
	if a.LastCheckpoint.After(a.RunningSince) {
		r.BlockAt = r.Clock.Worked - max(0, now.Sub(a.LastCheckpoint))
	}
	return r
}

// Read takes in what the transcript has grown by, a bounded amount at a time.
func (r *Reader) Read() error {
	const portion = 8 << 20
	file, err := os.Open(r.Turn.Output())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < r.Offset {
		// somebody cut the transcript off: what is there now is read from its beginning, what was seen stays recorded
		r.Offset = 0
	}
	if _, err := file.Seek(r.Offset, io.SeekStart); err != nil {
		return err
	}
	buffer := make([]byte, min(portion, max(0, info.Size()-r.Offset)))
	n, err := io.ReadFull(file, buffer)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return err
	}
	r.Offset += int64(n)
	r.written = info.ModTime()
	return errors.Join(r.feed(buffer[:n]), r.readNotes())
}

// Finish reads to the end of an ended turn.
func (r *Reader) Finish() error {
	for {
		before := r.Offset
		if err := r.Read(); err != nil {
			return err
		}
		if r.Offset == before {
			return r.end()
		}
	}
}

// scan takes the next words of the agent, and what of them is a block.
func (r *Reader) scan(piece []byte) {
	r.said.add(piece)
	r.add(r.scanner.Feed(piece), r.written)
}

// add takes in items that were printed no later than at.
func (r *Reader) add(items []checkpoint.Item, at time.Time) {
	for _, read := range items {
		seen := item{Item: read}
		switch {
		case read.Kind == checkpoint.Echo:
			r.Echoed = true
			continue
		case read.Quoted:
			if read.Kind == checkpoint.Valid {
				r.missed(read, `it stands in a quotation (">"), which repeats the words of somebody else`)
			}
			continue
		case read.Kind == checkpoint.OtherAgent:
			r.missed(read, "it is in the name of "+read.Block.Agent)
		case read.Kind == checkpoint.Valid:
			r.said.note(read, r.Last)
			r.Last, r.Broken, r.LastAt = &read, nil, at
			r.BlockAt = r.Clock.Worked
			if read.Block.Completion() {
				seen.late, r.done = r.done, true
			}
		case read.Kind == checkpoint.Malformed:
			r.Broken = &read
		}
		r.count(seen)
	}
}

// count takes an item in if it has no row yet.
func (r *Reader) count(i item) {
	if r.counted++; r.counted > r.recorded {
		r.found = append(r.found, i)
	}
}

// mostRefusals bounds the rows of what the program itself refused in one turn, which the limit of violations ends
// before.
const mostRefusals = 100

// addRefused takes in what the program itself refused. Where it asks our hook, the hook has reported the others.
func (r *Reader) addRefused(e dialect.Event) {
	if !e.Own && r.hooked || r.refusals == mostRefusals {
		return
	}
	r.refusals++
	words := r.words(strings.TrimSpace(e.Tool + " " + FirstLine(e.Text)))
	r.count(item{refused: fmt.Sprintf("refused (program, turn %d, %d): %s", r.Number, r.refusals, words)})
}

// missed takes in a block that is to be the agent's report only where it printed no other, and why it is none.
func (r *Reader) missed(read checkpoint.Item, why string) {
	if r.Last == nil && r.Broken == nil {
		read.Reason = fmt.Sprintf("line %d: %s", read.Line, why)
		r.Broken = &read
	}
}

// words are those of the agent as the record may have them.
func (r *Reader) words(text string) string {
	return r.p.Recorded(registry.Agent{Worktree: r.worktree}, text)
}

// TestsSeen reports whether the transcript shows that tests were run.
func (r *Reader) TestsSeen() bool { return r.tests.Seen() }

// Pending reports whether something was read that has no row yet.
func (r *Reader) Pending() bool { return len(r.found) > 0 }

// StepBlocks is the step of a turn, after its blocks were recorded, at which tests end the supervisor.
const StepBlocks = "turn: blocks recorded"

// Record writes one event for each block that has none, and with them how far it came.
func (r *Reader) Record(ctx context.Context) error {
	_, err := r.p.Store.Update(ctx, func(tx *registry.Tx) error {
		for _, i := range r.found {
			e, edit := r.event(i)
			if now, err := tx.State().Agent(r.agent); err != nil || now.Status != registry.Running {
				e.Kind, e.Details, edit = registry.EventLate, e.Details+"; not counted, it is "+string(now.Status), nil
			}
			if err := tx.Record(e, edit); err != nil {
				return err
			}
		}
		return tx.Edit(r.agent, func(a *registry.Agent) {
			a.Blocks = registry.Recorded{Turn: r.Number, Count: r.recorded + len(r.found)}
		})
	})
	if err != nil {
		return err
	}
	r.p.Step(StepBlocks)
	r.recorded += len(r.found)
	r.found = nil
	return nil
}

// event is the row for one item.
func (r *Reader) event(i item) (registry.Event, func(*registry.Agent)) {
	e := registry.Event{Kind: registry.EventCheckpoint, Agent: r.agent, By: r.agent}
	if i.refused != "" {
		e.Kind, e.By, e.Details = registry.EventViolation, string(registry.Supervisor), i.refused
		return e, (*registry.Agent).AddViolation
	}
	at := fmt.Sprintf("turn %d, line %d", r.Number, i.Line)
	activity := func(a *registry.Agent) { a.LastActivity = time.Now().UTC() }
	switch i.Kind {
	case checkpoint.OtherAgent:
		e.Kind, e.By = registry.EventViolation, string(registry.Supervisor)
		e.Details = fmt.Sprintf("%s: printed a block in the name of %s", at, i.Block.Agent)
		return e, (*registry.Agent).AddViolation
	case checkpoint.Malformed:
		e.Kind, e.By = registry.EventLate, string(registry.Supervisor)
		e.Details = fmt.Sprintf("%s: malformed block, not counted: %s", at, r.words(i.Reason))
		return e, func(a *registry.Agent) { a.Errors++ }
	}
	if i.late {
		e.Kind = registry.EventLate
		e.Details = at + ": a second completion, ignored"
		return e, activity
	}
	e.Details = at + ": " + r.words(BlockText(i.Block))
	return e, func(a *registry.Agent) {
		activity(a)
		a.Checkpoints++
		a.LastCheckpoint = a.LastActivity
		if progress := i.Block.Progress; progress >= 0 {
			a.Progress = &progress
		}
		a.Flags = a.Flags.Without(registry.FlagOverdue)
	}
}
