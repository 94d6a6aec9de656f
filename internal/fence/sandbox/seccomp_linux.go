package sandbox

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// auditArch is the system call interface that the filter reads, by architecture. A process that uses another one
// which the machine has as well, such as the 32-bit one, is refused.
var auditArch = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// x32 is where the numbers of x86-64's third interface begin.
const x32 = 0x40000000

// refusedCalls are of no use to what builds and tests code, and are where kernels were broken into, or reach what
// no other layer sees. Each has its name. statmount and listmount are not among them: they say of the agent's own
// mounts what stands in its /proc, and of others nothing.
func refusedCalls() map[uint32]string {
	calls := map[uint32]string{
		unix.SYS_IO_URING_SETUP: "io_uring_setup", unix.SYS_IO_URING_ENTER: "io_uring_enter",
		unix.SYS_IO_URING_REGISTER: "io_uring_register", unix.SYS_USERFAULTFD: "userfaultfd", unix.SYS_BPF: "bpf",
		unix.SYS_PERF_EVENT_OPEN: "perf_event_open", unix.SYS_ADD_KEY: "add_key", unix.SYS_REQUEST_KEY: "request_key",
		unix.SYS_KEYCTL: "keyctl", unix.SYS_FANOTIFY_INIT: "fanotify_init", unix.SYS_FANOTIFY_MARK: "fanotify_mark",
		unix.SYS_NAME_TO_HANDLE_AT: "name_to_handle_at", unix.SYS_OPEN_BY_HANDLE_AT: "open_by_handle_at",
		unix.SYS_MOUNT: "mount", unix.SYS_UMOUNT2: "umount", unix.SYS_PIVOT_ROOT: "pivot_root",
		unix.SYS_CHROOT: "chroot", unix.SYS_OPEN_TREE: "open_tree", unix.SYS_MOVE_MOUNT: "move_mount",
		unix.SYS_OPEN_TREE_ATTR: "open_tree_attr", unix.SYS_QUOTACTL_FD: "quotactl_fd", unix.SYS_LISTNS: "listns",
		unix.SYS_FSOPEN: "fsopen", unix.SYS_FSCONFIG: "fsconfig",
		unix.SYS_FSMOUNT: "fsmount", unix.SYS_FSPICK: "fspick",
		unix.SYS_MOUNT_SETATTR: "mount_setattr", unix.SYS_SETNS: "setns", unix.SYS_SWAPON: "swapon",
		unix.SYS_SWAPOFF: "swapoff", unix.SYS_QUOTACTL: "quotactl", unix.SYS_INIT_MODULE: "init_module",
		unix.SYS_FINIT_MODULE: "finit_module", unix.SYS_DELETE_MODULE: "delete_module",
		unix.SYS_KEXEC_LOAD: "kexec_load", unix.SYS_KEXEC_FILE_LOAD: "kexec_file_load", unix.SYS_REBOOT: "reboot",
		unix.SYS_ACCT: "acct", unix.SYS_SYSLOG: "syslog", unix.SYS_PROCESS_VM_READV: "process_vm_readv",
		unix.SYS_PROCESS_VM_WRITEV: "process_vm_writev", unix.SYS_PIDFD_GETFD: "pidfd_getfd",
	}
	if runtime.GOARCH == "amd64" {
		const modifyLDT = 154 // other architectures have no such call
		calls[modifyLDT] = "modify_ldt"
	}
	return calls
}

// refusedIoctls act on what no mount and no Landlock rule holds, whatever file they are asked of.
func refusedIoctls() map[uint32]string {
	const (
		snapCreate, snapCreateV2     = 0x50009401, 0x50009417
		subvolCreate, subvolCreateV2 = 0x5000940e, 0x50009418
		snapDestroy, snapDestroyV2   = 0x5000940f, 0x5000943f
		removeKey                    = 0xc0406618
	)
	return map[uint32]string{
		// Both type for the person at the terminal.
		unix.TIOCSTI: "TIOCSTI", unix.TIOCLINUX: "TIOCLINUX",
		// A snapshot of btrfs has all below a folder, also what is hidden there; one is removed by its number.
		snapCreate: "BTRFS_IOC_SNAP_CREATE", snapCreateV2: "BTRFS_IOC_SNAP_CREATE_V2",
		subvolCreate: "BTRFS_IOC_SUBVOL_CREATE", subvolCreateV2: "BTRFS_IOC_SUBVOL_CREATE_V2",
		snapDestroy: "BTRFS_IOC_SNAP_DESTROY", snapDestroyV2: "BTRFS_IOC_SNAP_DESTROY_V2",
		// The person's encrypted folders on the same file system are closed by it.
		removeKey: "FS_IOC_REMOVE_ENCRYPTION_KEY",
	}
}

