package remote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
)

const (
	// silence is how long a stream may say nothing before it counts as broken.
	silence = 3*beatEvery + 5*time.Second
	// filesEvery is how often the agent's folder here is looked at.
	filesEvery = 500 * time.Millisecond
	// stopPatience is how long a turn that was told to end has for it, beside its grace, before its job is taken away.
	stopPatience = 30 * time.Second
)

// listener is what the side here keeps of a turn while it goes on there.
type listener struct {
	*follower
	output  *os.File
	size    int64
	most    int64 // bytes of the transcript that are kept; 0 is no limit
	files   agentFiles
	lastAsk ask // what was said there last
}

// listen keeps the transcript and the agent's folder like those there, until the turn is over. A stream that breaks is
// begun anew from where it broke.
func (f *follower) listen(ctx context.Context) (end, error) {
	l, err := f.openListener()
	if err != nil {
		return end{}, err
	}
	defer l.output.Close()
	for wait := firstPause; ; wait = min(2*wait, lastPause) {
		last, heard, err := l.stream(ctx)
		if err == nil {
			return last, nil
		}
		if heard {
			wait = firstPause
		}
		if _, ok := errors.AsType[*os.PathError](err); ok { // a disk here that is full
			fmt.Fprintln(os.Stderr, err)
		}
		answers, over := f.stillRuns(ctx)
		if over != nil {
			return end{}, over
		}
		if err := f.tooLate(ctx); err != nil {
			return end{}, err
		}
		if answers {
			f.unreached(fmt.Errorf("its stream ended: %w", err))
		}
		f.pause(wait)
	}
}

// tooLate takes the job of a turn away that was told to end and does not.
func (f *follower) tooLate(ctx context.Context) error {
	if f.stopping.IsZero() || time.Since(f.stopping) < 2*f.grace+stopPatience {
		return nil
	}
	f.cancel(ctx)
	return ended(keeper.Stopped, "it did not end there when it was told to, and its job was cancelled; what had come "+
		"home is kept")
}

func (f *follower) openListener() (*listener, error) {
	output, err := os.OpenFile(f.turn.Output(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open transcript: %w", err)
	}
	info, err := output.Stat()
	if err != nil {
		return nil, errors.Join(err, output.Close())
	}
	l := &listener{follower: f, output: output, size: info.Size(), most: f.settings.MostOutput}
	var kept agentFiles
	if err := atomicfile.ReadJSON(filepath.Join(f.turn.Dir, filesFile), &kept); err != nil &&
		!errors.Is(err, os.ErrNotExist) {
		return nil, errors.Join(err, output.Close())
	}
	l.files = newAgentFiles(kept.Known, kept.There)
	l.files.dir = agentdir.Dir(f.settings.Request.AgentDir)
	return l, nil
}

// stream is one life of the stream; heard says that anything came on it. Without an error the turn is over.
func (l *listener) stream(ctx context.Context) (last end, heard bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	piped, err := run.StartPiped(ctx, l.engine.Exec(l.job.ID, []string{l.settings.Engine.Program, jobVerb, "stream",
		l.job.Folder}))
	if err != nil {
		return last, false, err
	}
	frames, failed := make(chan frame), make(chan error, 1)
	go func() { // ends with the stream, which is closed below
		lines := bufio.NewReaderSize(piped.Out, 1<<20)
		for {
			f, err := read(lines)
			if err != nil {
				failed <- err
				return
			}
			select {
			case frames <- f:
			case <-ctx.Done():
				return
			}
		}
	}()
	to := &writer{to: piped.In}
	l.lastAsk = ""
	last, heard, err = l.converse(to, frames, failed)
	stop()
	if closed := piped.Close(); err != nil && closed != nil && ctx.Err() == nil {
		err = closed
	}
	return last, heard, err
}

// converse says and hears what there is, until the turn is over or the stream is.
func (l *listener) converse(to *writer, frames <-chan frame, failed <-chan error) (last end, heard bool, err error) {
	line, err := json.Marshal(position{Offset: l.size, Known: l.files.There, There: l.files.Known})
	if err == nil {
		_, err = to.to.Write(append(line, '\n'))
	}
	if err != nil {
		return last, false, err
	}
	pulse := time.NewTicker(filesEvery)
	defer pulse.Stop()
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		select {
		case f := <-frames:
			heard = true
			quiet.Reset(silence)
			if f.Kind == frameEnd {
				err := json.Unmarshal(f.Data, &last)
				return last, true, err
			}
			if err := l.take(f); err != nil {
				return last, heard, err
			}
		case err := <-failed:
			return last, heard, err
		case <-quiet.C:
			return last, heard, fmt.Errorf("nothing was heard of it for %s", silence)
		case s := <-l.signals:
			l.noteSignal(s)
			if err := l.tell(to); err != nil {
				return last, heard, err
			}
		case <-pulse.C:
			if err := errors.Join(l.tell(to), l.sendFiles(to)); err != nil {
				return last, heard, err
			}
			if l.tooLong() {
				return last, heard, errors.New("it does not end there")
			}
		}
	}
}

