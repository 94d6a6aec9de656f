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
	"slices"
	"strconv"
	"strings"
	"time"

	"delegate/internal/sys/run"
)

// Blobs reads objects one after the other from a single git process, which is started for the first of them. It serves
// one caller at a time.
// The time limit is for each read.
type Blobs struct {
	repo  *Repo
	pool  *pool       // takes the process back at Close; nil for none
	leave func() bool // stops following the context of who opened it; false where that has ended
	start func() (*run.Piped, error)
	end   context.CancelCauseFunc
	limit time.Duration
	over  func() error // why the context has ended, nil before
	talk  *run.Piped   // nil when git has ended
	out   *bufio.Reader
	fault error // why nothing can be read any more
}

// OpenBlobs reads objects, with a git that is idle or else one that is started when it is needed. It is the caller's
// until Close or the end of ctx.
func (r *Repo) OpenBlobs(ctx context.Context) *Blobs { return r.openBlobs(ctx) }

func (r *Repo) openBlobs(ctx context.Context, env ...string) *Blobs {
	idle := r.readers(env)
	if b := idle.take(); b != nil {
		return b.follow(ctx)
	}
	command := r.command(call{args: []string{"cat-file", "--batch-command", "--buffer"}, env: env, bound: idle != nil})
	command.Limit = 0      // it lives as long as it is needed
	command.Dir = r.GitDir // who looks for processes in a worktree does not find it
	inner, end := context.WithCancelCause(context.WithoutCancel(ctx))
	b := &Blobs{repo: r, end: end, limit: readLimit, pool: idle}
	b.start = func() (*run.Piped, error) { return run.StartPiped(inner, command) }
	return b.follow(ctx)
}

// follow has git end with a context.
func (b *Blobs) follow(ctx context.Context) *Blobs {
	b.over, b.leave = ctx.Err, context.AfterFunc(ctx, func() { b.end(context.Cause(ctx)) })
	return b
}