// The namespaces that a process could make.
const newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// unixSockets says what a filter does about Unix sockets.
type unixSockets int

const (
	unixByName  unixSockets = iota // the kernel tells them apart by their files
	unixByAsked                    // the listener makes each connection
	unixPairs                      // there are none but pairs: nobody could tell them apart
)

// restrictCalls loads the filter of system calls for this thread and what it becomes. It bounds what is left of the
// kernel once Landlock and mounts hold the files; so it comes last. There is no listener, which is -1.
func restrictCalls(s Support) (listener int, err error) {
	left := unixPairs
	if s.unixByName() {
		left = unixByName
	}
	_, err = loadFilter(append(callFilter(refuse, left), allow), 0)
	return -1, err
}

// restrictCallsNotified is the same with a listener: what is refused, what writes, and what connects, waits for its
// answer, and what starts a program where some are covered. A kernel that has none gets the plain filter.
func restrictCallsNotified(p Policy, s Support) (listener int, err error) {
	const newListener = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	for _, flags := range []uintptr{newListener | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, newListener} {
		if listener, err := loadFilter(notifyFilter(p, s), flags); err == nil {
			return listener, nil
		}
	}
	return restrictCalls(s)
}

func loadFilter(program []bpf.Instruction, flags uintptr) (answer int, err error) {
	raw, err := bpf.Assemble(program)
	if err != nil {
		return -1, fmt.Errorf("assemble filter of system calls: %w", err)
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filter[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	whole := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	n, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&whole)))
	if errno != 0 {
		return -1, fmt.Errorf("filter system calls: %w", errno)
	}
	return int(n), nil
}

// filtersCalls reports whether this kernel filters system calls, on an architecture whose calls are known.
func filtersCalls() bool {
	if auditArch[runtime.GOARCH] == 0 {
		return false
	}
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return errno == 0
}

// Where the kernel puts what a filter looks at: struct seccomp_data, on machines whose low bytes come first.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// argument loads the low half of an argument. The calls that are asked about take 32 bits of it and ignore the rest,
// so what stands there must not matter.
func argument(n uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: offArgs + 8*n, Size: 4} }

var (
	allow   = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	refuse  = bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}
	ask     = bpf.RetConstant{Val: unix.SECCOMP_RET_USER_NOTIF}
	unknown = bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}
)

// notifyFilter asks the listener about what is to be refused, and about what writes and what starts programs.
func notifyFilter(held Policy, s Support) []bpf.Instruction {
	left := unixByName
	if !s.unixByName() {
		left = unixByAsked
	}
	p := callFilter(ask, left)
	for number, c := range pathCalls() {
		if c.flags == 0 || c.flags >= inMemory {
			p = append(p, onCall(number, ask)...)
			continue
		}
		p = append(p, onCall(number, onBits(ask, c.flags, writeFlags)...)...)
	}
	if len(held.Programs) > 0 {
		for number := range startCalls() {
			p = append(p, onCall(number, ask)...)
		}
	}
	return append(p, allow)
}

// callFilter is what is refused, by that instruction; what it does not refuse goes on behind it.
func callFilter(no bpf.RetConstant, unixes unixSockets) []bpf.Instruction {
	p := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch[runtime.GOARCH], SkipTrue: 1},
		no,
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
	}
	if runtime.GOARCH == "amd64" {
		p = append(p, bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1}, no)
	}
	// Runtimes try it as they start and live without it, whatever they are to do: it is refused without a word.
	p = append(p, onCall(unix.SYS_IO_URING_SETUP, refuse)...)
	for call := range refusedCalls() {
		p = append(p, onCall(call, no)...)
	}
	// Its flags lie in memory, where no filter sees them. C libraries go on with clone.
	p = append(p, onCall(unix.SYS_CLONE3, unknown)...)
	// The kernel has so many rings of this kind for all programs together. Databases go on with threads.
	p = append(p, onCall(unix.SYS_IO_SETUP, unknown)...)
	p = append(p, onCall(unix.SYS_CLONE, onBits(no, 0, newNamespaces)...)...)
	p = append(p, onCall(unix.SYS_UNSHARE, onBits(no, 0, newNamespaces|unix.CLONE_NEWTIME)...)...)
	// Leases and notes of a folder hold up or tell of others' reads.
	p = append(p, onCall(unix.SYS_FCNTL, onValues(no, 1, unix.F_SETLEASE, unix.F_NOTIFY)...)...)
	p = append(p, onCall(unix.SYS_IOCTL, onValues(no, 1, slices.Collect(maps.Keys(refusedIoctls()))...)...)...)
	// A process may let its parent trace it, which debuggers do; it may not take hold of one that runs.
	p = append(p, onCall(unix.SYS_PTRACE, onValues(no, 0, unix.PTRACE_ATTACH, unix.PTRACE_SEIZE)...)...)
	p = append(p, onCall(unix.SYS_PRLIMIT64, othersLimits(no)...)...)
	if unixes == unixByAsked {
		p = append(p, onCall(unix.SYS_CONNECT, ask)...)
	}
	p = append(p, onCall(unix.SYS_SOCKETPAIR, unixKinds(unixes)...)...)
	return append(p, onCall(unix.SYS_SOCKET, sockets(no, unixes)...)...)
}

