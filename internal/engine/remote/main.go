package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"delegate/internal/engine"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/turn/keeper"
)

// jobVerb is the hidden command under which this program has a turn on an engine.
const jobVerb = "__remote"

// IsLife says whether arguments (without the program's name) name one of the lives of this package.
func IsLife(args []string) bool {
	return len(args) > 1 && (args[0] == jobVerb || args[0] == keeper.FollowVerb)
}

// frugal is how much what follows a turn lets its memory grow before it collects garbage, in percent: there can be a
// hundred of them, and they have little to do.
const frugal = 25

// Main leads one of them, and answers with its exit status.
func Main(ctx context.Context, args []string) (status int, mine bool) {
	if !IsLife(args) {
		return 0, false
	}
	err := errors.New("what to do there is missing")
	if args[0] == keeper.FollowVerb {
		debug.SetGCPercent(frugal)
		err = follow(ctx, args[1])
	} else if len(args) > 2 {
		err = live(ctx, args[1], args[2], args[3:])
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s %s: %v\n", time.Now().UTC().Format(time.RFC3339), args[0], err)
		return 1, true
	}
	return 0, true
}

// live is one of the lives of the hidden command.
func live(ctx context.Context, verb, where string, more []string) error {
	at := folder(where)
	more = append(more, "", "")
	switch verb {
	case "keep":
		return runJob(context.WithoutCancel(ctx), at, more[0])
	case "identify":
		return at.show(identityFile)
	case "start":
		return at.takeRequest(os.Stdin)
	case "stream":
		return serveStream(at, os.Stdin, os.Stdout)
	case "tips":
		return showTips(ctx, more[0])
	case "git":
		return serveGit(ctx, at, more[0])
	case "ack":
		return os.WriteFile(at.file(ackFile), nil, 0o600)
	case "ssh":
		return joinGit(ctx, keeper.Turn{Dir: where}, more[1])
	}
	return fmt.Errorf("%q is nothing that is done there", verb)
}

// show prints a file.
func (f folder) show(name string) error {
	data, err := os.ReadFile(f.file(name))
	if err == nil {
		_, err = os.Stdout.Write(data)
	}
	return err
}

// takeRequest keeps what the turn is. One that is there already stays.
func (f folder) takeRequest(in io.Reader) error {
	data, err := io.ReadAll(in)
	if err != nil || f.has(requestFile) {
		return err
	}
	return atomicfile.WriteFile(f.file(requestFile), data, 0o600)
}

// joinGit is what git calls in the place of ssh: it joins this process's streams with those of git where the job of a
// turn runs. More than the turn may bring home ends it.
func joinGit(ctx context.Context, t keeper.Turn, command string) error {
	l, j, err := open(t)
	if err != nil {
		return err
	}
	var service string
	if _, err := fmt.Sscanf(command, "%s ", &service); err != nil {
		return fmt.Errorf("join git's streams: %w", err)
	}
	c := engine.Open(l.Engine).Exec(j.ID, []string{l.Engine.Program, jobVerb, "git", j.Folder, service})
	c.Stdin, c.Stderr = os.Stdin, os.Stderr
	return run.Stream(ctx, c, func(out io.Reader) error {
		limit := l.mostHome()
		n, err := io.Copy(os.Stdout, io.LimitReader(out, limit))
		if err == nil && n == limit {
			err = errors.Join(fmt.Errorf("join git's streams: more than %d bytes come from there", limit),
				os.WriteFile(filepath.Join(t.Dir, tooMuchFile), nil, 0o600))
		}
		return err
	})
}

// mostHome is how many bytes git may send from there in one call: as many as of new objects are taken over, and some
// for what git says beside them.
func (l settings) mostHome() int64 {
	if l.MostOutput == 0 {
		return 4 << 30
	}
	return l.MostOutput + 16<<20
}

// open reads what the keeper of a turn on an engine left in its folder.
func open(t keeper.Turn) (l settings, j job, err error) {
	if err := atomicfile.ReadJSON(filepath.Join(t.Dir, settingsFile), &l); err != nil {
		return l, j, err
	}
	err = atomicfile.ReadJSON(filepath.Join(t.Dir, jobFile), &j)
	return l, j, err
}
