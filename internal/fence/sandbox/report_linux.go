package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Channel is the outer end of what a fenced process tells.
type Channel struct {
	fd       int
	listener int // that came with what was told, -1 for none
}

// OpenChannel makes a channel; inner is for Wrap's command.
func OpenChannel() (c *Channel, inner *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open channel: %w", err)
	}
	return &Channel{fd: pair[0], listener: -1}, os.NewFile(uintptr(pair[1]), "reports"), nil
}

// Read reads what was told, to its end.
func (c *Channel) Read(p []byte) (int, error) {
	rights := make([]byte, unix.CmsgSpace(4))
	for {
		n, with, _, _, err := unix.Recvmsg(c.fd, p, rights, unix.MSG_CMSG_CLOEXEC)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, os.NewSyscallError("recvmsg", err)
		case n == 0:
			return 0, io.EOF
		}
		messages, err := unix.ParseSocketControlMessage(rights[:with])
		if err != nil {
			return n, fmt.Errorf("read channel: %w", err)
		}
		for _, m := range messages {
			if fds, err := unix.ParseUnixRights(&m); err == nil && len(fds) == 1 {
				c.listener = fds[0]
			}
		}
		return n, nil
	}
}

// Listener is where the fence asks, nil if it does not.
func (c *Channel) Listener(p Policy, built Support) (*Listener, error) {
	if c.listener < 0 {
		return nil, nil
	}
	fd := c.listener
	c.listener = -1
	return newListener(fd, p, built)
}

// Close gives the channel up.
func (c *Channel) Close() error {
	if c.listener >= 0 {
		_ = unix.Close(c.listener)
	}
	return unix.Close(c.fd)
}

// WriteReport writes a report. Nobody may be listening any more, which is no fault.
func WriteReport(r Report) { writeReport(r, -1) }

// writeReport hands the descriptor of the listener on with the report: no process inside keeps it.
func writeReport(r Report, listener int) {
	data, err := json.Marshal(r)
	if err != nil {
		return
	}
	data = append(data, '\n')
	if listener < 0 {
		_, _ = unix.Write(reportFD, data)
		return
	}
	_ = unix.Sendmsg(reportFD, data, unix.UnixRights(listener), nil, 0)
	_ = unix.Close(listener)
}

// AwaitNoListener returns when nobody listens to reports any more.
func AwaitNoListener() {
	fds := []unix.PollFd{{Fd: reportFD}} // that the other end is closed is told without being asked for
	for fds[0].Revents == 0 {
		if _, err := unix.Poll(fds, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
