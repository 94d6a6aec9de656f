package keeper

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/sys/terminal"
)

// KeeperVerb is the hidden command under which this program is its own keeper.
const KeeperVerb = "__keeper"

// RunKeeper is the life of a keeper: take the turn, start the program, forward signals, collect
// every process of its tree, write the exit. It returns once no process of the agent is left.
func RunKeeper(dir string) error {
	t := Turn{Dir: dir}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	signal.Ignore(syscall.SIGHUP)
	lock, err := atomicfile.TryLock(t.lockFile())
	if errors.Is(err, atomicfile.ErrLocked) {
		return nil // another keeper has it
	}
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if _, err := t.Exit(); err == nil {
		return nil
	}
	if _, err := t.Record(); err == nil {
		return fmt.Errorf("turn %q had a keeper before", dir)
	}
	spec, err := t.Spec()
	if err != nil {
		return err
	}
	if spec.Terminal {
		signal.Notify(signals, syscall.SIGHUP)
	}
	if err := run.AdoptOrphans(); err != nil {
		return err
	}
	endProxy, err := spec.Fence.serveProxy()
	if err != nil {
		return t.notStarted(err)
	}
	defer endProxy()
	child, err := t.begin(spec)
	if err != nil {
		return t.notStarted(err)
	}
	return t.finish(child, spec, signals)
}

// notStarted writes the exit of a turn whose program never ran.
func (t Turn) notStarted(err error) error {
	return writeJSON(t.exitFile(), Exit{Code: -1, Cause: NotStarted, Error: err.Error(), Ended: time.Now().UTC()})
}

// fencedChild is a program that runs, with what is heard from inside its fence.
type fencedChild struct {
	*run.Child
	reports *reports       // nil without a fence
	person  *terminal.Pair // what a person works at, nil if nobody does
}

// leftMark is the mark by which processes of the turn are found that outlive its program, "" where none does: the
// system ends those of a namespace with its first process.
func (c fencedChild) leftMark(spec Spec) string {
	if c.reports != nil && c.reports.built.Namespaces {
		return ""
	}
	return spec.Mark
}

// begin starts the program with its output going straight to the transcript, which therefore outlives this process too.
// What a person works at is copied there.
func (t Turn) begin(spec Spec) (child fencedChild, err error) {
	output, err := os.OpenFile(t.Output(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return child, fmt.Errorf("open transcript: %w", err)
	}
	defer output.Close()
	var stdin io.Reader
	if spec.Stdin != "" {
		file, err := os.Open(spec.Stdin)
		if err != nil {
			return child, fmt.Errorf("open prompt: %w", err)
		}
		defer file.Close()
		stdin = file
	}
	program, err := run.Which(spec.Args[0], spec.Dir, run.Variable(spec.Env, "PATH"))
	if err != nil {
		return child, err
	}
	command := run.Command{
		Path: program, Args: spec.Args[1:], Dir: spec.Dir, Env: spec.Env, Stdin: stdin, Stdout: output, Stderr: output,
	}
	if spec.Terminal {
		if child.person, err = t.joinPerson(&command); err != nil {
			return child, err
		}
		defer func() {
			if err != nil {
				err = errors.Join(err, child.person.End())
			}
		}()
	}
	if child.Child, child.reports, err = spec.Fence.start(command, copyOutput); err != nil {
		return child, err
	}
	child.person.Started()
	record := Record{Keeper: run.Self(), Agent: child.Identity, Started: time.Now().UTC()}
	if child.reports != nil {
		record.Fence, record.Resources = child.reports.built, &child.reports.held
	}
	if err := writeJSON(t.recordFile(), record); err != nil {
		_ = child.Stop(0)
		return child, err
	}
	return child, nil
}

// finish waits for the program, obeying signals meanwhile, clears its tree, and only then writes the exit.
func (t Turn) finish(child fencedChild, spec Spec, signals <-chan os.Signal) error {
	type result struct {
		exit run.Exit
		err  error
	}
	over := make(chan result, 1)
	go func() { // owned by this function, which receives what it sends
		exit, err := child.Wait()
		over <- result{exit, err}
	}()
	end := ending{child: child, grace: spec.StopGrace}
	orphans := time.NewTicker(10 * time.Second)
	defer orphans.Stop()
	for {
		select {
		case <-orphans.C:
			child.Reap()
		case s := <-signals:
			end.obey(s)
		case <-end.late:
			stop(child.Child, spec.StopGrace)
		case r := <-over:
			shown := child.person.End()
			clearErr := child.Clear(child.leftMark(spec), min(spec.StopGrace, 2*time.Second))
			exit := Exit{Code: r.exit.Code, Signal: r.exit.Signal, Cause: end.cause, Ended: time.Now().UTC()}
			child.reports.complete(&exit)
			if err := errors.Join(r.err, clearErr); err != nil {
				exit.Error = err.Error()
			}
			exit.Error = cmp.Or(exit.Error, end.why)
			return errors.Join(shown, t.leave(exit))
		}
	}
}

// ending is how a turn is ended before its program ends it.
type ending struct {
	child fencedChild
	grace time.Duration
	cause Cause
	why   string           // in words, "" for what needs none
	late  <-chan time.Time // when one that ignores its interruption is stopped
}

func (e *ending) obey(s os.Signal) {
	e.child.person.HangUp() // a program on a screen takes Ctrl-C for a key
	if s == os.Interrupt {
		e.cause = Interrupted
		_ = e.child.Interrupt()
		e.late = time.After(e.grace)
		return
	}
	e.cause = Stopped
	if s == syscall.SIGHUP {
		e.why = "the terminal was closed"
	}
	stop(e.child.Child, e.grace)
}

// leave writes the exit. On a full disk it waits for room while it holds the turn: without this
// file a sound end would look like a lost one.
func (t Turn) leave(exit Exit) error {
	const pause, patience = time.Second, 3600
	err := writeJSON(t.exitFile(), exit)
	for tries := 0; err != nil && tries < patience; tries++ {
		if _, gone := os.Stat(t.Dir); gone != nil {
			break
		}
		time.Sleep(pause)
		err = writeJSON(t.exitFile(), exit)
	}
	return err
}

func stop(child *run.Child, grace time.Duration) {
	if err := child.Stop(grace); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}
