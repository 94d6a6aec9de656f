package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Listener is where the kernel asks about calls from inside a fence, which wait for the answer. It never lets a call
// through that the fence refuses: what writes, or starts a program, goes on to mounts and Landlock, whatever is found
// out about it here, connections are made here, and everything else that is asked about is refused. So it does no harm
// that a process changes its memory meanwhile.
type Listener struct {
	file   *os.File
	policy Policy
	asked  string // the worktree as the policy names it
	calls  map[uint32]pathCall
	begun  map[uint32]startCall
	kinds  map[uint32]string

	turn   sync.Mutex // held by who waits for the next question, so that nobody waits for one that another took
	wake   [2]int     // a pipe whose closed end has Serve return
	rootMu sync.Mutex
	root   int // of every process inside: none can change it; -1 until one was asked for

	flight  sync.Mutex // held for what follows
	making  int        // connections, also those of whose sockets nothing is known yet
	sockets map[int]*question
	dropped bool
}

// newListener is that of a fence that stands.
func newListener(fd int, p Policy, built Support) (*Listener, error) {
	l := &Listener{file: os.NewFile(uintptr(fd), "listener"), asked: p.Worktree, calls: pathCalls(),
		begun: startCalls(), kinds: refusedCalls(), root: -1, sockets: map[int]*question{}}
	if err := unix.Pipe2(l.wake[:], unix.O_CLOEXEC); err != nil {
		return nil, fmt.Errorf("open pipe: %w", err)
	}
	if !built.Overlay { // those that are spare stayed as they were
		p.Caches = slices.DeleteFunc(slices.Clone(p.Caches), func(c Cache) bool { return c.Spare })
	}
	l.policy = p.withoutLinks()
	return l, nil
}

// question is struct seccomp_notif, with room for what a later kernel adds.
type question struct {
	id     uint64
	pid    uint32 // of the thread
	flags  uint32
	number uint32
	arch   uint32
	at     uint64
	args   [6]uint64
}

// answer is struct seccomp_notif_resp.
type answer struct {
	id    uint64
	value int64
	fault int32
	flags uint32
}

// Serve answers until no process is left inside, or End was called, and hands on what was tried and refused.
// Several may serve at once, so that a question that waits for a slow file system holds up no other process. What may
// take as long as a network takes is handed to apart, which must not wait for it.
func (l *Listener) Serve(tell func(Tried), apart func(func())) {
	for {
		q, err := l.next()
		if err != nil {
			return
		}
		if q.number == unix.SYS_CONNECT && q.arch == auditArch[runtime.GOARCH] {
			if l.begin() {
				apart(func() { l.connecting(&q, tell) })
				continue
			}
			l.send(answer{id: q.id, fault: -int32(unix.EAGAIN)})
			continue
		}
		tried, a := l.judge(&q)
		if len(tried) > 0 && l.valid(&q) {
			for _, t := range tried {
				tell(t)
			}
		}
		l.send(a)
	}
}

// send answers a question, unless who asked is gone.
func (l *Listener) send(a answer) { _ = l.control(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a)) }

// valid reports whether the process still waits for the answer: else what was read may be another's.
func (l *Listener) valid(q *question) bool {
	return l.control(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&q.id)) == nil
}

// next waits for a question.
func (l *Listener) next() (q question, err error) {
	l.turn.Lock()
	defer l.turn.Unlock()
	for {
		fds := []unix.PollFd{{Fd: int32(l.file.Fd()), Events: unix.POLLIN}, {Fd: int32(l.wake[0])}}
		_, err := unix.Poll(fds, -1)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil, fds[1].Revents != 0, fds[0].Revents&unix.POLLIN == 0: // hung up: nobody is left inside
			return q, os.ErrClosed
		}
		q = question{}
		err = l.control(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&q))
		if err == nil {
			return q, nil
		}
		if !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EINTR) { // who asked is gone
			return q, err
		}
	}
}

// End has every Serve return.
func (l *Listener) End() { _ = unix.Close(l.wake[1]) }

// Drop ends the connections that are being made, once nobody inside waits for them any more.
func (l *Listener) Drop() {
	l.flight.Lock()
	defer l.flight.Unlock()
	l.dropped = true
	for socket := range l.sockets {
		_ = unix.Shutdown(socket, unix.SHUT_RDWR)
	}
}

// Close gives the descriptors up, once every Serve and what it handed on has returned.
func (l *Listener) Close() {
	_ = l.file.Close()
	for _, fd := range []int{l.wake[0], l.root} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}

func (l *Listener) control(request uintptr, argument unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, l.file.Fd(), request, uintptr(argument)); errno != 0 {
		return errno
	}
	return nil
}

// judge is what was tried and refused, and the answer.
func (l *Listener) judge(q *question) ([]Tried, answer) {
	goOn := answer{id: q.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	if q.arch == auditArch[runtime.GOARCH] {
		if call, is := l.calls[q.number]; is {
			return l.changes(q, call), goOn
		}
		if call, is := l.begun[q.number]; is {
			return l.starts(q, call), goOn
		}
	}
	return []Tried{{Kind: l.kindOf(q)}}, answer{id: q.id, fault: -int32(unix.EPERM)}
}
