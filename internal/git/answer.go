package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"delegate/internal/run"
)

// AnswerError says that git ended well and answered something that is no answer to what it was
// asked: mostly nothing at all.
type AnswerError struct {
	Command string // as in "git write-tree"
	Answer  string
}

func (e *AnswerError) Error() string { return fmt.Sprintf("%s answered %.200q", e.Command, e.Answer) }

// odd is the *AnswerError of a call.
func odd(args []string, answer string) error {
	return &AnswerError{Command: run.Command{Path: "git", Args: args}.Name(), Answer: answer}
}

// isFullID says whether the name is a whole object id: no other text is ever taken for one.
func isFullID(name string) bool {
	return (len(name) == 40 || len(name) == 64) && strings.Trim(name, "0123456789abcdef") == ""
}

// id is the one object id that git answers with.
func (r *Repo) id(ctx context.Context, c call) (string, error) {
	out, err := r.do(ctx, c)
	if err != nil {
		return "", err
	}
	id, ended := strings.CutSuffix(string(out), "\n")
	if !ended || !isFullID(id) {
		return "", odd(c.args, string(out))
	}
	return id, nil
}

// readID is id for a call that changes nothing.
func (r *Repo) readID(ctx context.Context, args ...string) (string, error) {
	return r.id(ctx, call{args: args, reads: true})
}

// line is read for an answer of one line, which may be an empty line but not nothing.
func (r *Repo) line(ctx context.Context, args ...string) (string, error) {
	return oneLine(ctx, r.command(call{args: args, reads: true}))
}

func oneLine(ctx context.Context, c run.Command) (string, error) {
	out, err := output(ctx, call{reads: true}, c)
	if err != nil {
		return "", err
	}
	line, ended := strings.CutSuffix(string(out), "\n")
	if !ended {
		return "", odd(c.Args, string(out))
	}
	return line, nil
}

// lines is read for an answer of lines, or of none.
func (r *Repo) lines(ctx context.Context, args ...string) ([]string, error) {
	out, err := r.read(ctx, args...)
	if err != nil {
		return nil, err
	}
	return split(args, out, "\n")
}

// ids is lines for object ids.
func (r *Repo) ids(ctx context.Context, c call) ([]string, error) {
	out, err := r.do(ctx, c)
	if err != nil {
		return nil, err
	}
	all, err := split(c.args, out, "\n")
	for _, id := range all {
		if !isFullID(id) {
			return nil, odd(c.args, id)
		}
	}
	return all, err
}

// split takes an answer apart in which every part has its end.
func split(args []string, out []byte, end string) ([]string, error) {
	if len(out) == 0 {
		return nil, nil
	}
	text, ended := strings.CutSuffix(string(out), end)
	if !ended {
		return nil, odd(args, text[strings.LastIndex(text, end)+1:])
	}
	return strings.Split(text, end), nil
}

// fields are those of a -z answer that cannot be empty.
func (r *Repo) fields(ctx context.Context, c call) ([]string, error) {
	out, err := r.do(ctx, c)
	all := fields(out)
	if err == nil && len(all) == 0 {
		err = odd(c.args, string(out))
	}
	return all, err
}

// fields splits a -z answer; the terminator of the last field does not make an empty one.
func fields(out []byte) []string {
	out = bytes.TrimSuffix(out, []byte{0})
	if len(out) == 0 {
		return nil
	}
	return strings.Split(string(out), "\x00")
}

// answer is a -z answer of git that is read field by field.
type answer struct{ *bufio.Reader }

// field reads up to the next NUL or the end of the answer; io.EOF if nothing is left.
func (a answer) field() (string, error) {
	text, err := a.ReadString(0)
	if errors.Is(err, io.EOF) && text != "" {
		return text, nil
	}
	return strings.TrimSuffix(text, "\x00"), err
}

// next is a field that must be there.
func (a answer) next() (string, error) {
	text, err := a.field()
	if errors.Is(err, io.EOF) {
		return "", io.ErrUnexpectedEOF
	}
	return text, err
}

// wrap is the error with the operation before it, nil for none.
func wrap(err error, operation string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(operation+": %w", append(args, err)...)
}
