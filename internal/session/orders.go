package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/atomicfile"
	"delegate/internal/channel"
	"delegate/internal/keeper"
	"delegate/internal/project"
	"delegate/registry"
)

// whole is the key under which steps for the whole session are under way.
const whole = "session"

// CommandsFile is where a person writes commands to the supervisor of a session.
func CommandsFile(p *project.Project, session string) string {
	return filepath.Join(p.Logs(session), "COMMANDS.md")
}

func stateFile(p *project.Project, session string) string {
	return filepath.Join(p.Logs(session), "EXECUTION_STATE.md")
}

// ordersBook remembers which lines of COMMANDS.md were handled. What is lost of it is read back
// from EXECUTION_STATE.md.
type ordersBook struct {
	Answers []channel.Answer  `json:"answers"`
	Waiting []channel.Command `json:"waiting"` // for a person's confirmation
}

func bookFile(p *project.Project, session string) string {
	return filepath.Join(p.Private, "sessions", session, "orders.json")
}

func readBook(p *project.Project, session string) (ordersBook, error) {
	var book ordersBook
	data, err := os.ReadFile(bookFile(p, session))
	switch {
	case err == nil:
		return book, json.Unmarshal(data, &book)
	case !errors.Is(err, fs.ErrNotExist):
		return book, fmt.Errorf("read handled commands: %w", err)
	}
	public, err := os.ReadFile(stateFile(p, session))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return book, fmt.Errorf("read handled commands: %w", err)
	}
	book.Answers = channel.ReadAnswers(public)
	return book, nil
}

// changeBook changes the book under its lock.
func changeBook(ctx context.Context, p *project.Project, session string, change func(*ordersBook)) error {
	path := bookFile(p, session)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("note handled commands: %w", err)
	}
	lock, err := atomicfile.Lock(ctx, path+".lock")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	book, err := readBook(p, session)
	if err != nil {
		return err
	}
	change(&book)
	data, err := json.Marshal(book)
	if err != nil {
		return fmt.Errorf("note handled commands: %w", err)
	}
	return atomicfile.WriteFile(path, data, 0o600)
}

func (b *ordersBook) handled(line string) bool {
	return slices.ContainsFunc(b.Answers, func(a channel.Answer) bool { return a.Line == line })
}

// answer gives a line its answer, in place of an earlier one.
func (b *ordersBook) answer(line, text string, now time.Time) {
	for i := range b.Answers {
		if b.Answers[i].Line == line {
			b.Answers[i].Text, b.Answers[i].At = text, now
			return
		}
	}
	b.Answers = append(b.Answers, channel.Answer{At: now, Line: line, Text: text})
}

// settleTime is how long a file must have been left alone until a last line without its end counts.
const settleTime = 2 * time.Second

// largestOrders bounds how much of COMMANDS.md is read.
const largestOrders = 1 << 20

// takeOrders begins to handle COMMANDS.md if it changed, and writes the state file where the registry did.
func (s *supervisor) takeOrders(ctx context.Context) {
	if s.busy[whole] != nil {
		return
	}
	id := s.state.Session.ID
	now := signatureOf(CommandsFile(s.p, id))
	settled := now != (signature{}) && time.Since(now.time) > settleTime
	if now != s.ordersSeen || settled && s.ordersOpen {
		s.ordersSeen, s.ordersOpen = now, false
		s.begin(registry.Agent{ID: whole}, "handle commands of the", func(fixed *supervisor) error {
			open, err := fixed.handleOrders(ctx, settled)
			if s.ordersOpen = open; err != nil {
				s.ordersSeen = signature{} // once more
			}
			return errors.Join(err, fixed.writeState(ctx))
		})
		return
	}
	if shows := [2]signature{s.seen, signatureOf(bookFile(s.p, id))}; s.stateSeen != shows {
		s.stateSeen = shows
		s.begin(registry.Agent{ID: whole}, "write the state of the", func(fixed *supervisor) error {
			return fixed.writeState(ctx)
		}).silent = true
	}
}

