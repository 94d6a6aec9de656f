package sandbox

import (
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// connecting makes connections for the processes inside: what a Unix socket is connected to is a file, whose name the
// filter of system calls does not see. The call itself is never let through, as the process could put another address
// or another socket in the place of those that were looked at. On the socket that is taken the keeper connects to the
// very file that it looked at.
//
// Other sockets are connected the same way, to the address that was read: their network is that of the namespace in
// which they were made.
func (l *Listener) connecting(q *question, tell func(Tried)) {
	defer l.finish()
	tried, fault := l.connect(q)
	if tried != nil && l.valid(q) {
		tell(*tried)
	}
	l.send(answer{id: q.id, fault: -int32(fault)})
}

func (l *Listener) connect(q *question) (*Tried, unix.Errno) {
	const mostAddress = 128 // struct sockaddr_storage
	length := int(int32(q.args[2]))
	if length < 0 || length > mostAddress {
		return nil, unix.EINVAL
	}
	socket, err := takeDescriptor(q.pid, int(int32(q.args[0])))
	if err != nil {
		return nil, asErrno(err, unix.EBADF)
	}
	defer unix.Close(socket)
	var address []byte
	if length > 0 {
		if address, err = read(q.pid, q.args[1], length); err != nil {
			return nil, unix.EFAULT
		}
	}
	family, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return nil, asErrno(err, unix.ENOTSOCK)
	}
	if !l.valid(q) { // the number may be another process's by now, whose socket was taken
		return nil, unix.EINTR
	}
	switch family {
	case unix.AF_UNIX:
		return l.connectUnix(q, socket, address)
	case unix.AF_INET, unix.AF_INET6:
		return nil, l.join(q, socket, address)
	}
	// To choose whom to send to takes rights with the others, which this process may have and those inside have not.
	if slices.ContainsFunc(address[min(2, len(address)):], func(b byte) bool { return b != 0 }) {
		return nil, unix.EPERM
	}
	return nil, l.join(q, socket, address)
}

// connectUnix connects to a socket of those inside, or to one that the policy names.
func (l *Listener) connectUnix(q *question, socket int, address []byte) (*Tried, unix.Errno) {
	const head = 2 // the family
	if len(address) <= head || binary.NativeEndian.Uint16(address) != unix.AF_UNIX {
		return nil, unix.EINVAL
	}
	if address[head] == 0 { // a name without a file, which those of one network share
		if l.policy.Network.Mode == Open {
			return &Tried{Kind: TriedSocket, Path: "@" + strings.ToValidUTF8(string(address[head+1:]), "\ufffd")},
				unix.EPERM
		}
		return nil, l.joinUnix(q, socket, address)
	}
	name, _, _ := strings.Cut(string(address[head:]), "\x00")
	at, err := l.openPath(q, name)
	if err != nil {
		return nil, asErrno(err, unix.ENOENT)
	}
	defer unix.Close(at)
	place, reachable := l.reachable(at)
	if !reachable {
		if place == "" {
			return nil, unix.ECONNREFUSED // it is no socket
		}
		if socketHabit(place) {
			return nil, unix.EPERM
		}
		return &Tried{Kind: TriedSocket, Path: place}, unix.EPERM
	}
	direct := binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX)
	direct = append(direct, "/proc/self/fd/"+strconv.Itoa(at)+"\x00"...)
	return nil, l.joinUnix(q, socket, direct)
}

// reachable reports whether those inside may connect to an open file: they made it themselves, as it lies where they
// write, the policy names it, or it is one that the system's library asks for hosts and users. No place: no socket.
func (l *Listener) reachable(at int) (place string, may bool) {
	var is unix.Stat_t
	if unix.Fstat(at, &is) != nil || is.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return "", false
	}
	place, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(at))
	if err != nil {
		return "", false
	}
	for _, named := range l.policy.openSockets() {
		var want unix.Stat_t
		if unix.Stat(named, &want) == nil && want.Dev == is.Dev && want.Ino == is.Ino {
			return place, true
		}
	}
	var system unix.Statfs_t
	err = unix.Fstatfs(at, &system)
	return place, err == nil && system.Flags&unix.ST_RDONLY == 0 || resolvesNames(place)
}

// openSockets are the Unix sockets outside that can be reached by name.
func (p Policy) openSockets() []string {
	if p.Network.Socket == "" {
		return p.Sockets
	}
	return append(slices.Clone(p.Sockets), p.Network.Socket)
}

