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
	"delegate/internal/project"
)

// CommandsFile is where a person writes commands to the supervisor of a session.
func CommandsFile(p *project.Project, session string) string {
	return filepath.Join(p.Logs(session), "COMMANDS.md")
}

func StateFile(p *project.Project, session string) string {
	return filepath.Join(p.Logs(session), "EXECUTION_STATE.md")
}

// CommandBook remembers which lines of COMMANDS.md were handled. What is lost of it is read back
// from EXECUTION_STATE.md.
type CommandBook struct {
	Answers []channel.Answer  `json:"answers"`
	Waiting []channel.Command `json:"waiting"` // for a person's confirmation
}

func CommandBookFile(p *project.Project, session string) string {
	return filepath.Join(p.Private, "sessions", session, "orders.json")
}

func ReadCommands(p *project.Project, session string) (CommandBook, error) {
	var book CommandBook
	data, err := os.ReadFile(CommandBookFile(p, session))
	switch {
	case err == nil:
		return book, json.Unmarshal(data, &book)
	case !errors.Is(err, fs.ErrNotExist):
		return book, fmt.Errorf("read handled commands: %w", err)
	}
	public, err := os.ReadFile(StateFile(p, session))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return book, fmt.Errorf("read handled commands: %w", err)
	}
	book.Answers = channel.ReadAnswers(public)
	return book, nil
}

// ChangeCommands changes the book under its lock.
func ChangeCommands(ctx context.Context, p *project.Project, session string, change func(*CommandBook)) error {
	path := CommandBookFile(p, session)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("note handled commands: %w", err)
	}
	lock, err := atomicfile.Lock(ctx, path+".lock")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	book, err := ReadCommands(p, session)
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

func CommandText(c channel.Command) string {
	return strings.Join(strings.Fields(strings.Join([]string{string(c.Verb), c.Agent, c.Text}, " ")), " ")
}
