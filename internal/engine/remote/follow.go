package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"delegate/internal/engine"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/turn/keeper"
)

// The files of a turn on an engine in its folder here.
const (
	settingsFile = "far.json"
	jobFile      = "job.json"
	filesFile    = "files.json"
	cutFile      = "cut"      // where the history that was sent begins
	tooMuchFile  = "too-much" // more came from there than may
)

// job is what the keepers of a turn know of its job, one after the other.
type job struct {
	Name   string `json:"name"` // by which the engine is asked for a job that was submitted and not noted
	ID     string `json:"id"`
	Folder string `json:"folder"` // there
	// Incarnation is the start of the job that took the turn. Another one never gets it.
	Incarnation string    `json:"incarnation"`
	Submitted   time.Time `json:"submitted_at"`
	Sent        bool      `json:"sent"` // the turn, and the commit that it starts from
}

// follower is the keeper of a turn on an engine.
type follower struct {
	turn     keeper.Turn
	record   keeper.Record
	engine   engine.Engine
	settings settings
	job      job
	where    keeper.Where
	there    identity // who answered last
	grace    time.Duration
	signals  chan os.Signal

	// While the engine answers: how long what passes the streams may go wrong, and a job that took no turn yet may take
	// to say who it is.
	passFor, identifyFor time.Duration

	stopping    time.Time // when somebody wanted the turn ended, zero as long as nobody does
	interrupted bool      // somebody wanted it interrupted
	home        bool      // the job has nothing any more that is wanted here
}

// follow is the life of a keeper of a turn on an engine: it returns when the turn is over and its work is here.
func follow(ctx context.Context, dir string) error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	signal.Ignore(syscall.SIGHUP)
	ctx = context.WithoutCancel(ctx)
	t := keeper.Turn{Dir: dir}
	f := &follower{turn: t, signals: signals, passFor: passPatience, identifyFor: identifyPatience}
	if err := t.Follow(func(spec keeper.Spec, record keeper.Record) keeper.Exit {
		f.record, f.grace = record, spec.StopGrace
		f.where, _ = t.Where()
		f.where.On = spec.On
		exit := f.life(ctx)
		exit.Error = bounded(exit.Error)
		if exit.Ended.IsZero() {
			exit.Ended = time.Now().UTC()
		}
		return exit
	}); err != nil {
		return err
	}
	f.release(ctx)
	return nil
}

// release lets the job go of a turn whose end stands here. One that does not go is taken away.
func (f *follower) release(ctx context.Context) {
	if !f.home {
		return
	}
	_, err := f.ask(ctx, nil, "ack")
	for n := 0; n < 10 && err == nil; n++ {
		if j, err := f.engine.Look(ctx, f.job.ID); err == nil && j.Phase != engine.Running {
			break
		}
		time.Sleep(firstPause)
	}
	f.cancel(ctx) // also one that is over: the engine may keep it
}

// over is the end of a turn before its program could end it.
type over struct{ keeper.Exit }

func (o *over) Error() string { return o.Exit.Error }

func ended(cause keeper.Cause, format string, args ...any) error {
	return &over{keeper.Exit{Code: -1, Cause: cause, Error: fmt.Sprintf(format, args...)}}
}

// life takes the turn from where an earlier keeper left it to its end.
func (f *follower) life(ctx context.Context) keeper.Exit {
	var err error
	if f.settings, f.job, err = open(f.turn); errors.Is(err, os.ErrNotExist) && f.settings.Main != "" {
		err = nil // it was not submitted yet
	}
	f.engine = engine.Open(f.settings.Engine)
	if f.turn.StopAsked() {
		f.stopping = time.Now()
	}
	var last end
	if err == nil {
		for _, step := range []func(context.Context) error{f.submit, f.awaitRoom, f.identify, f.send} {
			if err = step(ctx); err != nil {
				break
			}
		}
	}
	if err == nil {
		last, err = f.listen(ctx)
	}
	if err == nil {
		return f.bringHome(ctx, last)
	}
	if early, ok := errors.AsType[*over](err); ok {
		return early.Exit
	}
	return keeper.Exit{Code: -1, Cause: keeper.NotStarted, Error: err.Error()}
}

func (f *follower) noteJob() error {
	return atomicfile.WriteJSON(filepath.Join(f.turn.Dir, jobFile), f.job)
}

// show writes where the turn is, if that is new.
func (f *follower) show(w keeper.Where) {
	if w == f.where {
		return
	}
	f.where = w
	_ = f.turn.KeepWhere(w) // for people to read; the next change says it again
}

