package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// callsWord has this test program filter its own calls and try them.
const callsWord = "__calls"

// callAttempt is one call with what it must answer.
type callAttempt struct {
	name string
	want error
	do   func() error
}

func call(number uintptr, args ...uintptr) func() error {
	return func() error {
		var a [6]uintptr
		copy(a[:], args)
		if _, _, errno := unix.RawSyscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
			return errno
		}
		return nil
	}
}

// dirty is set in the half of an argument that the kernel does not look at.
const dirty = 1 << 32

func callAttempts() []callAttempt {
	all := []callAttempt{
		{"a 32-bit number of x86-64", unix.EPERM, call(unix.SYS_GETPID | x32)},
		{"clone3", unix.ENOSYS, call(unix.SYS_CLONE3)},
		{"rings of the system's store", unix.ENOSYS, call(unix.SYS_IO_SETUP, 1, 0)},
		{"clone into a namespace", unix.EPERM, call(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD))},
		{"unshare users", unix.EPERM, call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER|dirty)},
		{"unshare files", nil, call(unix.SYS_UNSHARE, unix.CLONE_FILES)},
		{"lease", unix.EPERM, call(unix.SYS_FCNTL, 1, unix.F_SETLEASE|dirty, unix.F_RDLCK)},
		{"notes of a folder", unix.EPERM, call(unix.SYS_FCNTL, 1, unix.F_NOTIFY)},
		{"flags of a descriptor", nil, call(unix.SYS_FCNTL, 1, unix.F_GETFD)},
		{"pair", unix.EFAULT, call(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC)},
		{"pair of datagrams", unix.EPERM, call(unix.SYS_SOCKETPAIR, unix.AF_UNIX, unix.SOCK_DGRAM)},
		{"attach", unix.EPERM, call(unix.SYS_PTRACE, unix.PTRACE_ATTACH, 1)},
		{"limit of another process", unix.EPERM, call(unix.SYS_PRLIMIT64, 1, unix.RLIMIT_FSIZE, 1)},
		{"limit of another process, far", unix.EPERM, call(unix.SYS_PRLIMIT64, 1, unix.RLIMIT_FSIZE, dirty)},
		{"limit of its own", unix.EFAULT, call(unix.SYS_PRLIMIT64, dirty, unix.RLIMIT_FSIZE, 1)},
		{"limit that is read", nil, call(unix.SYS_PRLIMIT64, uintptr(os.Getpid()), unix.RLIMIT_FSIZE, 0, 0)},
		{"seize", unix.EPERM, call(unix.SYS_PTRACE, unix.PTRACE_SEIZE, 1)},
	}
	families := []struct {
		name                   string
		domain, kind, protocol int
		want                   error
	}{
		{"unix, which nobody tells apart here", unix.AF_UNIX, unix.SOCK_STREAM, 0, unix.EPERM},
		{"tcp", unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_CLOEXEC, 0, nil},
		{"udp 6", unix.AF_INET6, unix.SOCK_DGRAM, 0, nil},
		{"routes", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE, nil},
		{"sockets' own", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_SOCK_DIAG, unix.EPERM},
		{"raw", unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP, unix.EPERM},
		{"tcp by its number", unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_TCP, nil},
		{"udp by its number", unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_UDP | dirty, nil},
		{"streams of another protocol", unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP, unix.EPERM},
		{"streams of another protocol 6", unix.AF_INET6, unix.SOCK_STREAM, unix.IPPROTO_SCTP | dirty, unix.EPERM},
		{"datagrams of another protocol", unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_UDPLITE, unix.EPERM},
		{"virtual machines", unix.AF_VSOCK, unix.SOCK_STREAM, 0, unix.EPERM},
		{"virtual machines, disguised", unix.AF_VSOCK + dirty, unix.SOCK_STREAM, 0, unix.EPERM},
		{"packets", unix.AF_PACKET, unix.SOCK_RAW, 0, unix.EPERM},
		{"bluetooth", unix.AF_BLUETOOTH, unix.SOCK_RAW, 0, unix.EPERM},
		{"ciphers", unix.AF_ALG, unix.SOCK_SEQPACKET, 0, unix.EPERM},
	}
	for _, f := range families {
		all = append(all, callAttempt{"socket: " + f.name, f.want,
			call(unix.SYS_SOCKET, uintptr(f.domain), uintptr(f.kind), uintptr(f.protocol))})
	}
	for number, name := range refusedIoctls() {
		all = append(all, callAttempt{name, unix.EPERM, call(unix.SYS_IOCTL, 1, uintptr(number)|dirty)})
	}
	for number, name := range refusedCalls() {
		all = append(all, callAttempt{name, unix.EPERM, call(uintptr(number))})
	}
	return all
}

// lives are what this test binary does under these first arguments.
func lives() map[string]func() error {
	return map[string]func() error{Verb: func() error { return Enter(os.Args[2:]) }, callsWord: tryCalls,
		watchesWord: takeWatches, timesWord: makeCalls, terminalsWord: takeTerminals, detectWord: printSupport,
		changesWord: tryChanges, writesWord: tryWrites,
		ioctlWord: closeFolders}
}

// tryCalls is the life of the process that callsWord starts.
func tryCalls() error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, err := restrictCalls(Support{}); err != nil {
		return err
	}
	for _, a := range callAttempts() {
		if got := a.do(); !errors.Is(got, a.want) {
			fmt.Printf("%s: %v, want %v\n", a.name, got, a.want)
		}
	}
	if len(os.Args) > 2 {
		return syscall.Exec(os.Args[2], os.Args[2:], os.Environ())
	}
	return nil
}

func needFilter(t *testing.T) {
	t.Helper()
	if !filtersCalls() {
		t.Skip("this kernel or architecture has no filter of system calls")
	}
}

// TestCallFilter holds what is refused and what is not, also where the ignored half of an argument is set.
func TestCallFilter(t *testing.T) {
	needFilter(t)
	out, err := exec.Command(os.Args[0], callsWord, "/bin/sh", "-c", "true | cat && echo went on").CombinedOutput()
	if err != nil || string(out) != "went on\n" {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestCallFilterOtherInterface holds that a 32-bit program cannot make any call, not even its last.
func TestCallFilterOtherInterface(t *testing.T) {
	needFilter(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("its program is one for x86")
	}
	path := filepath.Join(t.TempDir(), "ends")
	if err := os.WriteFile(path, endingProgram(t), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command(path).Run(); err != nil {
		t.Skip("this machine runs no 32-bit programs: ", err)
	}
	out, err := exec.Command(os.Args[0], callsWord, path).CombinedOutput()
	if err == nil || !strings.Contains(err.Error(), "segmentation fault") {
		t.Errorf("%v\n%s", err, out)
	}
}

// endingProgram is a 32-bit program that ends with status 0, or if it may not, by an instruction of the kernel's.
func endingProgram(t *testing.T) []byte {
	t.Helper()
	code := []byte{0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80, 0xf4} // mov eax, 1; xor ebx, ebx; int 0x80; hlt
	const base, head = 0x8048000, 52 + 32
	size := uint32(head + len(code))
	var b bytes.Buffer
	b.WriteString("\x7fELF\x01\x01\x01" + strings.Repeat("\x00", 9))
	for _, v := range []any{
		[2]uint16{2, 3}, [5]uint32{1, base + head, 52, 0, 0}, [6]uint16{52, 32, 1, 0, 0, 0},
		[8]uint32{1, 0, base, base, size, size, 5, 0x1000},
	} {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	if b.Len() != head {
		t.Fatal(b.Len())
	}
	return append(b.Bytes(), code...)
}
