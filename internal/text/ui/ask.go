package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/AlecAivazis/survey/v2"
	"github.com/AlecAivazis/survey/v2/terminal"
)

// keys reads what the person types, for as long as the context lives.
// It keeps the error that ended it, because the prompt library mixes it up with escape sequences it does not know.
type keys struct {
	ctx      context.Context
	terminal *Terminal
	err      error
}

func restored(err error) error {
	if err != nil {
		return fmt.Errorf("restore terminal mode: %w", err)
	}
	return nil
}

// Choose asks a question that one of the answers' words answers, and returns that word.
// The person types the word, or as much of it as fits no other, in any case, and Enter;
// the arrows work as well. Enter alone means the fallback, which has to be the harmless answer.
// Text that fits no word, or several, chooses nothing.
// What was typed before the question appeared is thrown away.
//
// Errors, wrapped: ErrNotTerminal, Nobody, ErrInterrupted for Ctrl-C, ErrClosed for Ctrl-D and for a terminal that went
// away, ErrFlooded, or why the context ended (on Windows that is noticed after the next key).
// No error ever comes with an answer.
func (t *Terminal) Choose(ctx context.Context, question string, answers []Answer, fallback string) (string, error) {
	question = plainLine(question)
	c, err := newChoice(answers, fallback)
	if err != nil {
		return "", fmt.Errorf("ask %q: %w", question, err)
	}
	keys, err := t.open(ctx)
	if err != nil {
		return "", fmt.Errorf("ask %q: %w", question, err)
	}
	var word string
	prompt := &list{question: question, choice: c, style: t.Style, keys: keys, out: t.out}
	if err := survey.AskOne(prompt, &word, survey.WithStdio(keys, t.out, t.errw)); err != nil {
		return "", fmt.Errorf("ask %q: %w", question, err)
	}
	return word, nil
}

// Line asks for one line of text and returns it without blanks around it and cleaned as Clean does.
// An empty line is asked for again. What was typed before the question appeared counts: it is prose, and no yes.
// Errors are those of Choose.
func (t *Terminal) Line(ctx context.Context, question string) (string, error) {
	for {
		if line, err := t.prose(ctx, question, keepTyped); err != nil || line != "" {
			return line, err
		}
		fmt.Fprintln(t.out, "That is empty. Type a line, then Enter, or leave with Ctrl-C, which changes nothing.")
	}
}

// OptionalLine is Line for what may be left out: an empty line is an answer, and what was typed before is thrown away.
func (t *Terminal) OptionalLine(ctx context.Context, question string) (string, error) {
	return t.prose(ctx, question, func(in *os.File) error { return discardTyped(in, 0) })
}

func keepTyped(*os.File) error { return nil }

// prose asks until the line is not too long. The function decides about what was typed before.
func (t *Terminal) prose(ctx context.Context, question string, before func(*os.File) error) (string, error) {
	question = plainLine(question)
	for {
		line, err := t.line(ctx, question, before)
		if err != nil {
			return "", fmt.Errorf("ask %q: %w", question, err)
		}
		if len(line) >= longestLine {
			fmt.Fprintf(t.out, "That line is too long, and the terminal may have lost its end; keep it below %d "+
				"bytes.\n", longestLine)
			continue
		}
		return strings.TrimSpace(plainLine(line)), nil
	}
}

// line asks once.
func (t *Terminal) line(ctx context.Context, question string, before func(*os.File) error) (line string, err error) {
	keys, err := t.open(ctx)
	if err != nil {
		return "", err
	}
	restore, err := lineMode(t.in)
	if err != nil {
		return "", fmt.Errorf("set terminal mode: %w", err)
	}
	defer func() { err = errors.Join(err, restore()) }()
	if err := before(t.in); err != nil {
		return "", err
	}
	if _, err := fmt.Fprintf(t.out, "%s %s ", t.Green("?"), t.Bold(question)); err != nil {
		return "", fmt.Errorf("write the question: %w", err)
	}
	var read []byte
	buffer := make([]byte, longestLine+1)
	for {
		n, err := keys.Read(buffer)
		read = append(read, buffer[:n]...)
		if strings.ContainsRune(string(read), terminal.KeyInterrupt) {
			fmt.Fprintln(t.out)
			return "", ErrInterrupted
		}
		if err != nil {
			return "", err
		}
		if text, ended := strings.CutSuffix(string(read), "\n"); ended {
			return strings.TrimSuffix(text, "\r"), nil
		}
	}
}

// open checks that a person can be asked.
func (t *Terminal) open(ctx context.Context) (*keys, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := t.Person(); err != nil {
		return nil, err
	}
	return &keys{ctx: ctx, terminal: t}, nil
}

// Fd is the file's descriptor, by which the prompt library sets the terminal's mode.
func (k *keys) Fd() uintptr { return k.terminal.in.Fd() }

// Read waits for what is typed. The end of the input is ErrClosed.
func (k *keys) Read(p []byte) (int, error) {
	if k.err != nil {
		return 0, k.err
	}
	if k.err = awaitInput(k.ctx, k.terminal.in); k.err != nil {
		return 0, k.err
	}
	n, err := k.terminal.in.Read(p)
	k.terminal.read = time.Now()
	switch {
	case errors.Is(err, io.EOF):
		k.err = ErrClosed
	case err != nil:
		k.err = fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return n, k.err
}

// list is a prompt of the library's kind: it uses its keys and its drawing,
// and decides itself which key answers what,
// since the library's own list takes the end of the input for an answer
// and lets the highlight wander off the default when typed text is taken back.
type list struct {
	survey.Renderer
	question string
	choice   choice
	style    Style
	keys     *keys
	out      *os.File
}

// Prompt asks until there is an answer, and returns its word.
func (l *list) Prompt(config *survey.PromptConfig) (answer any, err error) {
	reader := l.NewRuneReader()
	if err := reader.SetTermMode(); err != nil {
		return nil, fmt.Errorf("set terminal mode: %w", err)
	}
	defer func() { err = errors.Join(err, restored(reader.RestoreTermMode())) }()
	if err := discardTyped(l.keys.terminal.in, time.Since(l.keys.terminal.read)); err != nil {
		return nil, err
	}
	for {
		if err := l.draw(config, l.choice.typed+"\n"+l.choice.lines(l.style, l.width())); err != nil {
			return nil, err
		}
		key, _, err := reader.ReadRune()
		if ended := l.keys.ended(err); ended != nil {
			return nil, ended
		}
		switch {
		case err != nil: // an escape sequence that the library does not know
		case key == terminal.KeyInterrupt:
			return nil, ErrInterrupted
		case key == terminal.KeyEndTransmission:
			return nil, ErrClosed
		case (key == terminal.KeyEnter || key == '\n') && l.choice.chosen() != none:
			return l.choice.answers[l.choice.chosen()].Word, nil
		default:
			l.choice = l.choice.press(key)
		}
	}
}

// width is that of the terminal, anew for each drawing: it may have changed.
func (l *list) width() int { return (&Terminal{out: l.out}).Width() }

// Cleanup replaces the list by the question and its answer.
func (l *list) Cleanup(config *survey.PromptConfig, answer any) error {
	return l.draw(config, fmt.Sprintln(answer))
}

// draw shows the question with text after it in place of what was shown before.
func (l *list) draw(config *survey.PromptConfig, text string) error {
	icon := l.style.Green(config.Icons.Question.Text)
	if err := l.Render("{{.}}", icon+" "+l.style.Bold(l.question)+" "+text); err != nil {
		return fmt.Errorf("write the question: %w", err)
	}
	return nil
}
