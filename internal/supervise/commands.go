package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/text/channel"
	"delegate/internal/turn/keeper"
	"delegate/internal/view/status"
	"delegate/registry"
)

// untouchedFor is how long a file must have been left alone until a last line without its end counts.
const untouchedFor = 2 * time.Second

// largestCommands bounds how much of COMMANDS.md is read.
const largestCommands = 1 << 20

// takeCommands begins to handle COMMANDS.md if it changed, and writes the state file where the registry did.
func (s *supervisor) takeCommands(ctx context.Context) {
	if s.busy[lane{"", ofSession}] != nil {
		return
	}
	id := s.state.Session.ID
	now := session.SignatureOf(session.CommandsFile(s.p, id))
	untouched := now != (session.Signature{}) && time.Since(now.Time) > untouchedFor
	if now != s.commandsSeen || untouched && s.commandsOpen {
		s.commandsSeen, s.commandsOpen = session.Signature{}, false // once more, unless it is handled
		open := false
		s.begin(lane{"", ofSession}, "handle commands of the", func(s snapshot) (err error) {
			open, err = s.handleCommands(ctx, untouched)
			return errors.Join(err, s.writeState(ctx))
		}).then = func() { s.commandsSeen, s.commandsOpen = now, open }
		return
	}
	if shows := [2]session.Signature{s.seen,
		session.SignatureOf(session.CommandBookFile(s.p, id))}; s.stateSeen != shows {
		s.stateSeen = shows
		s.begin(lane{"", ofSession}, "write the state of the", func(s snapshot) error {
			return s.writeState(ctx)
		}).silent = true
	}
}

// handleCommands handles each line of the file once. It reports whether the last line may still be being typed.
func (s snapshot) handleCommands(ctx context.Context, untouched bool) (open bool, err error) {
	id := s.state.Session.ID
	data, err := atomicfile.ReadRegular(session.CommandsFile(s.p, id), largestCommands)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, s.answer(ctx, session.FromFile, "not read: "+err.Error())
	}
	if untouched {
		data = append(data, '\n')
	}
	commands, faults, open := channel.Parse(data)
	book, err := session.ReadCommands(s.p, id)
	if err != nil {
		return open, err
	}
	for len(commands)+len(faults) > 0 {
		if len(commands) == 0 || len(faults) > 0 && faults[0].Line < commands[0].Line {
			f := faults[0]
			faults = faults[1:]
			line := cmp.Or(strings.TrimSpace(f.Raw), fmt.Sprintf("line %d", f.Line))
			if !book.Handled(line) {
				err = s.answer(ctx, line, "not understood: "+f.Problem)
			}
		} else {
			c := commands[0]
			commands = commands[1:]
			if !book.Handled(c.Raw) {
				book.Answer(c.Raw, "", s.p.Now()) // the same line may follow
				err = s.obeyOnce(ctx, c)
			}
		}
		if err != nil {
			return open, err
		}
	}
	return open, nil
}

// obeyOnce notes a command before it has it carried out, so that it is never obeyed twice.
func (s snapshot) obeyOnce(ctx context.Context, c channel.Command) error {
	if err := s.answer(ctx, c.Raw, "taken, its outcome is not known"); err != nil {
		return err
	}
	text, err := s.obey(ctx, c)
	if err != nil {
		text = "not done: " + err.Error()
	}
	s.note("command "+c.Raw, err)
	return s.answer(ctx, c.Raw, text)
}

func (s snapshot) answer(ctx context.Context, line, text string) error {
	return session.ChangeCommands(ctx, s.p, s.state.Session.ID,
		func(b *session.CommandBook) { b.Answer(line, text, s.p.Now().UTC()) })
}

// obey has a line carried out and answers it. Where an agent could have written it, what would harm others waits for
// a person.
func (s snapshot) obey(ctx context.Context, c channel.Command) (string, error) {
	harmless := c.Verb == channel.Pause || c.Verb == channel.Resume || c.Verb == channel.Status
	if harmless || s.allFenced() {
		return s.o.Obey(ctx, s.p, c)
	}
	err := session.ChangeCommands(ctx, s.p, s.state.Session.ID,
		func(b *session.CommandBook) { b.Waiting = append(b.Waiting, c) })
	if err == nil {
		_, err = s.p.Store.Update(ctx, func(tx *registry.Tx) error {
			return tx.Record(registry.Event{Kind: registry.EventEscalated, By: session.BySupervisor,
				Details: session.FromFile + " asks for a confirmation: " + session.CommandText(c)}, nil)
		})
	}
	return "waits for your confirmation: delegate review", err
}

// allFenced reports whether every turn of the session was held back from the file by the kernel.
func (s snapshot) allFenced() bool {
	if s.state.Session.Sandbox != "" || !s.p.Support().Fenced() {
		return false
	}
	for _, a := range s.state.Agents {
		for n := 1; n <= a.Turns; n++ {
			record, err := keeper.Turn{Dir: s.p.TurnDir(s.state.Session.ID, a.ID, n)}.Record()
			if errors.Is(err, fs.ErrNotExist) {
				continue // it never had a program
			}
			if err != nil || record.Fence == nil {
				return false
			}
		}
	}
	return true
}

// inTurn is the order in which agents get a free slot.
func inTurn(agents []registry.Agent) []registry.Agent {
	sorted := slices.Clone(agents)
	slices.SortStableFunc(sorted, func(x, y registry.Agent) int { return front(x) - front(y) })
	return sorted
}

func front(a registry.Agent) int {
	if a.Flags.Has(registry.FlagFocus) {
		return 0
	}
	return 1
}

// writeState writes EXECUTION_STATE.md if it would say something else.
func (s snapshot) writeState(ctx context.Context) error {
	return session.WriteState(ctx, s.p, s.state.Session.ID, func(state registry.State) ([]string, error) {
		var waits []string
		points, err := status.Points(s.p, state)
		for _, w := range points {
			waits = append(waits, state.WithNames(w.Line()))
		}
		return waits, err
	})
}