func (b *Blobs) restart() error {
	talk, err := b.start()
	if err != nil {
		return fmt.Errorf("open the objects of %q: %w", b.repo.CommonDir, err)
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

// Commits is Commit for many revisions, "" for those that name none. git is asked for all of them before it is listened
// to, so that the two do not wait for each other at each.
func (b *Blobs) Commits(revisions []string) (ids []string, data [][]byte, err error) {
	const mostAtOnce = 100 // what is asked has to fit into a pipe
	for part := range slices.Chunk(revisions, mostAtOnce) {
		found, err := answerTo(b, func() ([]object, error) { return b.readAll(part) })
		if err != nil {
			return nil, nil, wrap(err, "resolve %d revisions", len(revisions))
		}
		for _, o := range found {
			ids, data = append(ids, o.id), append(data, o.data)
		}
	}
	return ids, data, nil
}

// readAll reads the commits that revisions name, and no object for one that names none.
func (b *Blobs) readAll(revisions []string) ([]object, error) {
	var questions strings.Builder
	asked := make([]string, len(revisions))
	for i, name := range revisions {
		if !strings.HasPrefix(name, "-") && !strings.ContainsAny(name, "\n\x00") {
			asked[i] = name + "^{commit}" // else it names nothing
		}
		questions.WriteString("contents " + asked[i] + "\n")
	}
	if err := b.put(questions.String()); err != nil {
		return nil, err
	}
	found := make([]object, len(revisions))
	for i, name := range asked {
		head, err := b.answer(name)
		if err == nil {
			found[i], err = b.content(head, math.MaxInt64)
		}
		if err != nil && (!errors.Is(err, ErrNoObject) || b.talk == nil) {
			return nil, err
		}
	}
	return found, nil
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

// ReadAhead is Read for objects that are likely to be needed next, up to the first that cannot be read or does not fit
// into so many bytes with those before it. git is asked for all of them before it is listened to.
func (b *Blobs) ReadAhead(ids []string, most int64) (data [][]byte, kinds []string, err error) {
	const mostAtOnce = 100 // what is asked has to fit into a pipe
	for i, id := range ids {
		if i == mostAtOnce || !isFullID(id) {
			ids = ids[:i]
			break
		}
	}
	found, err := answerTo(b, func() ([]object, error) { return b.readAhead(ids, most) })
	for _, o := range found {
		data, kinds = append(data, o.data), append(kinds, o.kind)
	}
	return data, kinds, wrap(err, "read %d objects", len(ids))
}

func (b *Blobs) readAhead(ids []string, most int64) (found []object, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if err := b.put("contents " + strings.Join(ids, "\ncontents ") + "\n"); err != nil {
		return nil, err
	}
	for i, id := range ids {
		head, err := b.answer(id)
		var o object
		if err == nil {
			o, err = b.content(head, most)
		}
		switch {
		case err == nil && len(found) == i:
			found, most = append(found, o), most-o.size
		case err != nil && b.talk == nil:
			return nil, err
		case err != nil:
			most = -1 // the rest is passed over
		}
	}
	return found, nil
}

// object is one answer.
type object struct {
	head
	data []byte
}

func (b *Blobs) read(name string, most int64) (object, error) {
	return answerTo(b, func() (object, error) {
		found, err := b.ask("contents", name)
		if err != nil {
			return object{}, err
		}
		return b.content(found, most)
	})
}

// info is the object that a name stands for, unread; ErrNoObject (wrapped) if there is none.
func (b *Blobs) info(name string) (head, error) {
	return answerTo(b, func() (head, error) { return b.ask("info", name) })
}

// answerTo has git answer one question within the time for it.
func answerTo[T any](b *Blobs, question func() (T, error)) (T, error) {
	late := &run.TimeoutError{Name: "git cat-file", Limit: b.limit}
	defer time.AfterFunc(late.Limit, func() { b.end(late) }).Stop()
	return again(func() (T, error) {
		if err := b.ready(); err != nil {
			var none T
			return none, err
		}
		return question()
	})
}

// ready sees to it that a git is there to be asked.
func (b *Blobs) ready() error {
	if b.fault != nil {
		return b.fault
	}
	if err := b.over(); err != nil && b.talk != nil {
		return b.ended(err)
	}
	if b.talk == nil {
		b.fault = b.restart()
	}
	return b.fault
}

// content reads what follows the head of an object.
func (b *Blobs) content(head head, most int64) (object, error) {
	if head.size > most {
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

// ask sends a name with what is wanted of it, and answers with what comes first.
func (b *Blobs) ask(what, name string) (head, error) {
	if err := b.put(what + " " + name + "\n"); err != nil {
		return head{}, err
	}
	return b.answer(name)
}

// put sends questions, and has git answer them in one go.
func (b *Blobs) put(questions string) error {
	if _, err := io.WriteString(b.talk.In, questions+"flush\n"); err != nil {
		return b.ended(err)
	}
	return nil
}

// answer reads what comes first of the answer about a name.
func (b *Blobs) answer(name string) (head, error) {
	line, err := b.out.ReadString('\n')
	if errors.Is(err, io.EOF) && line != "" {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return head{}, b.ended(err)
	}
	found, err := parseHead(strings.TrimSuffix(line, "\n"), name)
	if err != nil && !errors.Is(err, ErrNoObject) {
		err = b.ended(err)
	}
	return found, err
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

// Close gives git up.
func (b *Blobs) Close() error {
	if errors.Is(b.fault, os.ErrClosed) {
		return nil
	}
	left := *b
	b.fault, b.talk = os.ErrClosed, nil
	if following := left.leave(); following && left.fault == nil && left.talk != nil && left.pool.put(&left) {
		return nil
	}
	return left.shut()
}

// shut ends git.
func (b *Blobs) shut() error {
	defer b.end(nil)
	if b.talk == nil {
		return nil
	}
	return b.talk.Close()
}
