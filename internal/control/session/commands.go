package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/text/channel"
	"delegate/registry"
)

// CommandsFile is where a person writes commands to the supervisor of a session.
func CommandsFile(p *project.Project, session string) string {
	return filepath.Join(p.Logs(session), "COMMANDS.md")
}

// StateFile tells people what a session does.
func StateFile(p *project.Project, session string) string {
	return filepath.Join(p.Logs(session), "EXECUTION_STATE.md")
}

// CommandBook remembers which lines of COMMANDS.md were handled. What is lost of it is read back
// from EXECUTION_STATE.md.
type CommandBook struct {
	Answers []channel.Answer  `json:"answers"`
	Waiting []channel.Command `json:"waiting"` // for a person's confirmation
}

// CommandBookFile holds a session's CommandBook.
func CommandBookFile(p *project.Project, session string) string {
	return filepath.Join(p.Private, "sessions", session, "orders.json")
}

// ReadCommands is what was handled of a session's COMMANDS.md.
func ReadCommands(p *project.Project, session string) (CommandBook, error) {
	path := CommandBookFile(p, session)
	if _, err := os.Stat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return readFile[CommandBook](path)
	}
	public, err := os.ReadFile(StateFile(p, session))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return CommandBook{}, fmt.Errorf("read handled commands: %w", err)
	}
	return CommandBook{Answers: channel.ReadAnswers(public)}, nil
}

// ChangeCommands changes the book under its lock.
func ChangeCommands(ctx context.Context, p *project.Project, session string, change func(*CommandBook)) error {
	path := CommandBookFile(p, session)
	lock, err := lockFile(ctx, path)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	book, err := ReadCommands(p, session)
	if err != nil {
		return err
	}
	change(&book)
	return atomicfile.WriteJSON(path, book)
}

// Handled reports whether a line has its answer.
func (b *CommandBook) Handled(line string) bool {
	return slices.ContainsFunc(b.Answers, func(a channel.Answer) bool { return a.Line == line })
}

// Answer gives a line its answer, in place of an earlier one.
func (b *CommandBook) Answer(line, text string, now time.Time) {
	for i := range b.Answers {
		if b.Answers[i].Line == line {
			b.Answers[i].Text, b.Answers[i].At = text, now
			return
		}
	}
	b.Answers = append(b.Answers, channel.Answer{At: now, Line: line, Text: text})
}

// WhileActive calls write if the session is active. WriteLastState waits for it, so what it writes into the session's
// folder of the record is there before the command that ends the session has returned.
func WhileActive(ctx context.Context, p *project.Project, id string, write func(registry.State) error) error {
	lock, err := lockFile(ctx, filepath.Join(p.Private, "sessions", id, "record"))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	state, err := p.Store.View(ctx)
	if err != nil || state.Session == nil || state.Session.ID != id {
		return err
	}
	return write(state)
}

// WriteState writes the state file of an active session, with what waits for a person, if it would say something else.
func WriteState(ctx context.Context, p *project.Project, id string,
	waits func(registry.State) ([]string, error)) error {
	return WhileActive(ctx, p, id, func(state registry.State) error {
		if state.Stashed {
			return nil
		}
		view, err := executionState(p, state)
		if err != nil {
			return err
		}
		if view.Waits, err = waits(state); err != nil {
			return err
		}
		if len(view.Waits) > 0 {
			view.NextAction = "a person's answer: delegate review"
		}
		old, err := os.ReadFile(StateFile(p, id))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read execution state: %w", err)
		}
		if sameState(view, string(old)) {
			return nil
		}
		// the next look writes it anew where a power cut took it
		return atomicfile.WriteUnsynced(StateFile(p, id), []byte(view.Markdown()), 0o644)
	})
}

// WriteLastState writes into the state file of a session that has just ended that it is over; nobody writes it anew.
func WriteLastState(ctx context.Context, p *project.Project, id string) error {
	lock, err := lockFile(ctx, filepath.Join(p.Private, "sessions", id, "record"))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	now, err := p.Store.View(ctx)
	if _, missing := os.Lstat(StateFile(p, id)); err != nil || now.Stashed || missing != nil {
		return err
	}
	ended, err := p.Store.History(ctx, id)
	if err != nil {
		return err
	}
	view, err := executionState(p, ended)
	if err != nil {
		return err
	}
	view.LastAction, view.NextAction = "the session ended", "none"
	return atomicfile.WriteFile(StateFile(p, id), []byte(view.Markdown()), 0o644)
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

func executionState(p *project.Project, state registry.State) (channel.State, error) {
	book, err := ReadCommands(p, state.Session.ID)
	view := channel.State{
		Session: state.Session.ID, Status: string(state.Session.Status), Paused: state.Session.Paused != "",
		Updated: p.Now().UTC(), Answers: book.Answers, NextAction: "wait for the agents",
	}
	for _, a := range state.Agents {
		row := channel.Agent{ID: a.ID, Subtask: a.Subtask, Status: a.Word(), LastActivity: a.LastActivity,
			Notes: strings.Join(a.Flags.Words(), "; ")}
		if a.Progress != nil {
			row.Progress = fmt.Sprintf("%d%%", *a.Progress)
		}
		view.Agents = append(view.Agents, row)
	}
	if n := len(state.Events); n > 0 {
		e := state.Events[n-1]
		view.LastAction = strings.Join(strings.Fields(fmt.Sprintf("%s %s %s", e.Kind, e.Agent, e.Details)), " ")
	}
	return view, err
}

// FromFile is who decided what COMMANDS.md says.
const FromFile = "COMMANDS.md"

// CommandText is a command in one line.
func CommandText(c channel.Command) string {
	return strings.Join(strings.Fields(strings.Join([]string{string(c.Verb), c.Agent, c.Text}, " ")), " ")
}