func (l *listener) tooLong() bool {
	return !l.stopping.IsZero() && time.Since(l.stopping) > 2*l.grace+stopPatience
}

// tell says there what somebody wants of the turn, once on each stream.
func (l *listener) tell(to *writer) error {
	want := l.lastAsk
	switch {
	case !l.stopping.IsZero():
		want = askStop
	case l.interrupted:
		want = askInterrupt
	}
	if want == l.lastAsk {
		return nil
	}
	l.lastAsk = want
	return to.send(frame{Kind: frameAsk, Name: string(want)})
}

// take takes in one thing that came from there.
func (l *listener) take(f frame) error {
	w := l.where
	if !w.Unreached.IsZero() {
		w.Unreached, w.Why = time.Time{}, ""
		l.show(w)
	}
	switch f.Kind {
	case frameOutput:
		data := f.Data
		if l.most > 0 {
			data = data[:min(int64(len(data)), max(0, l.most-l.size))]
		}
		n, err := l.output.Write(data)
		l.size += int64(n)
		return err
	case frameFile:
		return l.keepFiles(l.files.take(f))
	case frameGone:
		l.files.drop(f.Name)
		return l.keepFiles(nil)
	case frameRefused:
		a := l.settings.Request.Agent // whose worktree has another place there
		there := path.Join(l.job.Folder, workFolder, filepath.Base(a.Worktree))
		return l.turn.KeepRefusals(bytes.ReplaceAll(f.Data, []byte(there+"/"), []byte(a.Worktree+"/")))
	case frameAgain:
		w.Why = "the engine started its job once more; that start was refused"
		l.show(w)
	case frameBegun:
		return l.takeBegun(f.Data)
	}
	return nil
}

// takeBegun notes that the program runs, and behind which fence. The clock begins here, by this machine's time.
func (l *listener) takeBegun(data []byte) error {
	var b begun
	if err := json.Unmarshal(data, &b); err != nil {
		return err
	}
	if !l.record.Started.IsZero() {
		return nil
	}
	l.record.Started, l.record.Fence, l.record.Resources = time.Now().UTC(), b.Fence, b.Resources
	w := l.where
	w.Began = l.record.Started
	l.show(w)
	return l.turn.KeepRecord(l.record)
}

// keepFiles notes what both sides have, for the keeper after this one.
func (l *listener) keepFiles(err error) error {
	return errors.Join(err, atomicfile.WriteJSON(filepath.Join(l.turn.Dir, filesFile), l.files))
}

// sendFiles sends what is new in the agent's folder here. As long as the turn is not prepared there, it waits.
func (l *listener) sendFiles(to *writer) error {
	if l.record.Started.IsZero() {
		return nil
	}
	if sent, err := l.files.send(to.send); !sent || err != nil {
		return err
	}
	return l.keepFiles(nil)
}
