//go:build !windows

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"golang.org/x/term"
)

// newScreen is a terminal without a window, for what a stream of output does not tell: what is on the screen now.
func newScreen(columns, rows int) vt10x.Terminal {
	return vt10x.New(vt10x.WithSize(columns, rows))
}

// keyboardModes are requests about the keyboard, which the emulator takes for something else.
var keyboardModes = regexp.MustCompile(`\x1b\[[<>=?][0-9;]*[um]`)

// cutOff matches the beginning of a control sequence.
var cutOff = regexp.MustCompile(`\x1b(\[[<>=?]?[0-9;]*)?$`)

// draw shows a piece of output, which may end anywhere.
func (s *screenshot) draw(p []byte) {
	all := append(s.rest, p...)
	end := len(all)
	if at := cutOff.FindIndex(all); at != nil {
		end = at[0]
	}
	for back := end - 1; back >= max(0, end-utf8.UTFMax); back-- { // a character may be cut as well
		if utf8.RuneStart(all[back]) {
			if !utf8.FullRune(all[back:end]) {
				end = back
			}
			break
		}
	}
	s.rest = append([]byte(nil), all[end:]...)
	_, _ = s.screen.Write(keyboardModes.ReplaceAll(all[:end], nil)) // it never gives an error
}

// actOnScreen is what a person does at a program that fills the screen.
func (s *screenshot) actOnScreen(line string, tty *os.File, cmd *exec.Cmd) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "SEE":
		return s.see(rest)
	case "PRESS":
		_, err := tty.WriteString(rest)
		return err
	case "SIZE":
		var columns, rows int
		if _, err := fmt.Sscan(rest, &columns, &rows); err != nil {
			return err
		}
		s.mu.Lock()
		s.screen.Resize(columns, rows)
		s.mu.Unlock()
		return pty.Setsize(tty, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)})
	case "SIGNAL":
		signal, known := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP,
			"INT": syscall.SIGINT}[rest]
		if !known {
			return fmt.Errorf("answers: no signal is called %q", rest)
		}
		return cmd.Process.Signal(signal)
	}
	return nil
}

// see waits until all parts, which "…" separates, are in one row of the screen.
func (s *screenshot) see(want string) error {
	parts := strings.Split(want, " … ")
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		s.mu.Lock()
		shown := s.screen.String()
		s.mu.Unlock()
		for row := range strings.SplitSeq(shown, "\n") {
			at := 0
			for _, part := range parts {
				found := strings.Index(row[at:], part)
				if at += found + len(part); found < 0 {
					at = -1
					break
				}
			}
			if at >= 0 {
				return nil
			}
		}
		if time.Now().After(deadline) {
			return errors.Join(fmt.Errorf("%q did not come to the screen", want), os.ErrDeadlineExceeded)
		}
	}
}

// restored holds that a program which has ended left the terminal as it found it.
func (s *screenshot) restored(tty *os.File, before *term.State) error {
	now, err := term.GetState(int(tty.Fd()))
	switch {
	case err != nil:
		return err
	case *now != *before:
		return fmt.Errorf("the terminal's mode is %v, was %v", *now, *before)
	case s.screen.Mode()&vt10x.ModeAltScreen != 0:
		return errors.New("the screen is still the other one")
	case !s.screen.CursorVisible():
		return errors.New("the cursor is still hidden")
	}
	return nil
}
