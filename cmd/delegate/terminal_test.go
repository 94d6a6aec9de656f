//go:build !windows

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"golang.org/x/term"
)

// terminal runs a command on a pseudo-terminal and is the person there: each line of the answers
// file is `EXPECT text`, which waits until that was printed, or `TYPE text`, which types it and
// Enter, or `KEY c` or `KEY d` with Ctrl; for programs that fill the screen `SEE text`, which waits
// until that is on it, `PRESS keys` without Enter, `SIZE columns rows`, `SIGNAL name`, and
// `RESTORED`, which waits for the end and holds that the terminal is as it was. What the command
// showed goes to standard output; its exit code is this program's.
func terminal(args []string) error {
	answers, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	cmd := exec.Command(args[1], args[2:]...)
	tty, before, err := startOnTerminal(cmd)
	if err != nil {
		return err
	}
	defer tty.Close()
	s := &screenshot{screen: newScreen(160, 50)}
	copied := make(chan struct{})
	go func() {
		_, _ = io.Copy(s, tty) // ends with an error when the command does
		close(copied)
	}()
	for line := range strings.SplitSeq(strings.TrimSpace(string(answers)), "\n") {
		err := s.act(line, tty, copied)
		if err == nil {
			err = s.actOnScreen(line, tty, cmd)
		}
		if err != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			fmt.Print(s.text(), "\n\n", s.screen.String())
			return err
		}
	}
	status, err := ended(waitFor(cmd))
	<-copied
	fmt.Print(s.text())
	if err == nil && strings.HasSuffix(strings.TrimSpace(string(answers)), "RESTORED") {
		err = s.restored(tty, before)
	}
	if err == nil && status != 0 {
		err = &exitError{status}
	}
	return err
}

// startOnTerminal starts a command as the first process of a new pseudo-terminal, and answers with
// our end of it and its mode before.
func startOnTerminal(cmd *exec.Cmd) (tty *os.File, before *term.State, err error) {
	tty, theirs, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer theirs.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = pty.Setsize(tty, &pty.Winsize{Rows: 50, Cols: 160})
	if err == nil {
		before, err = term.GetState(int(tty.Fd()))
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		tty.Close()
	}
	return tty, before, err
}

// patience is how long a script waits for what must come. It costs nothing where it comes, and a
// loaded machine is slow.
const patience = 2 * time.Minute

func waitFor(cmd *exec.Cmd) error {
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
	defer timer.Stop()
	return cmd.Wait()
}

// screenshot is everything that was shown so far, and how far it was looked at.
type screenshot struct {
	mu   sync.Mutex
	data []byte
	seen int // in the plain text

	screen vt10x.Terminal // of a terminal that shows it
	rest   []byte         // a sequence whose end has not come
}

func (s *screenshot) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data = append(s.data, p...)
	s.draw(p)
	return len(p), nil
}

func (s *screenshot) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return plain(s.data)
}

func (s *screenshot) act(line string, tty *os.File, over <-chan struct{}) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "", "SEE", "PRESS", "SIZE", "SIGNAL", "RESTORED": // see actOnScreen
		return nil
	case "TYPE":
		_, err := tty.WriteString(rest + "\r")
		return err
	case "KEY":
		_, err := tty.Write([]byte{rest[0] & 0x1f})
		return err
	case "RUN":
		out, err := exec.Command("sh", "-c", rest).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", rest, err, out)
		}
		return nil
	case "EXPECT":
		return s.expect(rest, over)
	}
	return fmt.Errorf("answers: what is %q?", line)
}

func (s *screenshot) expect(want string, over <-chan struct{}) error {
	deadline := time.After(patience)
	for last := false; ; {
		text := s.text()
		if at := strings.Index(text[min(s.seen, len(text)):], want); at >= 0 {
			s.seen += at + len(want)
			return nil
		}
		if last {
			return fmt.Errorf("%q never came", want)
		}
		select {
		case <-over:
			last = true
		case <-deadline:
			return errors.Join(fmt.Errorf("%q did not come", want), os.ErrDeadlineExceeded)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