// unreached notes that the engine does not answer, and how it said so.
func (f *follower) unreached(err error) {
	w := f.where
	if w.Unreached.IsZero() {
		w.Unreached = time.Now().UTC()
	}
	w.Why = bounded(err.Error())
	f.show(w)
}

// noteSignal takes in what a signal asks for.
func (f *follower) noteSignal(s os.Signal) {
	if s == os.Interrupt {
		f.interrupted = true
		return
	}
	if f.stopping.IsZero() {
		f.stopping = time.Now()
	}
}

// pause waits, and hears signals. It is cut short by one.
func (f *follower) pause(d time.Duration) {
	select {
	case s := <-f.signals:
		f.noteSignal(s)
	case <-time.After(d):
	}
}

// unstarted ends a turn that somebody wanted ended before it had room.
func (f *follower) unstarted(ctx context.Context) error {
	if f.stopping.IsZero() && !f.interrupted {
		return nil
	}
	if f.job.ID != "" {
		f.cancel(ctx)
	}
	return ended(keeper.Stopped, "stopped before it began")
}

// cancel takes the job away. One that the engine cannot be told to take away ends by itself, once no turn comes to it.
func (f *follower) cancel(ctx context.Context) {
	if err := f.engine.Cancel(ctx, f.job.ID); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// nameOf is a job's name, which is one that every engine takes: letters, digits and dashes, not more than 63.
func nameOf(agent, owner string) string {
	agent = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, strings.ToLower(agent))
	return engine.Prefix + agent[:min(len(agent), 24)] + "-" + owner + "-" + random()
}

// ownerOf tells the jobs of a repository from those of others, also where several people have theirs in one place.
func ownerOf(main string) string {
	host, _ := os.Hostname()
	sum := sha256.Sum256([]byte(host + "\x00" + main))
	return hex.EncodeToString(sum[:4])
}

// isOf says whether a job is one that this repository submitted.
func isOf(main, name string) bool {
	return strings.HasPrefix(name, engine.Prefix) && strings.Contains(name, "-"+ownerOf(main)+"-")
}

const (
	passPatience     = 10 * time.Minute
	identifyPatience = 2 * time.Minute
)

// Pauses between two looks at a job that waits.
const (
	firstPause = 500 * time.Millisecond
	lastPause  = 10 * time.Second
)

// submit has the engine take the job, once.
func (f *follower) submit(ctx context.Context) error {
	if f.job.ID != "" {
		return nil
	}
	if f.job.Name == "" {
		f.job.Name = nameOf(f.settings.Request.Agent.Name, ownerOf(f.settings.Main))
		f.job.Folder = path.Join(f.settings.Engine.Folder, f.job.Name)
		if err := f.noteJob(); err != nil {
			return err
		}
	}
	for wait := firstPause; ; wait = min(2*wait, lastPause) {
		if err := f.unstarted(ctx); err != nil {
			return err
		}
		id, err := f.engine.Submit(ctx, f.job.Name, []string{f.settings.Engine.Program, jobVerb, "keep", f.job.Folder,
			f.settings.Engine.Mirror})
		if err == nil {
			f.job.ID, f.job.Submitted = id, time.Now().UTC()
			w := f.where
			w.Job, w.Queued, w.Unreached, w.Why = id, f.job.Submitted, time.Time{}, ""
			f.show(w)
			return f.noteJob()
		}
		if refused := new(engine.RefusedError); errors.As(err, &refused) {
			return ended(keeper.NotStarted, "%s does not take the job: %v", f.where.On, err)
		}
		f.unreached(err)
		f.pause(wait)
	}
}

// awaitRoom waits until the job runs.
func (f *follower) awaitRoom(ctx context.Context) error {
	for wait := firstPause; ; wait = min(2*wait, lastPause) {
		j, err := f.engine.Look(ctx, f.job.ID)
		if err != nil {
			f.unreached(err)
		} else if running, err := f.placed(ctx, j); running || err != nil {
			return err
		}
		if f.job.Incarnation == "" {
			if err := f.unstarted(ctx); err != nil {
				return err
			}
		}
		f.pause(wait)
	}
}