// openPath opens what a process names, as it sees it, without reading it. A link at the end is followed.
func (l *Listener) openPath(q *question, name string) (int, error) {
	root, err := l.within(q)
	if err != nil {
		return -1, err
	}
	if !strings.HasPrefix(name, "/") {
		folder, err := leadsTo(q.pid, "cwd", -1)
		if err != nil {
			return -1, err
		}
		name = folder + "/" + name
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT}
	return unix.Openat2(root, ownProcess(q.pid, name), &how)
}

// mostConnections bounds those that are made at the same time: each that waits holds up a thread of this process, and
// goes on waiting where who asked is ended meanwhile.
const mostConnections = 256

// begin counts a connection that is to be made, which ends with finish. Where there are too many already, those that
// nobody waits for any more are given up, and this one is not made.
func (l *Listener) begin() bool {
	l.flight.Lock()
	defer l.flight.Unlock()
	if l.dropped || l.making >= mostConnections {
		for socket, q := range l.sockets {
			if !l.valid(q) {
				_ = unix.Shutdown(socket, unix.SHUT_RDWR)
			}
		}
		return false
	}
	l.making++
	return true
}

func (l *Listener) finish() {
	l.flight.Lock()
	defer l.flight.Unlock()
	l.making--
}

// join connects a socket of those inside. It may take as long as a network takes; Drop has it return.
func (l *Listener) join(q *question, socket int, address []byte) unix.Errno {
	if !l.keepSocket(q, socket) {
		return unix.ECONNABORTED
	}
	defer l.dropSocket(socket)
	var at unsafe.Pointer
	if len(address) > 0 {
		at = unsafe.Pointer(&address[0])
	}
	for {
		_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(socket), uintptr(at), uintptr(len(address)))
		if errno != unix.EINTR {
			return errno
		}
	}
}

// lookAgain is how long a Unix socket waits for a server that takes nobody before it is looked whether somebody still
// waits for the answer. Nothing else has such a wait end.
const lookAgain = 200 * time.Millisecond

// joinUnix connects a Unix socket.
func (l *Listener) joinUnix(q *question, socket int, address []byte) unix.Errno {
	limit, err := unix.GetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_SNDTIMEO)
	if err != nil {
		return asErrno(err, unix.ENOTSOCK)
	}
	defer func() { _ = unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_SNDTIMEO, limit) }()
	left := time.Duration(limit.Nano())
	for forever := left == 0; ; left -= lookAgain {
		part := unix.NsecToTimeval(int64(lookAgain))
		if err := unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &part); err != nil {
			return asErrno(err, unix.ENOTSOCK)
		}
		errno := l.join(q, socket, address)
		flags, err := unix.FcntlInt(uintptr(socket), unix.F_GETFL, 0)
		switch {
		case errno != unix.EAGAIN, err != nil, flags&unix.O_NONBLOCK != 0, !forever && left <= lookAgain:
			return errno
		case !l.valid(q):
			return unix.ECONNABORTED
		}
	}
}

// keepSocket keeps a socket that is being connected for Drop.
func (l *Listener) keepSocket(q *question, socket int) bool {
	l.flight.Lock()
	defer l.flight.Unlock()
	if l.dropped {
		return false
	}
	l.sockets[socket] = q
	return true
}

func (l *Listener) dropSocket(socket int) {
	l.flight.Lock()
	defer l.flight.Unlock()
	delete(l.sockets, socket)
}

// takeDescriptor is a descriptor of the process that a thread belongs to.
func takeDescriptor(thread uint32, number int) (int, error) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(int(thread)) + "/status")
	if err != nil {
		return -1, err
	}
	_, after, _ := strings.Cut(string(status), "\nTgid:\t")
	text, _, _ := strings.Cut(after, "\n")
	pid, err := strconv.Atoi(text)
	if err != nil {
		return -1, err
	}
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(process)
	return unix.PidfdGetfd(process, number, 0)
}

func asErrno(err error, otherwise unix.Errno) unix.Errno {
	var errno unix.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return otherwise
}

// socketHabit reports whether programs try a socket by habit and live without it.
func socketHabit(place string) bool {
	place = strings.TrimPrefix(place, "/var")
	for _, usual := range []string{"/run/dbus/", "/run/systemd/", "/run/avahi-daemon/", "/run/udev/"} {
		if strings.HasPrefix(place, usual) {
			return true
		}
	}
	return false
}

// nameServices hold the sockets that the system's library asks for hosts and users.
func nameServices() []string {
	return []string{"/run/nscd", "/var/run/nscd", "/run/systemd/resolve", "/run/systemd/userdb", "/var/lib/sss"}
}

func resolvesNames(path string) bool {
	return slices.ContainsFunc(nameServices(), func(folder string) bool { return Contains(folder, path) })
}
