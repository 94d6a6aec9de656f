package status

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"delegate/internal/project"
)

// AttachOptions are the two ends of an attached terminal.
type AttachOptions struct {
	In    io.Reader
	Out   io.Writer
	Notes io.Writer
	Send  func(context.Context, string) error // queues a line as a message to the agent
}

// MaxLine is how many bytes a line may have that is typed at an attached terminal.
const MaxLine = 1 << 20

// LongLineError says that a line is longer than MaxLine and was not queued.
type LongLineError struct{ Number, Bytes int }

func (e *LongLineError) Error() string {
	return fmt.Sprintf("line %d has %d bytes, at most %d are taken; put it into a file and name that", e.Number,
		e.Bytes, MaxLine)
}

// Attach follows an agent and queues each line that comes in as a message to it.
// It ends with ctx, or when the agent ends or needs a person. A line that is too long is told at
// once and in the end: *LongLineError.
func Attach(ctx context.Context, p *project.Project, id string, o AttachOptions) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := make(chan line)
	go readLines(ctx, o.In, lines) // ends with its input or with this call's context
	followed := make(chan error, 1)
	go func() { followed <- Follow(ctx, p, id, FollowOptions{Out: o.Out, Wait: true}) }()
	var refused error
	for {
		select {
		case err := <-followed:
			return errors.Join(refused, err)
		case l, open := <-lines:
			if !open {
				lines = nil // no more input; the output goes on
				continue
			}
			if l.err != nil {
				refused = errors.Join(refused, l.err)
				fmt.Fprintf(o.Notes, "[not queued for %s: %v]\n", id, l.err)
				continue
			}
			if err := o.Send(ctx, l.text); err != nil {
				cancel()
				return errors.Join(refused, err, <-followed)
			}
			fmt.Fprintf(o.Notes, "[queued for %s]\n", id)
		}
	}
}

// line is one line of input, or why it is none.
type line struct {
	text string
	err  error
}

// readLines hands over each line that is not blank, whole.
func readLines(ctx context.Context, in io.Reader, lines chan<- line) {
	defer close(lines)
	reader := bufio.NewReader(in)
	for number, over := 1, false; !over; number++ {
		var l line
		if l, over = readLine(reader, number); l == (line{}) {
			continue
		}
		select {
		case lines <- l:
		case <-ctx.Done():
			return
		}
	}
}

// readLine reads to the end of a line, and reports whether that is the end of the input. Of a line
// that is too long it keeps nothing.
func readLine(reader *bufio.Reader, number int) (l line, over bool) {
	var text []byte
	for size := 0; ; {
		part, err := reader.ReadSlice('\n')
		if size += len(bytes.TrimSuffix(part, []byte("\n"))); size <= MaxLine {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return line{err: fmt.Errorf("read input: %w", err)}, true
		case size > MaxLine:
			return line{err: &LongLineError{number, size}}, err != nil
		}
		return line{text: string(bytes.TrimSpace(text))}, err != nil
	}
}