// placed takes in what the engine says of a job that is to run.
func (f *follower) placed(ctx context.Context, j engine.Job) (running bool, err error) {
	w := f.where
	w.Unreached, w.Why = time.Time{}, bounded(j.Why)
	waited := time.Since(f.job.Submitted)
	switch {
	case j.Phase == engine.Running && !f.stale(j):
		w.Node, w.Queued, w.Why = j.Node, time.Time{}, ""
		f.show(w)
		return true, nil
	case j.Phase == engine.Over || j.Phase == engine.Unknown || f.stale(j):
		return false, f.lost(ctx, j)
	case j.Hopeless:
		f.cancel(ctx)
		return false, ended(keeper.NotStarted, "it can never start on %s: %s", f.where.On, j.Why)
	case f.settings.QueueTimeout > 0 && waited > f.settings.QueueTimeout:
		f.cancel(ctx)
		return false, ended(keeper.NotStarted, "no room on %s for %s (queue_timeout): %s", f.where.On,
			waited.Round(time.Second), j.Why)
	}
	f.show(w)
	return false, nil
}

// stale says that the engine started the job once more: what runs now is not what took the turn.
func (f *follower) stale(j engine.Job) bool {
	return f.job.Incarnation != "" && (j.Again > 0 || j.Phase == engine.Waiting)
}

// lost is the end of a turn whose job is over, and whose work did not come home.
func (f *follower) lost(ctx context.Context, j engine.Job) error {
	const kept = "what had come home is kept"
	switch {
	case j.LostNode || f.stale(j):
		f.cancel(ctx)
		return ended(keeper.NodeLost, "%s; %s", j.Words, kept)
	case f.job.Incarnation == "":
		return ended(keeper.NotStarted, "its job ended at once: %s; is %s (engines.%s.program) how the nodes "+
			"find this program?", j.Words, f.settings.Engine.Program, f.where.On)
	}
	return ended(keeper.Stopped, "its job is over: %s; %s", j.Words, kept)
}

// identify finds out which start of the job has the turn.
func (f *follower) identify(ctx context.Context) error {
	var failed error
	for begun, late := time.Now(), false; !late; f.pause(firstPause / 2) {
		said, err := f.ask(ctx, nil, "identify")
		var h identity
		if err == nil {
			err = json.Unmarshal(said, &h)
		}
		if err == nil {
			return f.check(ctx, h)
		}
		failed = err
		answers, over := f.stillRuns(ctx)
		if over != nil {
			return over
		}
		if f.job.Incarnation != "" { // its work must not go with a job that is only not reached
			if answers {
				f.unreached(failed)
			}
			if err := f.tooLate(ctx); err != nil {
				return err
			}
			continue
		}
		if err := f.unstarted(ctx); err != nil {
			return err
		}
		if answers {
			late = time.Since(begun) > f.identifyFor
		} else {
			begun = time.Now()
		}
	}
	f.cancel(ctx)
	return ended(keeper.NotStarted, "the program on %s does not answer: %v", f.where.Node, failed)
}

// check holds who answers to who took the turn.
func (f *follower) check(ctx context.Context, h identity) error {
	f.there = h
	switch {
	case h.Protocol != protocol:
		f.cancel(ctx)
		return ended(keeper.NotStarted, "the program on %s is another version than here", f.where.Node)
	case f.job.Incarnation == "":
		f.job.Incarnation = h.Incarnation
		return f.noteJob()
	case f.job.Incarnation != h.Incarnation:
		f.cancel(ctx)
		return ended(keeper.NodeLost, "the engine started its job once more, and nothing goes on with a turn of "+
			"another start; what had come home is kept")
	}
	return nil
}

// ask runs a short command of this package where the job runs.
func (f *follower) ask(ctx context.Context, input []byte, verb string) ([]byte, error) {
	return f.answer(ctx, input, f.settings.Engine.Program, jobVerb, verb, f.job.Folder)
}

// answer runs a short command where the job runs.
func (f *follower) answer(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	said, err := engine.Ask(ctx, f.engine, f.job.ID, input, args...)
	if err == nil && len(said) > mostSaid {
		err = fmt.Errorf("%s: its answer has %d bytes", strings.Join(args[1:], " "), len(said))
	}
	return said, err
}

// stillRuns says whether the engine answers, and is the end of the turn if that says that its job is over.
func (f *follower) stillRuns(ctx context.Context) (answers bool, over error) {
	j, err := f.engine.Look(ctx, f.job.ID)
	if err != nil {
		f.unreached(err)
		return false, nil
	}
	if j.Phase != engine.Running || f.stale(j) {
		return true, f.lost(ctx, j)
	}
	return true, nil
}
