package git

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"delegate/internal/run"
)

// Blobs reads objects one after the other from a single git process. It serves one caller at a time.
// The time limit is for each read.
type Blobs struct {
	start func() (*run.Piped, error)
	end   context.CancelCauseFunc
	limit time.Duration
	over  func() error // why the context has ended, nil before
	talk  *run.Piped   // nil when git has ended
	out   *bufio.Reader
	fault error // why nothing can be read any more
}

// OpenBlobs starts git for reading objects. It lives until Close or the end of ctx.
func (r *Repo) OpenBlobs(ctx context.Context) (*Blobs, error) { return r.openBlobs(ctx) }

func (r *Repo) openBlobs(ctx context.Context, env ...string) (*Blobs, error) {
	command := r.command(call{args: []string{"cat-file", "--batch"}, env: env})
	command.Limit = 0 // it lives as long as it is needed
	inner, end := context.WithCancelCause(ctx)
	b := &Blobs{end: end, limit: readLimit, over: ctx.Err}
	b.start = func() (*run.Piped, error) { return run.StartPiped(inner, command) }
	if err := b.restart(); err != nil {
		end(nil)
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

// Commit is the commit that a revision names, and its content as git stores it; ErrNoCommit (wrapped) if it names none.
// After any other error all reads are in vain.
func (b *Blobs) Commit(revision string) (id string, data []byte, err error) {
	err = ErrNoObject
	if !strings.HasPrefix(revision, "-") && !strings.ContainsAny(revision, "\n\x00") {
		var found object
		found, err = b.read(revision+"^{commit}", math.MaxInt64)
		id, data = found.id, found.data
	}
	var ended *run.ExitError
	if errors.Is(err, ErrNoObject) && !errors.As(err, &ended) {
		err = ErrNoCommit
	}
	return id, data, wrap(err, "resolve %q", revision)
}

// Read is the content of an object, a file's, a tree's or a commit's as git stores it, and its kind as git names it.
// ErrNoObject (wrapped) if it is not here or git cannot read it, ErrTooLarge (wrapped) if it has more than most bytes.
// After any other error all reads are in vain.
func (b *Blobs) Read(id string, most int64) (data []byte, kind string, err error) {
	found, err := object{}, ErrNoObject
	if isWord(id) {
		found, err = b.read(id, most)
	}
	return found.data, found.kind, wrap(err, "read object %q", id)
}

// object is one answer.
type object struct {
	head
	data []byte
}

func (b *Blobs) read(name string, most int64) (object, error) {
	late := &run.TimeoutError{Name: "git cat-file", Limit: b.limit}
	defer time.AfterFunc(late.Limit, func() { b.end(late) }).Stop()
	return again(func() (object, error) { return b.readOnce(name, most) })
}

func (b *Blobs) readOnce(name string, most int64) (object, error) {
	if b.fault != nil {
		return object{}, b.fault
	}
	if err := b.over(); err != nil && b.talk != nil {
		return object{}, b.ended(err)
	}
	if b.talk == nil {
		if b.fault = b.restart(); b.fault != nil {
			return object{}, b.fault
		}
	}
	line, err := b.ask(name)
	if err != nil {
		return object{}, err
	}
	head, err := parseHead(line, name)
	switch {
	case errors.Is(err, ErrNoObject):
		return object{}, err
	case err != nil:
		return object{}, b.ended(err)
	case head.size > most:
		if _, err := io.CopyN(io.Discard, b.out, head.size+1); err != nil {
			return object{}, b.ended(io.ErrUnexpectedEOF)
		}
		return object{}, fmt.Errorf("%w: %d bytes", ErrTooLarge, head.size)
	}
	data := make([]byte, head.size+1) // a line break ends the content
	if _, err := io.ReadFull(b.out, data); err != nil {
		return object{}, b.ended(io.ErrUnexpectedEOF)
	}
	return object{head, data[:head.size:head.size]}, nil
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

// head is the line of git cat-file before an object's content.
type head struct {
	id, kind string
	size     int64
}

// parseHead reads `ID KIND SIZE`; any other answer repeats the name and says in a word why there is nothing.
func parseHead(line, name string) (head, error) {
	if why, repeated := strings.CutPrefix(line, name+" "); repeated && !strings.Contains(why, " ") {
		return head{}, ErrNoObject
	}
	words := strings.Split(line, " ")
	if len(words) != 3 || !isFullID(words[0]) {
		return head{}, odd([]string{"cat-file"}, line)
	}
	size, err := strconv.ParseInt(words[2], 10, 64)
	if err != nil || size < 0 {
		return head{}, odd([]string{"cat-file"}, line)
	}
	return head{id: words[0], kind: words[1], size: size}, nil
}

// ended collects git when it did not answer as it should, and says why. A git that itself chose to
// end in place of an answer (before 2.45 at an object that a partial clone lacks, at a damaged one)
// spoils only this read: the next one starts another. So does one that a signal ended.
func (b *Blobs) ended(cause error) error {
	err := b.talk.Close()
	b.talk = nil
	var exit *run.ExitError
	var strange *AnswerError
	switch isExit := errors.As(err, &exit); {
	case errors.As(cause, &strange): // that git ended is then only because nobody listens
		err = cause
	case isExit && errors.Is(cause, io.EOF) && exit.Code > 0:
		return fmt.Errorf("%w: %w", ErrNoObject, err)
	case isExit && exit.Signal != "":
		return err
	case err == nil && errors.Is(cause, io.EOF):
		err = odd([]string{"cat-file"}, "")
	}
	b.fault = cmp.Or(err, cause)
	return b.fault
}

// Close ends git.
func (b *Blobs) Close() error {
	b.fault = os.ErrClosed
	defer b.end(nil)
	if b.talk == nil {
		return nil
	}
	err := b.talk.Close()
	b.talk = nil
	return err
}
