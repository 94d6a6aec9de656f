package analyze

import (
	"bufio"
	"cmp"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"delegate/conflict"
	"delegate/internal/fence/sandbox"
	"delegate/internal/git/objects"
	"delegate/internal/sys/run"
)

// task is one request with what serves it.
type task struct {
	request request
	objects *objects.Reader
	take    func(message) bool // takes each result, and says whether it is the last
	check   func(question) (conflict.Report, error)
}

// process is a running child.
type process struct {
	piped   *run.Piped
	in      *listener
	out     *bufio.Writer
	encoder *gob.Encoder
	over    context.Context // ends when the child is to end
	end     context.CancelCauseFunc
	limit   time.Duration // of processor time, which the clock knows a multiple of
	stderr  stderrHead    // on standard error
	at      string
	silent  bool  // see request.silent
	worked  bool  // it has come to a result before
	unread  error // why the last object could not be read, nil if it was
}

// ask has a child, the one that is there or a new one, carry out the task.
func (a *Analysis) ask(ctx context.Context, t task) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if a.child == nil {
		child, err := a.start(ctx)
		if err != nil {
			return fmt.Errorf("start the analysis: %w", err)
		}
		a.child = child
	}
	p := a.child
	stop := context.AfterFunc(ctx, func() { p.end(context.Cause(ctx)) })
	err := p.carryOut(ctx, t)
	var fault *fault
	if stop() && (err == nil || errors.As(err, &fault)) {
		return err // it goes on living
	}
	if a.child = nil; !errors.Is(err, io.EOF) {
		p.end(err)
	}
	ended := p.close()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return p.stopped(err, ended)
}

// start starts a child, which lives until it is ended.
func (a *Analysis) start(ctx context.Context) (*process, error) {
	c := run.Command{Path: run.Program(), Args: []string{Verb}, Dir: os.TempDir(), Bound: true, Env: environ()}
	if a.options.Fence != nil {
		local := conflict.GoOptions{}.Local()
		fence, err := a.options.Fence(ctx, []string{c.Path, local.GOROOT, local.ModCache})
		if err != nil {
			return nil, err
		}
		if fence != nil {
			c = sandbox.Wrap(c, fence.Policy, fence.Network, fence.Support)
		}
	}
	p := &process{limit: a.options.Limit}
	c.Stderr = &p.stderr
	p.over, p.end = context.WithCancelCause(context.WithoutCancel(ctx))
	talk, err := run.StartPiped(p.over, c)
	if err != nil {
		p.end(nil)
		return nil, err
	}
	p.piped, p.in, p.out = talk, newListener(talk.Out), bufio.NewWriter(talk.In)
	p.encoder = gob.NewEncoder(p.out)
	return p, nil
}

