package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// probe is what an attack tries that a shell cannot: probe WHAT ARGUMENT…. It prints GOT and ends
// well if it got through. Nothing it does harms a machine on which it gets through: disks are
// opened and not written.
func probe(args []string) error {
	attempts := map[string]func([]string) (string, error){
		"mount":   func(a []string) (string, error) { return "a mount", unix.Mount(a[0], a[1], "", unix.MS_BIND, "") },
		"unmount": func(a []string) (string, error) { return "unmounted " + a[0], unix.Unmount(a[0], unix.MNT_DETACH) },
		"remount": remount,
		"xattr": func(a []string) (string, error) {
			return "an attribute", unix.Setxattr(a[0], "user.attack", []byte("x"), 0)
		},
		"descriptors": openDescriptors,
		"join":        joinNamespace,
		"handle":      byHandle,
		"disk":        openDisk,
		"node":        diskNode,
		"socket":      speak,
		"chroot":      otherRoot,
		"uring":       byRing,
		"exchange":    exchange,
		"trace":       trace,
		"memory":      func(a []string) (string, error) { return opened("/proc/" + a[0] + "/mem") },
		"take":        takeDescriptor,
		"limit":       limitOther,
		"peer":        signalPeer,
		"cut":         func([]string) (string, error) { return "a shorter transcript", cutTranscript() },
		"type":        typeIn,
		"console":     func([]string) (string, error) { return opened("/dev/console") },
	}
	do, known := attempts[args[0]]
	if !known {
		return fmt.Errorf("probe: what is %q?", args[0])
	}
	got, err := do(args[1:])
	if err != nil {
		fmt.Printf("refused: %s: %v\n", args[0], err)
		return &exitError{1}
	}
	fmt.Printf("GOT: %s\n", got)
	return nil
}

// opened opens for writing, and writes nothing.
func opened(path string) (string, error) {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_CLOEXEC|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	return path + ", open for writing", unix.Close(fd)
}

func remount(a []string) (string, error) {
	attr := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	return a[0] + " is writable", unix.MountSetattr(unix.AT_FDCWD, a[0], unix.AT_RECURSIVE, &attr)
}

// openDescriptors looks at what this process was born with beside its three streams: folders lead
// out, writable files are there to write.
func openDescriptors([]string) (string, error) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd < 3 {
			continue
		}
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err != nil || !filepath.IsAbs(target) || target == os.DevNull || strings.HasPrefix(target, "/proc/") ||
			strings.HasPrefix(target, "/sys/") {
			continue // of this program's own runtime
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			return "descriptor " + e.Name() + " of " + target, nil
		}
	}
	return "", errors.New("none was left open")
}

func joinNamespace(a []string) (string, error) {
	ns, err := unix.Open("/proc/"+a[0]+"/ns/mnt", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	if err := unix.Unshare(unix.CLONE_FS); err != nil { // a namespace is joined by a process whose root nobody shares
		return "", err
	}
	if err := unix.Setns(ns, unix.CLONE_NEWNS); err != nil {
		return "", err
	}
	return opened(a[1])
}

func byHandle(a []string) (string, error) {
	handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, a[0], 0)
	if err != nil {
		return "", err
	}
	mount, err := unix.Open("/proc/self/cwd", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	fd, err := unix.OpenByHandleAt(mount, handle, unix.O_WRONLY|unix.O_CLOEXEC)
	if err != nil {
		return "", err
	}
	return a[0] + " by its handle", unix.Close(fd)
}

// disks are the block devices that the system knows.
func disks() []string {
	entries, _ := os.ReadDir("/sys/block") // none is no disk to try
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "loop") && !strings.HasPrefix(e.Name(), "ram") {
			names = append(names, e.Name())
		}
	}
	return names
}

func openDisk([]string) (string, error) {
	err := errors.New("no disk")
	for _, name := range disks() {
		var got string
		if got, err = opened("/dev/" + name); err == nil {
			return got, nil
		}
	}
	return "", err
}

func diskNode(a []string) (string, error) {
	err := errors.New("no disk")
	for _, name := range disks() {
		var number []byte
		if number, err = os.ReadFile("/sys/block/" + name + "/dev"); err != nil {
			continue
		}
		var major, minor uint32
		if _, err = fmt.Sscanf(string(number), "%d:%d", &major, &minor); err != nil {
			continue
		}
		if err = unix.Mknod(a[0], unix.S_IFBLK|0o600, int(unix.Mkdev(major, minor))); err == nil {
			got, openErr := opened(a[0])
			return got, errors.Join(openErr, os.Remove(a[0]))
		}
	}
	return "", err
}

func speak(a []string) (string, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: a[0]}); err != nil {
		return "", err
	}
	_, err = unix.Write(fd, []byte(a[1]))
	return "heard on " + a[0], err
}

func otherRoot(a []string) (string, error) {
	if err := unix.Chroot(a[0]); err != nil {
		return "", err
	}
	return opened("/" + a[1])
}

