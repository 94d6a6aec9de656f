package sandbox

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kindOf is the name of a refused call.
func (l *Listener) kindOf(q *question) string {
	low := func(n int) uint32 { return uint32(q.args[n]) }
	switch {
	case q.arch != auditArch[runtime.GOARCH], runtime.GOARCH == "amd64" && q.number >= x32:
		return "call of another interface"
	case q.number == unix.SYS_SOCKET, q.number == unix.SYS_SOCKETPAIR:
		return "socket " + socketWords(low(0), low(1), low(2))
	case q.number == unix.SYS_CLONE, q.number == unix.SYS_UNSHARE:
		return "new namespace"
	case q.number == unix.SYS_FCNTL:
		return map[uint32]string{unix.F_SETLEASE: "fcntl F_SETLEASE", unix.F_NOTIFY: "fcntl F_NOTIFY"}[low(1)]
	case q.number == unix.SYS_IOCTL:
		return "ioctl " + refusedIoctls()[low(1)]
	case q.number == unix.SYS_PTRACE:
		return "ptrace attach"
	case q.number == unix.SYS_PRLIMIT64:
		return "prlimit of another process"
	}
	return cmp.Or(l.kinds[q.number], "call "+strconv.Itoa(int(q.number)))
}

// netlinkProtocols is how many the kernel has room for.
const netlinkProtocols = 32

// socketWords are few, whatever numbers a process tries: each is a row of the record.
func socketWords(family, kind, protocol uint32) string {
	names := map[uint32]string{unix.AF_VSOCK: "AF_VSOCK", unix.AF_PACKET: "AF_PACKET", unix.AF_ALG: "AF_ALG",
		unix.AF_BLUETOOTH: "AF_BLUETOOTH", unix.AF_KEY: "AF_KEY", unix.AF_TIPC: "AF_TIPC", unix.AF_XDP: "AF_XDP",
		unix.AF_CAN: "AF_CAN"}
	switch family {
	case unix.AF_INET, unix.AF_INET6:
		if kind &= socketType; kind != unix.SOCK_STREAM && kind != unix.SOCK_DGRAM {
			return "type " + strconv.Itoa(int(kind))
		}
		protocols := map[uint32]string{unix.IPPROTO_SCTP: "SCTP", unix.IPPROTO_UDPLITE: "UDP-Lite",
			unix.IPPROTO_DCCP: "DCCP", unix.IPPROTO_L2TP: "L2TP"}
		return cmp.Or(protocols[protocol], "of another protocol")
	case unix.AF_NETLINK:
		if protocol < netlinkProtocols {
			return "AF_NETLINK " + strconv.Itoa(int(protocol))
		}
		return "AF_NETLINK"
	}
	return cmp.Or(names[family], "of another family")
}

// changes are the places of a call that the policy does not let it change.
func (l *Listener) changes(q *question, c pathCall) (tried []Tried) {
	if c.flags != 0 {
		var want bool
		if c, want = l.openedFor(q, c); !want {
			return nil
		}
	}
	if c.drops != 0 && q.args[c.drops]&unix.AT_REMOVEDIR != 0 {
		c.change = DropsFolder
	}
	if c.links != 0 {
		c.stays = q.args[c.links]&unix.AT_SYMLINK_NOFOLLOW != 0
	}
	for i, args := range c.at {
		at, err := l.place(q, c, args)
		if err != nil {
			return nil // the call fails for the same reason
		}
		change := c.change
		if len(c.at) == 2 { // a rename
			if i == 0 && at.mode == 0 {
				return nil
			}
			change = l.movedAs(q, c, i, at)
		}
		is := at.mode != 0
		if c.need == existing && !is || c.need == absent && is || habit(at.path) || l.policy.Opens(at.path, change) {
			continue
		}
		if below, found := strings.CutPrefix(at.path, l.policy.Worktree+"/"); found {
			at.path = path.Join(l.asked, below)
		}
		tried = append(tried, Tried{Kind: TriedWrite, Path: strings.ToValidUTF8(at.path, "\ufffd")})
	}
	return tried
}

