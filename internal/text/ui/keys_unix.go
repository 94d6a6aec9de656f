//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// patience is how often, in milliseconds, a wait looks whether its context still lives.
	patience = 100
	// quiet is how long, in milliseconds, nothing may arrive before a question is shown, and
	// quietAfterInput how long once something did: text that is pasted, or comes over a network or from a
	// busy machine, arrives in pieces.
	quiet, quietAfterInput = 20, 250
	// mostDiscarded is how many pieces are thrown away before it is no person's typing.
	mostDiscarded = 50
)

// ended tells the end of the input from escape sequences that the prompt library has no name for.
func (k *keys) ended(error) error { return k.err }

// awaitInput returns when there is something to read, or the input ended, or the context did.
func awaitInput(ctx context.Context, f *os.File) error {
	for {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		events, err := poll(f, patience)
		if err != nil || events != 0 {
			return err
		}
	}
}

// poll waits so many milliseconds for input and returns the events, 0 if there were none.
func poll(f *os.File, milliseconds int) (int16, error) {
	fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, milliseconds)
		switch {
		case errors.Is(err, unix.EINTR): // a signal is no input, and the time did not pass
		case err != nil:
			return 0, fmt.Errorf("wait for input: %w", err)
		default:
			return fds[0].Revents, nil
		}
	}
}

// discardTyped throws away what was typed so far, until nothing comes any more. unread is for how long nobody has read
// what is typed, on a terminal that shows single keys: what had come meanwhile would be there.
func discardTyped(f *os.File, unread time.Duration) error {
	wait := max(0, quiet-int(unread.Milliseconds()))
	for range mostDiscarded {
		events, err := poll(f, wait)
		if err != nil {
			return err
		}
		if events&(unix.POLLHUP|unix.POLLERR) != 0 {
			return ErrClosed
		}
		// Flushed even when there is nothing to read: a line without its end is not, and waits all the same.
		if err := flushInput(int(f.Fd())); err != nil {
			return fmt.Errorf("throw away typed input: %w", err)
		}
		if events&unix.POLLIN == 0 {
			return nil
		}
		wait = quietAfterInput
	}
	return ErrFlooded
}

// echo has the terminal show what is typed, or not, and reports whether that changed anything. The mode of a terminal
// is not another's to change than those in the foreground: a shell has it for itself when they are not.
func echo(f *os.File, on bool) bool {
	fd := int(f.Fd())
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	if err != nil || group != unix.Getpgrp() {
		return false
	}
	mode, err := unix.IoctlGetTermios(fd, getMode)
	if err != nil || (mode.Lflag&unix.ECHO != 0) == on {
		return false
	}
	mode.Lflag ^= unix.ECHO
	return unix.IoctlSetTermios(fd, setMode, mode) == nil
}

// lineMode lets the terminal collect, show and correct a line, and returns what undoes that.
// Ctrl-C is made to end the line instead of raising a signal, so that it is seen here even where
// another part of the program handles signals.
func lineMode(f *os.File) (restore func() error, err error) {
	fd := int(f.Fd())
	before, err := unix.IoctlGetTermios(fd, getMode)
	if err != nil {
		return nil, err
	}
	mode := *before
	mode.Iflag |= unix.ICRNL
	mode.Lflag |= unix.ICANON | unix.ECHO | unix.ECHOE | unix.ECHOK
	mode.Lflag &^= unix.ISIG
	mode.Cc[unix.VEOL] = '\x03'
	if err := unix.IoctlSetTermios(fd, setMode, &mode); err != nil {
		return nil, err
	}
	return func() error { return restored(unix.IoctlSetTermios(fd, setMode, before)) }, nil
}