// byRing sets up a ring, asks it to open a file for writing, and looks at the answer.
func byRing(a []string) (string, error) {
	const entries, opOpenAt, getEvents, offCQ, offSQEs = 4, 18, 1, 0x8000000, 0x10000000
	params := make([]byte, 120)
	ring, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, entries, uintptr(unsafe.Pointer(&params[0])), 0)
	if errno != 0 {
		return "", errno
	}
	at := func(i int) uint32 { return binary.NativeEndian.Uint32(params[i:]) }
	sq, err := unix.Mmap(int(ring), 0, int(at(40+24)+entries*4), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return "", err
	}
	cq, err := unix.Mmap(int(ring), offCQ, int(at(80+20)+2*entries*16), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return "", err
	}
	sqes, err := unix.Mmap(int(ring), offSQEs, entries*64, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return "", err
	}
	path, err := unix.BytePtrFromString(a[0])
	if err != nil {
		return "", err
	}
	cwd := int32(unix.AT_FDCWD)
	sqes[0] = opOpenAt
	binary.NativeEndian.PutUint32(sqes[4:], uint32(cwd))
	binary.NativeEndian.PutUint64(sqes[16:], uint64(uintptr(unsafe.Pointer(path))))
	binary.NativeEndian.PutUint32(sqes[28:], unix.O_WRONLY|unix.O_CLOEXEC)
	binary.NativeEndian.PutUint32(sq[at(40+24):], 0) // the array's first is entry 0
	binary.NativeEndian.PutUint32(sq[at(40+4):], 1)  // the tail
	if _, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, ring, 1, 1, getEvents, 0, 0); errno != 0 {
		return "", errno
	}
	if result := int32(binary.NativeEndian.Uint32(cq[at(80+20)+8:])); result < 0 {
		return "", syscall.Errno(-result)
	}
	return a[0] + ", open for writing by a ring", nil
}

func exchange(a []string) (string, error) {
	return "exchanged with " + a[1], unix.Renameat2(unix.AT_FDCWD, a[0], unix.AT_FDCWD, a[1], unix.RENAME_EXCHANGE)
}

func trace(a []string) (string, error) {
	pid, err := strconv.Atoi(a[0])
	if err != nil {
		return "", err
	}
	const seize = 0x4206 // takes hold without stopping it; let go when this process ends
	if _, _, errno := unix.Syscall6(unix.SYS_PTRACE, seize, uintptr(pid), 0, 0, 0, 0); errno != 0 {
		return "", errno
	}
	return "traced " + a[0], nil
}

func takeDescriptor(a []string) (string, error) {
	pid, err := strconv.Atoi(a[0])
	if err != nil {
		return "", err
	}
	handle, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return "", err
	}
	fd, err := unix.PidfdGetfd(handle, 0, 0)
	if err != nil {
		return "", err
	}
	return "a descriptor of " + a[0], unix.Close(fd)
}

// cutTranscript shortens what standard output goes to, if that is a file.
func cutTranscript() error {
	info, err := os.Stdout.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("standard output is no file")
	}
	return os.Stdout.Truncate(0)
}

// typeIn puts characters into a terminal's input, as if the person had typed them.
func typeIn(a []string) (string, error) {
	terminals := []int{0, 1, 2}
	if fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_CLOEXEC, 0); err == nil {
		terminals = append(terminals, fd)
	}
	err := errors.New("no terminal")
	for _, fd := range terminals {
		typed := true
		for _, c := range []byte(a[0]) {
			_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
			if errno != 0 {
				typed, err = false, errno
				break
			}
		}
		if typed {
			return fmt.Sprintf("typed on descriptor %d", fd), nil
		}
	}
	return "", err
}

// limitOther has another process write no more files of more than a terabyte.
func limitOther(a []string) (string, error) {
	pid, err := strconv.Atoi(a[0])
	if err != nil {
		return "", err
	}
	const terabyte = 1 << 40
	limit := unix.Rlimit{Cur: terabyte, Max: terabyte}
	return "the limits of " + a[0], unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil)
}

// signalPeer connects to a socket of its own, takes the handle of who connected if that is somebody outside, and sends
// by it the signal that does nothing.
func signalPeer(a []string) (string, error) {
	const peerHandle = 77 // SO_PEERPIDFD
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: a[0], Net: "unix"})
	if err != nil {
		return "", err
	}
	defer l.Close()
	go func() {
		c, err := net.Dial("unix", a[0])
		if err == nil {
			_, _ = c.Read(make([]byte, 1)) // until it is over
		}
	}()
	c, err := l.AcceptUnix()
	if err != nil {
		return "", err
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return "", err
	}
	var handle int
	err = errors.Join(raw.Control(func(fd uintptr) {
		handle, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, peerHandle)
	}), err)
	if err != nil {
		return "", err
	}
	about, err := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(handle))
	if err != nil {
		return "", err
	}
	if !strings.Contains(string(about), "\nPid:\t0\n") {
		return "", errors.New("nobody outside connected")
	}
	return "a signal to who connects", unix.PidfdSendSignal(handle, 0, nil, 0)
}