// movedAs is what a rename does at one of its two places.
func (l *Listener) movedAs(q *question, c pathCall, i int, at found) Change {
	source := at
	if i == 1 {
		var err error
		if source, err = l.place(q, c, c.at[0]); err != nil {
			return Content
		}
	}
	switch {
	case source.mode&unix.S_IFMT != unix.S_IFDIR:
		return Content
	case i == 0:
		return DropsFolder
	}
	return MakesFolder
}

// openedFor completes an open by its flags; false: it does not write.
func (l *Listener) openedFor(q *question, c pathCall) (pathCall, bool) {
	flags := uint64(unix.O_CREAT | unix.O_WRONLY | unix.O_TRUNC) // those of creat
	switch {
	case c.flags == inMemory:
		how, err := read(q.pid, q.args[2], 8)
		if err != nil {
			return c, false
		}
		flags = binary.LittleEndian.Uint64(how)
	case c.flags != always:
		flags = q.args[c.flags]
	}
	const both = unix.O_CREAT | unix.O_EXCL
	switch {
	case flags&unix.O_PATH != 0:
		return c, false
	case flags&unix.O_TMPFILE == unix.O_TMPFILE:
		c.need = existing
	case flags&both == both:
		c.need = absent
	case flags&unix.O_CREAT == 0:
		c.need = existing
	case flags&(unix.O_ACCMODE|unix.O_TRUNC) == 0: // what is there is only read
		c.need = absent
	}
	c.stays = flags&unix.O_NOFOLLOW != 0 || flags&both == both
	return c, flags&writeFlags != 0
}

// found is a place as the kernel names it.
type found struct {
	path string
	mode uint32 // 0: nothing is there
}

// place finds what arguments of a call name.
func (l *Listener) place(q *question, c pathCall, args placeArgs) (found, error) {
	from, fd := "cwd", -1
	if args.folder != noArgument && int32(q.args[args.folder]) != unix.AT_FDCWD {
		from, fd = "", int(int32(q.args[args.folder]))
	}
	name, err := "", error(nil)
	switch {
	case c.binds:
		name, err = readAddress(q.pid, q.args[args.path], q.args[args.path+1])
	case args.path != noArgument && q.args[args.path] != 0:
		name, err = readPath(q.pid, q.args[args.path])
	}
	if err != nil {
		return found{}, err
	}
	root, err := l.within(q)
	if err != nil {
		return found{}, err
	}
	if name == "" { // the descriptor itself
		at, err := leadsTo(q.pid, from, fd)
		if err != nil || c.change != ChangesModes || !path.IsAbs(at) || strings.HasSuffix(at, " (deleted)") {
			return found{}, errors.Join(err, unix.ENOENT)
		}
		return found{at, unix.S_IFREG}, nil
	}
	if !path.IsAbs(name) {
		base, err := leadsTo(q.pid, from, fd)
		if err != nil {
			return found{}, err
		}
		name = base + "/" + name
	}
	return resolve(q.pid, root, name, !c.stays)
}

// within is the root of all processes inside.
func (l *Listener) within(q *question) (root int, err error) {
	l.rootMu.Lock()
	defer l.rootMu.Unlock()
	if l.root >= 0 {
		return l.root, nil
	}
	fd, err := unix.Open(ofProcess(q.pid, "root"), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	if !l.valid(q) { // the number may be another process's by now, which has another root
		_ = unix.Close(fd)
		return -1, unix.ENOENT
	}
	l.root = fd
	return fd, nil
}

// ofProcess is where the kernel tells of a process.
func ofProcess(pid uint32, what string) string { return "/proc/" + strconv.Itoa(int(pid)) + "/" + what }

// leadsTo is the path of a folder of a process, by its name in /proc, or, without a name, of a descriptor. The names of
// descriptors are closed to an ordinary user where a process shields itself, as the first one inside does, and who
// means to hide what it tries; the descriptor itself can be taken all the same.
func leadsTo(pid uint32, name string, fd int) (string, error) {
	if name != "" {
		return os.Readlink(ofProcess(pid, name))
	}
	if at, err := os.Readlink(ofProcess(pid, "fd/"+strconv.Itoa(fd))); err == nil {
		return at, nil
	}
	own, err := takeDescriptor(pid, fd)
	if err != nil {
		return "", err
	}
	defer unix.Close(own)
	return os.Readlink("/proc/self/fd/" + strconv.Itoa(own))
}

// resolve finds a name as the processes inside see it.
func resolve(pid uint32, root int, name string, follow bool) (found, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT}
	for range mostLinks {
		name = ownProcess(pid, name)
		folder, last := path.Split(strings.TrimRight(name, "/"))
		if last == "." || last == ".." {
			folder, last = name, ""
		}
		fd, err := unix.Openat2(root, cmp.Or(folder, "/"), &how)
		if err != nil {
			return found{path: path.Clean(name)}, nil // the folder around it is not there, or hidden
		}
		at, link, mode := look(fd, last, follow)
		_ = unix.Close(fd)
		switch {
		case link == "":
			return found{path.Join(at, last), mode}, nil
		case path.IsAbs(link):
			name = link
		default:
			name = at + "/" + link
		}
	}
	return found{}, unix.ELOOP
}