// handleOrders handles each line of the file once. It reports whether the last line may still be being typed.
func (s *supervisor) handleOrders(ctx context.Context, settled bool) (open bool, err error) {
	id := s.state.Session.ID
	data, err := atomicfile.ReadRegular(CommandsFile(s.p, id), largestOrders)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, s.answer(ctx, fromFile, "not read: "+err.Error())
	}
	if settled {
		data = append(data, '\n')
	}
	commands, faults, open := channel.Parse(data)
	book, err := readBook(s.p, id)
	if err != nil {
		return open, err
	}
	for _, f := range faults {
		if line := orElse(f.Raw, fmt.Sprintf("line %d", f.Line)); !book.handled(line) {
			if err := s.answer(ctx, line, "not understood: "+f.Problem); err != nil {
				return open, err
			}
		}
	}
	for _, c := range commands {
		if book.handled(c.Raw) {
			continue
		}
		// Noted before it is obeyed: a command is never obeyed twice.
		if err := s.answer(ctx, c.Raw, "taken, its outcome is not known"); err != nil {
			return open, err
		}
		text, err := s.obey(ctx, c)
		if err != nil {
			text = "not done: " + err.Error()
		}
		s.note("command "+c.Raw, err)
		if err := s.answer(ctx, c.Raw, text); err != nil {
			return open, err
		}
	}
	return open, nil
}

func (s *supervisor) answer(ctx context.Context, line, text string) error {
	return changeBook(ctx, s.p, s.state.Session.ID, func(b *ordersBook) { b.answer(line, text, s.p.Now().UTC()) })
}

// fromFile is who decided what COMMANDS.md says.
const fromFile = "COMMANDS.md"

// obey has a line carried out and answers it. Where an agent could have written it, what would harm others waits for
// a person.
func (s *supervisor) obey(ctx context.Context, c channel.Command) (string, error) {
	harmless := c.Verb == channel.Pause || c.Verb == channel.Resume || c.Verb == channel.Status
	if harmless || s.allFenced() {
		return s.o.Obey(ctx, s.p, c)
	}
	err := changeBook(ctx, s.p, s.state.Session.ID, func(b *ordersBook) { b.Waiting = append(b.Waiting, c) })
	if err == nil {
		_, err = s.p.Store.Update(ctx, func(tx *registry.Tx) error {
			return tx.Record(registry.Event{Kind: registry.EventEscalated, By: bySupervisor,
				Details: fromFile + " asks for a confirmation: " + orderText(c)}, nil)
		})
	}
	return "waits for your confirmation: delegate review", err
}

// allFenced reports whether every turn of the session was held back from the file by the kernel.
func (s *supervisor) allFenced() bool {
	if s.state.Session.Sandbox != "" || !s.kernel.Fenced() {
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

func either(which bool, yes, no string) string {
	if which {
		return yes
	}
	return no
}

func orderText(c channel.Command) string {
	return strings.Join(strings.Fields(strings.Join([]string{string(c.Verb), c.Agent, c.Text}, " ")), " ")
}

// Decision is a person's answer to a command that waited for them.
type Decision int

// The decisions.
const (
	Decline Decision = iota
	CarryOut
)

// Confirm carries out a command of COMMANDS.md that waited for the person, or drops it, once. It
// answers what came of it.
func (c Control) Confirm(ctx context.Context, order channel.Command, d Decision) (string, error) {
	state, err := c.Current(ctx)
	if err != nil {
		return "", err
	}
	waited := false
	err = changeBook(ctx, c.P, state.Session.ID, func(b *ordersBook) {
		before := len(b.Waiting)
		b.Waiting = slices.DeleteFunc(b.Waiting, func(w channel.Command) bool { return w.Raw == order.Raw })
		if waited = len(b.Waiting) < before; waited {
			b.answer(order.Raw, "taken by "+c.Who+", its outcome is not known", c.P.Now().UTC())
		}
	})
	if err != nil || !waited {
		return "it was answered already", err
	}
	text := "declined"
	if d == CarryOut {
		if text, err = c.carryOut(ctx, state, order); err != nil {
			text = "not done: " + err.Error()
		}
	}
	return text, changeBook(ctx, c.P, state.Session.ID, func(b *ordersBook) {
		b.answer(order.Raw, text+" (by "+c.Who+")", c.P.Now().UTC())
	})
}

// Obey carries out a line of COMMANDS.md and answers what came of it.
func Obey(ctx context.Context, p *project.Project, order channel.Command) (string, error) {
	c := Control{P: p, Who: fromFile}
	state, err := c.Current(ctx)
	if err != nil {
		return "", err
	}
	return c.carryOut(ctx, state, order)
}

func (c Control) carryOut(ctx context.Context, state registry.State, order channel.Command) (string, error) {
	switch order.Verb {
	case channel.Pause:
		changed, err := c.Pause(ctx)
		return either(changed, "paused: running turns end, none is started", "it was paused already"), err
	case channel.Resume:
		changed, err := c.Unpause(ctx)
		return either(changed, "turns are started again", "it was not paused"), err
	case channel.Status:
		return "this file is up to date", nil
	}
	switch {
	case order.Verb == channel.Abort && order.Agent != "":
		a, err := c.Abort(ctx, order.Agent, orElse(order.Text, fromFile))
		return a.ID + " is ABORTED, its work is kept", err
	case order.Verb == channel.Abort:
		err := c.AbortSession(ctx, fromFile)
		return "every agent is ABORTED, their work is kept; close the session with delegate sync abort", err
	case order.Agent != "":
		a, err := c.Focus(ctx, order.Agent)
		return a.ID + " is at the front of the queue", err
	}
	told := 0
	for _, a := range state.Agents {
		if a.Status == registry.Complete || a.Status == registry.Failed || a.Status.Ended() {
			continue
		}
		if err := c.say(ctx, state.Session.ID, a.ID, order.Text); err != nil {
			return "", err
		}
		told++
	}
	return fmt.Sprintf("queued for %d agents", told), nil
}

// Focus moves an agent to the front of the queue of those that wait for a slot.
func (c Control) Focus(ctx context.Context, id string) (registry.Agent, error) {
	a, _, err := c.find(ctx, id)
	if err != nil {
		return a, err
	}
	return c.update(ctx, a.ID, func(tx *registry.Tx) error {
		for _, other := range tx.State().Agents {
			if other.ID != a.ID && other.Flags.Has(registry.FlagFocus) {
				if err := tx.Edit(other.ID, func(a *registry.Agent) {
					a.Flags = a.Flags.Without(registry.FlagFocus)
				}); err != nil {
					return err
				}
			}
		}
		e := registry.Event{Kind: registry.EventMessage, Agent: a.ID, Details: "moved to the front of the queue",
			By: c.Who}
		return tx.Record(e, func(a *registry.Agent) { a.Flags = a.Flags.With(registry.FlagFocus.Flag()) })
	})
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
func (s *supervisor) writeState(ctx context.Context) error {
	state, err := s.p.Store.View(ctx)
	if err != nil || state.Session == nil {
		return err
	}
	book, err := readBook(s.p, state.Session.ID)
	if err != nil {
		return err
	}
	path := stateFile(s.p, state.Session.ID)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read execution state: %w", err)
	}
	waits, err := Points(s.p, state)
	if err != nil {
		return err
	}
	view := s.executionState(state, book.Answers, waits)
	if sameState(view, string(old)) {
		return nil
	}
	return putState(path, view)
}

func putState(path string, view channel.State) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write execution state: %w", err)
	}
	return atomicfile.WriteFile(path, []byte(view.Markdown()), 0o644)
}

