// Package notify tells a person who is not looking that something happened: by a command of theirs,
// and on their desktop.
package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"delegate/internal/sys/run"
)

// limit is how long one notification may take.
const limit = 10 * time.Second

// Event is what happened. Its JSON is what the person's command reads.
type Event struct {
	Session string    `json:"session"`
	Agent   string    `json:"agent"` // "" if the event is of the whole session
	Event   string    `json:"event"`
	Details string    `json:"details"`
	Status  string    `json:"status"` // of the agent or session after the event
	Time    time.Time `json:"time"`   // sent in UTC
}

// Options say how a person is told.
type Options struct {
	Command []string // program and arguments, run without a shell; none if empty
	Desktop bool     // whether the desktop is told as well, where there is one
	Dir     string   // working folder of both, absolute; a command with a relative path is taken from it
	Env     []string // environment of both; nil is that of this process
}

// Send tells the person by all the ways of the options, one after the other; each is ended with all
// that it started after ten seconds. The command gets the event as one JSON document on standard
// input, which it need not read; what it prints is discarded. A missing desktop is no error. The
// errors of the ways are joined; each quotes the program and wraps a *run.ExitError,
// run.ErrTimeLimit, or the reason why ctx ended.
func Send(ctx context.Context, o Options, e Event) error {
	if o.Env == nil {
		o.Env = os.Environ()
	}
	var errs []error
	if len(o.Command) > 0 {
		errs = append(errs, o.command(ctx, e))
	}
	if o.Desktop {
		errs = append(errs, o.desktop(ctx, e))
	}
	return errors.Join(errs...)
}

func (o Options) command(ctx context.Context, e Event) error {
	path, err := run.Which(o.Command[0], o.Dir, variable(o.Env, "PATH"))
	if err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	e.Time = e.Time.UTC()
	document, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("notify by %q: %w", o.Command[0], err)
	}
	return o.start(ctx, run.Command{Path: path, Args: o.Command[1:], Stdin: bytes.NewReader(append(document, '\n'))})
}

func (o Options) desktop(ctx context.Context, e Event) error {
	if !hasDesktop(runtime.GOOS, o.Env) {
		return nil
	}
	argv := display(runtime.GOOS, e)
	path, err := run.Which(argv[0], o.Dir, variable(o.Env, "PATH"))
	if err != nil {
		return nil // a desktop without the program is a desktop that cannot be told
	}
	return o.start(ctx, run.Command{Path: path, Args: argv[1:]})
}

func (o Options) start(ctx context.Context, c run.Command) error {
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	c.Dir, c.Env = o.Dir, o.Env
	if err := run.Group(ctx, c); err != nil {
		return fmt.Errorf("notify by %q: %w", c.Path, err)
	}
	return nil
}

// variable is the value of a variable; as for a program that is started, the last one of a name counts.
func variable(env []string, name string) (value string) {
	for _, entry := range env {
		if found, ok := strings.CutPrefix(entry, name+"="); ok {
			value = found
		}
	}
	return value
}
