package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"delegate/internal/engine"
	"delegate/internal/git"
	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/turn/keeper"
)

// here is an engine whose jobs run on this machine.
type here struct {
	silent    int // how often it does not answer
	runs      int // how often it says after that that its job runs, before it says what is so
	job       engine.Job
	looks     int
	cancelled bool
}

func (h *here) Submit(context.Context, string, []string) (string, error) { return "1", nil }
func (h *here) Exec(_ string, args []string) run.Command {
	return run.Command{Path: args[0], Args: args[1:]}
}
func (h *here) Cancel(context.Context, string) error { h.cancelled = true; return nil }

func (h *here) Look(context.Context, string) (engine.Job, error) {
	h.looks++
	switch {
	case h.looks <= h.silent:
		return engine.Job{}, errors.New("no route to host")
	case h.looks <= h.silent+h.runs:
		return engine.Job{Phase: engine.Running}, nil
	}
	return h.job, nil
}

func following(t *testing.T, e engine.Engine) *follower {
	t.Helper()
	f := &follower{turn: keeper.Turn{Dir: t.TempDir()}, engine: e, job: job{ID: "17", Incarnation: "one"}}
	f.where.On = "hpc"
	return f
}

// Work that could not be fetched stays there and is asked for again: for as long as patience lasts where the engine
// answers, and for ever where it does not. What is refused for what it is, is not asked for again.
func TestWorkIsAskedForAgain(t *testing.T) {
	broken := errors.New("the stream broke")
	runs := engine.Job{Phase: engine.Running}
	for name, c := range map[string]struct {
		engine   here
		patience time.Duration
		fails    int // times, then it goes well
		err      error
		want     error
		tries    int
	}{
		"the second time":     {here{job: runs}, time.Hour, 1, broken, nil, 2},
		"patience ends":       {here{job: runs}, time.Nanosecond, 9, broken, broken, 1},
		"nobody answers":      {here{silent: 2, job: runs}, 600 * time.Millisecond, 3, broken, nil, 4},
		"unsound":             {here{job: runs}, time.Hour, 9, &git.TakeOverError{Detail: "a tree"}, nil, 1},
		"changed here":        {here{job: runs}, time.Hour, 9, fmt.Errorf("x: %w", &takeover.BehindError{}), nil, 1},
		"no commit":           {here{job: runs}, time.Hour, 9, fmt.Errorf("x %w", errNoCommit), errNoCommit, 1},
		"too much":            {here{job: runs}, time.Hour, 9, errTooMuch, errTooMuch, 1},
		"the job is over":     {here{job: engine.Job{Phase: engine.Over, Words: "gone"}}, time.Hour, 9, broken, nil, 1},
		"over when it speaks": {here{silent: 1, job: engine.Job{Phase: engine.Over}}, time.Hour, 9, broken, nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := following(t, &c.engine)
			f.passFor = c.patience
			tries := 0
			err := f.again(t.Context(), func() error {
				if tries++; tries > c.fails {
					return nil
				}
				return c.err
			})
			if tries != c.tries || c.want != nil && !errors.Is(err, c.want) || (err == nil) != (tries > c.fails) {
				t.Errorf("asked for %d times: %v", tries, err)
			}
			if isOver := errors.As(err, new(*over)); isOver != (c.engine.job.Phase == engine.Over) {
				t.Errorf("the end of the turn: %v", err)
			}
		})
	}
}

// What was only not reached is not taken away there, and the end says where it is.
func TestWorkThatDidNotComeHomeStaysThere(t *testing.T) {
	f := following(t, &here{})
	exit := f.notHome(errors.New("the stream broke"))
	if f.home || exit.Cause != keeper.Stopped || !strings.Contains(exit.Error, "its job 17 holds it for a day") {
		t.Errorf("at home: %t, %+v", f.home, exit)
	}
	if exit = f.notHome(&git.TakeOverError{Detail: "a tree"}); !f.home || strings.Contains(exit.Error, "holds") {
		t.Errorf("at home: %t, %+v", f.home, exit)
	}
}

// Objects are believed unsound where the disk has room for all that may come, and else asked for again.
func TestUnsoundIsNotBelievedOfAFullDisk(t *testing.T) {
	unsound := fmt.Errorf("take over: %w", &git.TakeOverError{Detail: "a tree"})
	broken := errors.New("the stream broke")
	p := &project.Project{Repo: &git.Repo{CommonDir: t.TempDir()}}
	free, err := atomicfile.Free(p.Repo.CommonDir)
	if err != nil {
		t.Fatal(err)
	}
	const someRoom = 64 << 20
	if free < someRoom {
		t.Skipf("the disk has only %d bytes free", free)
	}
	for name, c := range map[string]struct {
		most     int64
		err      error
		believed bool
	}{
		"room for all":    {1, unsound, true},
		"less room":       {free * 2, unsound, false},
		"another failure": {free * 2, broken, false},
	} {
		f := following(t, &here{})
		f.settings.MostOutput = c.most
		err, doubted := f.doubted(p, c.err), c.err == unsound && !c.believed
		if isRefused(err) != c.believed || strings.Contains(err.Error(), "free: a tree") != doubted {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A job that has a turn is not taken away because nobody there answers for a while; one that never took one is.
func TestIdentifyIsPatientWithATurn(t *testing.T) {
	gone := engine.Job{Phase: engine.Over}
	for name, c := range map[string]struct {
		incarnation string
		engine      here
		cause       keeper.Cause
		looks       int
	}{
		"a turn that is not reached":   {"one", here{runs: 3, job: gone}, keeper.Stopped, 4},
		"an engine that is silent":     {"", here{silent: 3, job: gone}, keeper.NotStarted, 4},
		"a job that took none so long": {"", here{runs: 9}, keeper.NotStarted, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := following(t, &c.engine)
			f.identifyFor, f.job.Incarnation = time.Nanosecond, c.incarnation
			f.settings.Engine.Program = "false" // nothing answers
			err := f.identify(t.Context())
			var end *over
			if !errors.As(err, &end) || end.Cause != c.cause || c.engine.looks != c.looks ||
				c.engine.cancelled != (c.engine.job.Phase != engine.Over) {
				t.Errorf("after %d looks, cancelled: %t: %v", c.engine.looks, c.engine.cancelled, err)
			}
			if c.incarnation != "" && f.where.Unreached.IsZero() {
				t.Error("nobody is told that it does not answer")
			}
		})
	}
}