// writeLastState leaves a state file that says that the session is over.
func (s *supervisor) writeLastState() error {
	if s.last.Session == nil {
		return nil
	}
	ended := s.last
	s.last = registry.State{}
	book, err := readBook(s.p, ended.Session.ID)
	if err != nil {
		return err
	}
	view := s.executionState(ended, book.Answers, nil)
	view.Supervisor, view.LastAction, view.NextAction = "none", "the session ended", "none"
	for _, a := range s.state.Archived {
		if a.ID == ended.Session.ID {
			view.Status = string(a.Status)
		}
	}
	return putState(stateFile(s.p, ended.Session.ID), view)
}

// sameState compares without the time of writing.
func sameState(view channel.State, old string) bool {
	drop := func(text string) string {
		before, rest, _ := strings.Cut(text, "**Updated**")
		_, after, _ := strings.Cut(rest, "\n")
		return before + after
	}
	return drop(view.Markdown()) == drop(old)
}

func (s *supervisor) executionState(state registry.State, answers []channel.Answer,
	waits []Point) channel.State {
	view := channel.State{
		Session: state.Session.ID, Status: string(state.Session.Status), Paused: state.Session.Paused != "",
		Supervisor: fmt.Sprintf("pid %d", os.Getpid()), Updated: s.p.Now().UTC(), Answers: answers,
		NextAction: "wait for the agents",
	}
	for _, a := range state.Agents {
		view.Agents = append(view.Agents, channel.Agent{
			ID: a.ID, Subtask: a.Subtask, Status: string(a.Status), Progress: progress(a), LastActivity: a.LastActivity,
			Notes: a.Flags.String(),
		})
	}
	for _, w := range waits {
		view.Waits = append(view.Waits, w.Line())
	}
	if n := len(state.Events); n > 0 {
		e := state.Events[n-1]
		view.LastAction = strings.Join(strings.Fields(fmt.Sprintf("%s %s %s", e.Kind, e.Agent, e.Details)), " ")
	}
	if len(view.Waits) > 0 {
		view.NextAction = "a person's answer: delegate review"
	}
	return view
}

// progress is what the agent's last block said of itself, "" if it said nothing.
func progress(a registry.Agent) string {
	if a.Progress == nil {
		return ""
	}
	return fmt.Sprintf("%d%%", *a.Progress)
}
