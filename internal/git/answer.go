package git

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"delegate/internal/sys/run"
)

// isWord says whether git's line-based input takes a revision for just that.
func isWord(revision string) bool {
	blank := func(c rune) bool { return c <= ' ' || c == 0x7f }
	return revision != "" && revision[0] != '-' && strings.IndexFunc(revision, blank) < 0
}

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

// split takes an answer apart in which every line has its end.
func split(args []string, out []byte) ([]string, error) {
	if len(out) == 0 {
		return nil, nil
	}
	text, ended := strings.CutSuffix(string(out), "\n")
	if !ended {
		return nil, odd(args, text[strings.LastIndex(text, "\n")+1:])
	}
	return strings.Split(text, "\n"), nil
}

// fields splits a -z answer; the terminator of the last field does not make an empty one.
func fields(out []byte) []string {
	out = bytes.TrimSuffix(out, []byte{0})
	if len(out) == 0 {
		return nil
	}
	return strings.Split(string(out), "\x00")
}

// answer is a -z answer of git that is read field by field. Its first fault stays in err, and every field after it is
// empty.
type answer struct {
	*bufio.Reader
	err error
}

// more says whether the answer has another field.
func (a *answer) more() bool {
	_, err := a.Peek(1)
	if err != nil && !errors.Is(err, io.EOF) {
		a.err = cmp.Or(a.err, err)
	}
	return err == nil && a.err == nil
}

// next is a field that must be there.
func (a *answer) next() string {
	if a.err != nil {
		return ""
	}
	text, err := a.ReadString(0)
	if errors.Is(err, io.EOF) && text == "" {
		a.err = io.ErrUnexpectedEOF
	} else if err != nil && !errors.Is(err, io.EOF) {
		a.err = err
	}
	return strings.TrimSuffix(text, "\x00")
}

// odd says that what was read is not what was asked for.
func (a *answer) odd(of, record string) {
	if a.err == nil {
		a.err = fmt.Errorf("%s %q", of, record)
	}
}

// wrap is the error with the operation before it, nil for none.
func wrap(err error, operation string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(operation+": %w", append(args, err)...)
}

// quoted writes a path in the C quotes of git's lists.
func quoted(p string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(p) {
		if c := p[i]; c < 0x20 || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// quotePath writes a path as git's line-based input takes it: plain, or in C quotes if it holds something odd.
func quotePath(p string) string {
	if !strings.ContainsAny(p, "\n\r\"\\\t") {
		return p
	}
	return quoted(p)
}

// records joins fields for git's -z input.
func records(all []string) io.Reader {
	if len(all) == 0 {
		return strings.NewReader("")
	}
	return strings.NewReader(strings.Join(all, "\x00") + "\x00")
}

// asLines is the input that names objects.
func asLines(ids []string) io.Reader { return strings.NewReader(strings.Join(ids, "\n") + "\n") }

// revisions is git's line-based input for what some commits reach and others do not.
func revisions(from, below []string) io.Reader {
	var input strings.Builder
	for _, id := range from {
		input.WriteString(id + "\n")
	}
	for _, id := range below {
		input.WriteString("^" + id + "\n")
	}
	return strings.NewReader(input.String())
}

// offline is the environment that keeps git from fetching the missing objects of a partial clone: ids come from agents.
func offline() []string { return []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"} }
