//go:build !windows

package terminal

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// open makes a pseudo-terminal of the size of the person's.
func open(like *os.File) (ours, program *os.File, err error) {
	blocking, program, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer blocking.Close()
	// The library leaves it in a mode in which a read that waits cannot be ended.
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		return nil, nil, errors.Join(err, program.Close())
	}
	ours = os.NewFile(uintptr(fd), "pseudo-terminal")
	copySize(like, ours)
	return ours, program, nil
}

// copySize gives a terminal the size of another. One that has none leaves it as it is.
func copySize(from, to *os.File) {
	size, err := unix.IoctlGetWinsize(int(from.Fd()), unix.TIOCGWINSZ)
	conn, connErr := to.SyscallConn()
	if err != nil || connErr != nil || size.Row == 0 {
		return
	}
	_ = conn.Control(func(fd uintptr) { _ = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, size) })
}

// listen hands on the person's keys and the size of their window until the answered function is called, which waits for
// what it ends.
func (p *Pair) listen() (stop func(), err error) {
	wake, end, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("open pipe: %w", err)
	}
	sizes := make(chan os.Signal, 1)
	signal.Notify(sizes, syscall.SIGWINCH)
	var both sync.WaitGroup
	both.Go(func() {
		for range sizes {
			copySize(p.out, p.ours)
		}
	})
	both.Go(func() { p.keys(wake) })
	return sync.OnceFunc(func() {
		signal.Stop(sizes)
		close(sizes)
		_ = end.Close()
		_ = p.ours.SetWriteDeadline(time.Now()) // of a program that reads nothing
		both.Wait()
		_ = wake.Close()
	}), nil
}

// keys copies what the person types until wake is closed. When their terminal goes away, so does the program's.
func (p *Pair) keys(wake *os.File) {
	in := int(p.in.Fd())
	fds := []unix.PollFd{{Fd: int32(in), Events: unix.POLLIN}, {Fd: int32(wake.Fd()), Events: unix.POLLIN}}
	buffer := make([]byte, 4<<10)
	for {
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		if fds[1].Revents != 0 {
			return
		}
		if fds[0].Revents == 0 {
			continue
		}
		n, err := unix.Read(in, buffer)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
			continue
		case err != nil || n == 0:
			_ = p.ours.Close()
			return
		}
		copySize(p.out, p.ours) // what is typed after a change of size meets the new one, however late its signal is
		if _, err := p.ours.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// evenBehind does what a process may do to its terminal only while it has the terminal's foreground, also where another
// has it by now.
func evenBehind(do func() error) error {
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	return do()
}
