//go:build bench && !windows

package agents_test

import (
	"context"
	"os"
	"strings"
	"time"

	"delegate/internal/sys/run"

	"github.com/creack/pty"
)

// landPatience is how long a landing may take, its verification included.
const landPatience = time.Minute

// land says yes to the landing question, as a person at a terminal.
func (t *trial) land(ctx context.Context) {
	keyboard, tty, err := pty.Open()
	if err == nil {
		err = pty.Setsize(keyboard, &pty.Winsize{Rows: 50, Cols: 160})
	}
	if err != nil {
		t.fault("open a terminal: %v", err)
		return
	}
	defer keyboard.Close()
	child, err := run.Keep(run.Command{Path: t.delegate, Args: []string{"sync", "merge", agentID}, Dir: t.repo(),
		Env: t.environ(), Stdin: tty, Stdout: tty, Stderr: tty})
	_ = tty.Close() // the child has its own: once it ends, reading does
	if err != nil {
		t.fault("delegate sync merge: %v", err)
		return
	}
	stop := func() { _ = child.Stop(0) }
	defer time.AfterFunc(landPatience, stop).Stop()
	defer context.AfterFunc(ctx, stop)()
	screen := answer(keyboard, "Land "+agentID+" (digest", "yes")
	exit, err := child.Wait()
	t.expect(err == nil && exit.Code == 0, "delegate sync merge: exit %d%s %v: %q", exit.Code, exit.Signal, err,
		screen[max(0, len(screen)-600):])
}

// answer types a line once the question is on the screen, and returns all that was shown to the end.
func answer(terminal *os.File, question, line string) string {
	var screen strings.Builder
	portion := make([]byte, 4096)
	for asked := false; ; {
		n, err := terminal.Read(portion)
		screen.Write(portion[:n])
		if err != nil { // the other side is closed
			return screen.String()
		}
		if !asked && strings.Contains(screen.String(), question) {
			asked = true
			if _, err := terminal.WriteString(line + "\r"); err != nil {
				return screen.String()
			}
		}
	}
}
