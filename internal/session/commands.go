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

	"delegate/internal/atomicfile"
	"delegate/internal/channel"
	"delegate/internal/project"
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

// FromFile is who decided what COMMANDS.md says.
const FromFile = "COMMANDS.md"

// CommandText is a command in one line.
func CommandText(c channel.Command) string {
	return strings.Join(strings.Fields(strings.Join([]string{string(c.Verb), c.Agent, c.Text}, " ")), " ")
}
