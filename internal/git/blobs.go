package git

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"delegate/internal/run"
)

// Blobs reads objects one after the other from a single git process. It serves one caller at a time.
type Blobs struct {
	start func() (*run.Talk, error)
	over  func() error // why the context has ended, nil before
	talk  *run.Talk    // nil when git has ended
	out   *bufio.Reader
	fault error // why nothing can be read any more
}

// OpenBlobs starts git for reading objects. It lives until Close or the end of ctx.
func (r *Repo) OpenBlobs(ctx context.Context) (*Blobs, error) {
	b := &Blobs{over: ctx.Err, start: func() (*run.Talk, error) {
		return run.Converse(ctx, r.command(call{args: []string{"cat-file", "--batch"}}))
	}}
	if err := b.restart(); err != nil {
		return nil, fmt.Errorf("open the objects of %q: %w", r.CommonDir, err)
	}
	return b, nil
}

func (b *Blobs) restart() error {
	talk, err := b.start()
	if err != nil {
		return err
	}
	b.talk, b.out = talk, bufio.NewReaderSize(talk.Out, 64<<10)
	return nil
}

// Read is the content of an object, a file's, a tree's or a commit's as git stores it, and its kind as git names it.
// ErrNoObject (wrapped) if it is not here or git cannot read it, ErrTooLarge (wrapped) if it has more than most bytes.
// After any other error all reads are in vain.
func (b *Blobs) Read(id string, most int64) (data []byte, kind string, err error) {
	if data, kind, err = b.read(id, most); err != nil {
		return nil, "", fmt.Errorf("read object %q: %w", id, err)
	}
	return data, kind, nil
}

func (b *Blobs) read(id string, most int64) ([]byte, string, error) {
	if b.fault != nil {
		return nil, "", b.fault
	}
	if err := b.over(); err != nil && b.talk != nil {
		return nil, "", b.ended(err)
	}
	if !isWord(id) {
		return nil, "", ErrNoObject
	}
	if b.talk == nil {
		if b.fault = b.restart(); b.fault != nil {
			return nil, "", b.fault
		}
	}
	head, err := b.ask(id)
	if err != nil {
		return nil, "", err
	}
	kind, size, err := parseHead(head)
	switch {
	case errors.Is(err, ErrNoObject):
		return nil, "", err
	case err != nil:
		return nil, "", b.ended(err)
	case size > most:
		if _, err := io.CopyN(io.Discard, b.out, size+1); err != nil {
			return nil, "", b.ended(io.ErrUnexpectedEOF)
		}
		return nil, "", fmt.Errorf("%w: %d bytes", ErrTooLarge, size)
	}
	data := make([]byte, size+1) // a line break ends the content
	if _, err := io.ReadFull(b.out, data); err != nil {
		return nil, "", b.ended(io.ErrUnexpectedEOF)
	}
	return data[:size:size], kind, nil
}

// ask sends one name and answers with the line that comes first.
func (b *Blobs) ask(id string) (string, error) {
	if _, err := io.WriteString(b.talk.In, id+"\n"); err != nil {
		return "", b.ended(err)
	}
	line, err := b.out.ReadString('\n')
	if errors.Is(err, io.EOF) && line != "" {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return "", b.ended(err)
	}
	return strings.TrimSuffix(line, "\n"), nil
}

// parseHead reads `ID KIND SIZE`; any other answer repeats the name and says in a word why there is nothing.
func parseHead(line string) (kind string, size int64, err error) {
	words := strings.Split(line, " ")
	if len(words) == 2 {
		return "", 0, ErrNoObject
	}
	if len(words) == 3 {
		size, err = strconv.ParseInt(words[2], 10, 64)
	}
	if len(words) != 3 || err != nil || size < 0 {
		return "", 0, fmt.Errorf("git cat-file answered %q", line)
	}
	return words[1], size, nil
}

// ended collects git when it did not answer as it should, and says why.
// A git that itself chose to end in place of an answer (before 2.45 at an object that a partial clone lacks, at a damaged one)
// spoils only this read: the next one starts another.
func (b *Blobs) ended(cause error) error {
	err := b.talk.Close()
	b.talk = nil
	var exit *run.ExitError
	if errors.Is(cause, io.EOF) && errors.As(err, &exit) && exit.Code > 0 {
		return fmt.Errorf("%w: %w", ErrNoObject, err)
	}
	if b.fault = err; err == nil {
		b.fault = cause
	}
	return b.fault
}

// Close ends git.
func (b *Blobs) Close() error {
	b.fault = os.ErrClosed
	if b.talk == nil {
		return nil
	}
	err := b.talk.Close()
	b.talk = nil
	return err
}