// look is the path of an open folder, and what an entry of it is: where the link leads to that is to be followed, else
// its mode, 0 for none.
func look(fd int, entry string, follow bool) (at, link string, mode uint32) {
	at, _ = os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if entry == "" {
		return at, "", unix.S_IFDIR
	}
	buffer := make([]byte, unix.PathMax)
	if follow {
		if n, err := unix.Readlinkat(fd, entry, buffer); err == nil {
			return at, string(buffer[:n]), 0
		}
	}
	var info unix.Stat_t
	if unix.Fstatat(fd, entry, &info, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return at, "", 0
	}
	return at, "", info.Mode
}

// ownProcess puts what a process finds below its own folder of /proc in the place of it.
func ownProcess(pid uint32, name string) string {
	for _, self := range []string{"/proc/self/", "/proc/thread-self/"} {
		rest, is := strings.CutPrefix(name, self)
		if !is {
			continue
		}
		link, below, _ := strings.Cut(rest, "/")
		fd := -1
		switch link {
		case "root", "cwd":
		case "fd":
			var number string
			var err error
			number, below, _ = strings.Cut(below, "/")
			if fd, err = strconv.Atoi(number); err != nil {
				return name
			}
			link = ""
		default:
			return name
		}
		if below == "" {
			continue
		}
		if at, err := leadsTo(pid, link, fd); err == nil {
			return at + "/" + below
		}
	}
	return name
}

// habit reports whether programs try the place by habit, live without it, and mean nothing by it.
func habit(place string) bool {
	switch {
	case strings.HasPrefix(place, "/proc/self/"), strings.HasPrefix(place, "/proc/thread-self/"):
		return true // its name, its streams by number
	case strings.Contains(place, "/__pycache__"):
		return true // Python's compiled modules, also of the system's library
	}
	return false
}

// readPath reads a string that ends with a zero byte.
func readPath(pid uint32, at uint64) (string, error) {
	var text []byte
	for len(text) < unix.PathMax {
		const page = 4096 // the smallest there is: what lies behind it need not be there
		part, err := read(pid, at, min(256, page-int(at%page)))
		if err != nil {
			return "", err
		}
		for i, b := range part {
			if b == 0 {
				return string(append(text, part[:i]...)), nil
			}
		}
		text, at = append(text, part...), at+uint64(len(part))
	}
	return "", unix.ENAMETOOLONG
}

// readAddress reads the file that the address of a Unix socket names; others name none.
func readAddress(pid uint32, at, length uint64) (string, error) {
	const head = 2 // the family
	if length <= head {
		return "", unix.EINVAL
	}
	address, err := read(pid, at, int(min(length, unix.SizeofSockaddrUnix)))
	if err != nil {
		return "", err
	}
	if address[head] == 0 || binary.NativeEndian.Uint16(address) != unix.AF_UNIX {
		return "", unix.ENOENT
	}
	name, _, _ := strings.Cut(string(address[head:]), "\x00")
	return name, nil
}

// read reads the memory of a process.
func read(pid uint32, at uint64, length int) ([]byte, error) {
	data := make([]byte, length)
	local := []unix.Iovec{{Base: (*byte)(unsafe.Pointer(&data[0]))}}
	local[0].SetLen(length)
	n, err := unix.ProcessVMReadv(int(pid), local, []unix.RemoteIovec{{Base: uintptr(at), Len: length}}, 0)
	if err != nil || n != length {
		return nil, fmt.Errorf("read memory of process %d: %w", pid, cmp.Or(err, error(unix.EFAULT)))
	}
	return data, nil
}