// unixKinds lets Unix sockets through that have to be connected to send anything. Of the others each message can name
// where it goes, in memory, where no filter sees it: they are refused without a word, as programs that write to the
// system's log try that and live without it.
func unixKinds(left unixSockets) []bpf.Instruction {
	if left == unixByName {
		return []bpf.Instruction{allow}
	}
	return append([]bpf.Instruction{argument(1), bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: socketType}},
		oneOf(refuse, unix.SOCK_STREAM, unix.SOCK_SEQPACKET)...)
}

// oneOf answers no but to these values of what was loaded.
func oneOf(no bpf.RetConstant, values ...uint32) (p []bpf.Instruction) {
	for _, v := range values {
		p = append(p, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: v, SkipTrue: 1}, allow)
	}
	return append(p, no)
}

// socketType is the part of a socket's type beside which the flags of the new descriptor stand.
const socketType = 0xf

// onCall is what follows if the call is made; it must end with an answer.
func onCall(call uint32, then ...bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: uint8(len(then))},
	}, then...)
}

// onBits answers no to an argument with one of these bits.
func onBits(no bpf.RetConstant, n, bits uint32) []bpf.Instruction {
	return []bpf.Instruction{
		argument(n), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: bits, SkipFalse: 1}, no, allow,
	}
}

// onValues answers no to these values of an argument.
func onValues(no bpf.RetConstant, n uint32, values ...uint32) []bpf.Instruction {
	p := []bpf.Instruction{argument(n)}
	for _, v := range values {
		p = append(p, bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipFalse: 1}, no)
	}
	return append(p, allow)
}

// othersLimits answers no to new limits of another process: the first one inside, which carries what the agent prints
// to the transcript, could write no more by one.
func othersLimits(no bpf.RetConstant) []bpf.Instruction {
	const limit = 2
	return []bpf.Instruction{
		argument(0), bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0, SkipTrue: 1}, allow, // its own
		argument(limit), bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, no,
		bpf.LoadAbsolute{Off: offArgs + 8*limit + 4, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, no,
		allow, // they are only read
	}
}

// sockets lets programs speak TCP and UDP, with each other, and ask for routes and addresses. No other family or
// protocol is let through: several reach out of every network namespace, others are old and seldom looked at, and the
// kernel loads a module for each that somebody asks for.
func sockets(no bpf.RetConstant, unixes unixSockets) []bpf.Instruction {
	protocols := append([]bpf.Instruction{argument(2)}, oneOf(no, 0, unix.IPPROTO_TCP, unix.IPPROTO_MPTCP,
		unix.IPPROTO_UDP, unix.IPPROTO_ICMP, unix.IPPROTO_ICMPV6)...)
	internet := append([]bpf.Instruction{
		argument(1), bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: socketType},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_STREAM, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SOCK_DGRAM, SkipTrue: 1}, no,
	}, protocols...)
	kernel := append([]bpf.Instruction{argument(2)}, oneOf(no, unix.NETLINK_ROUTE)...)
	local := unixKinds(unixes)
	if unixes == unixPairs {
		local = []bpf.Instruction{refuse}
	}
	return slices.Concat(
		[]bpf.Instruction{argument(0)},
		onCall(unix.AF_UNIX, local...),
		onCall(unix.AF_INET, internet...), onCall(unix.AF_INET6, internet...),
		onCall(unix.AF_NETLINK, kernel...),
		[]bpf.Instruction{no},
	)
}