// environ is what the child has of this process's environment: for which system Go code is checked.
func environ() []string {
	env := []string{}
	for _, name := range []string{"GOOS", "GOARCH", "CGO_ENABLED"} {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// closeTimeout is how long a child may take to end when nobody asks it any more.
const closeTimeout = 2 * time.Second

func (p *process) close() error {
	defer p.end(nil)
	defer time.AfterFunc(closeTimeout, func() { p.end(nil) }).Stop()
	return p.piped.Close()
}

// fault says that the child could not carry out a task, and lives.
type fault struct {
	text  string
	cause error
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.cause }

// errSlow says that the parent's clock ran out, which is for children that hang without using the
// processor.
var errSlow = errors.New("it came to no result in time")

// carryOut sends the request and serves the child until the last result. A *fault leaves the child
// as it was, any other error is of the stream.
func (p *process) carryOut(ctx context.Context, t task) error {
	p.at, p.silent = "", t.request.silent()
	clock := time.AfterFunc(p.timeout(), func() { p.end(errSlow) })
	defer clock.Stop()
	err := p.send(t.request)
	for err == nil {
		var m message
		if m, err = p.in.next(); err != nil {
			break
		}
		p.at = cmp.Or(m.At, p.at)
		switch {
		case len(m.Read) > 0:
			err = p.send(p.read(ctx, t.objects, m.Read))
		case m.Ask != nil && t.check != nil:
			clock.Stop() // a program has a limit of its own
			var a answer
			if a.Report, err = t.check(*m.Ask); err != nil {
				a.Error = err.Error()
			}
			err = p.send(a)
			clock.Reset(p.timeout())
		case m.Pair != nil && t.request.Cycles == nil, m.Cycles != nil && t.request.Cycles != nil:
			p.worked, p.at = true, ""
			clock.Reset(p.timeout())
			if t.take(m) {
				return nil
			}
		case m.Error != "":
			return &fault{m.Error, p.unread}
		}
	}
	return err
}

// timeout is how long one result may take.
func (p *process) timeout() time.Duration {
	if p.limit == 0 {
		return 1<<63 - 1
	}
	return max(3*mostSteps*p.limit, time.Minute)
}

func (p *process) send(value any) error {
	if err := p.encoder.Encode(value); err != nil {
		return err
	}
	return p.out.Flush()
}

// read are the objects as the child gets them: the first, and those that come next as far as they can be read.
func (p *process) read(ctx context.Context, objects *objects.Reader, ids []string) (a answer) {
	if p.unread = nil; len(ids) > 1 && isID(ids[0]) {
		data, kinds, err := objects.ReadAhead(ctx, ids[:min(len(ids), mostAtOnce)], bytesAhead)
		for i := 0; i < len(data) && err == nil; i++ {
			a.Objects = append(a.Objects, object{Data: data[i], Kind: kinds[i]})
		}
	}
	if len(a.Objects) > 0 {
		return a
	}
	var o object
	p.unread = fmt.Errorf("read object: %q is no id", ids[0])
	if isID(ids[0]) {
		o.Data, o.Kind, p.unread = objects.Read(ctx, ids[0])
	}
	if p.unread != nil {
		o.Error = p.unread.Error()
	}
	return answer{Objects: []object{o}}
}

// stderrHead keeps the beginning of what is written to it: a fault of the runtime names itself first.
type stderrHead struct{ data []byte }

func (h *stderrHead) Write(p []byte) (int, error) {
	const most = 512
	h.data = append(h.data, p[:min(len(p), most-len(h.data))]...)
	return len(p), nil
}

func (h *stderrHead) line() string {
	line, _, _ := strings.Cut(string(h.data), "\n")
	return line
}

func isID(id string) bool {
	return id != "" && strings.Trim(id, "0123456789abcdef") == ""
}

// stopped says why a child is no more. err is the stream's, ended how the process did.
func (p *process) stopped(err, ended error) error {
	s := &Stopped{At: p.at, again: p.worked || p.silent}
	var exit *run.ExitError
	switch cause := context.Cause(p.over); {
	case errors.Is(cause, errSlow):
		s.Why, s.Passing = fmt.Sprintf("%v, %s", errSlow, p.timeout()), true
	case errors.Is(err, errTooMuch):
		s.Why = err.Error()
	case errors.As(ended, &exit) && exit.Code == spent:
		s.Why = fmt.Sprintf("after %s of processor time", p.limit)
	case errors.As(ended, &exit) && exit.Code == spentInAll:
		s.Why = fmt.Sprintf("after %s of processor time in all", mostSteps*p.limit)
	case errors.As(ended, &exit) && exit.Code == sandbox.StartFault && !p.worked && p.at == "":
		return fmt.Errorf("start the analysis: %w: %s", ended, p.stderr.line())
	case errors.As(ended, &exit):
		s.Why = strings.TrimSuffix(exit.Ending()+": "+p.stderr.line(), ": ")
		if exit.Signal != "" { // somebody wanted it to end
			s.Passing, s.again = true, p.worked
		}
	default:
		s.Why, s.Passing = fmt.Sprintf("its process said what it should not: %v", err), true
	}
	return s
}
