package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"delegate/internal/fence/resource"

	"golang.org/x/sys/unix"
)

// Enter carries a policy out on this process and becomes another program, by the arguments that
// Wrap made. It returns only if that cannot be done, and then nothing was started. With ProbeWord
// in place of a policy it tries what can be done here, prints it as JSON and returns nil.
func Enter(args []string) error {
	runtime.LockOSThread() // capabilities are a thread's own, and the thread that calls exec is the one that counts
	if len(args) == 1 && args[0] == probeWord {
		return probe()
	}
	if len(args) < 3 {
		return fmt.Errorf("build sandbox: a policy and a program are needed")
	}
	err := enter(args[0], args[1], args[2:])
	if args[1] == reporting {
		WriteReport(Report{Error: err.Error()})
	}
	return err
}

// enter returns only with an error.
func enter(policyFile, audience string, argv []string) error {
	p, err := Load(policyFile)
	if err != nil {
		return err
	}
	// A person's shell, their editor or another program of theirs may have left anything open, which came down to here.
	if err := unix.CloseRange(reportFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("build sandbox: keep what is open: %w", err)
	}
	resource.KillFirst()
	s := Support{Landlock: landlockVersion(), Namespaces: inOwnNamespaces(), Seccomp: filtersCalls()}
	if s.Namespaces {
		b := builder{policy: p, support: &s}
		if err := b.build(); err != nil {
			return fmt.Errorf("build sandbox: %w", err)
		}
	}
	if s.Landlock > 0 {
		if err := restrict(p, s); err != nil {
			return fmt.Errorf("build sandbox: %w", err)
		}
	}
	if !s.Fenced() {
		return fmt.Errorf("build sandbox: this machine has neither namespaces nor Landlock")
	}
	if err := os.Chdir(p.Worktree); err != nil {
		return fmt.Errorf("build sandbox: %w", err)
	}
	if err := errors.Join(dropPrivileges(), limitFiles(p.FileSize), limitProcesses(p.Processes, s),
		shareSignals()); err != nil {
		return fmt.Errorf("build sandbox: %w", err)
	}
	listener := -1
	if s.Seccomp {
		if audience == reporting && s.Namespaces { // else its processes could outlive who answers
			listener, err = restrictCallsNotified(p, s)
		} else {
			listener, err = restrictCalls(s)
		}
		if err != nil {
			return fmt.Errorf("build sandbox: %w", err)
		}
	}
	if s.Listener = listener >= 0; audience == reporting {
		writeReport(Report{Built: &s}, listener)
	}
	if s.Namespaces && audience == reporting { // else the program comes at once and is none of ours
		if _, err := unix.FcntlInt(reportFD, unix.F_SETFD, 0); err != nil {
			return fmt.Errorf("build sandbox: hand on reports: %w", err)
		}
	}
	return fmt.Errorf("start %q: %w", argv[0], syscall.Exec(argv[0], argv, os.Environ()))
}

// limitFiles bounds the size of every file that is written from here on. Who writes on is told so, and not ended.
func limitFiles(size int64) error {
	if size == 0 {
		return nil
	}
	IgnoreFileSize()
	most := uint64(size)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("limit the size of files: %w", err)
	}
	return nil
}

// limitProcesses bounds the number of processes and threads where no control group does. Outside of
// a user namespace of its own the limit would count the person's processes as well.
func limitProcesses(number int, s Support) error {
	if number == 0 || !s.Namespaces || resource.Holding() {
		return nil
	}
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &now); err != nil {
		return fmt.Errorf("limit the number of processes: %w", err)
	}
	most := min(uint64(number), now.Max)
	if err := unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		return fmt.Errorf("limit the number of processes: %w", err)
	}
	return nil
}

// IgnoreFileSize makes a file that grows too large an error of the write and not the end of the
// process, and of those that it starts.
func IgnoreFileSize() { signal.Ignore(unix.SIGXFSZ) }

// CloseReportsOnExec keeps the descriptor of the reports from what this process starts.
func CloseReportsOnExec() { unix.CloseOnExec(reportFD) }

// dropPrivileges gives up every capability for good, also those that a program with privileges of its own
// would bring, and the person's keys in the kernel.
func dropPrivileges() error {
	if _, err := unix.KeyctlInt(unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0); err != nil && err != unix.ENOSYS &&
		err != unix.EPERM {
		return fmt.Errorf("leave the session's keyring: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("forgo new privileges: %w", err)
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	for c := uintptr(0); c <= 63; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err == unix.EINVAL {
			break // the last one was before
		}
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}

// probe builds what needs no policy and says how far it came.
func probe() error {
	if !inOwnNamespaces() {
		return fmt.Errorf("try sandbox: this process has no namespaces of its own")
	}
	b := builder{support: &Support{Landlock: landlockVersion(), Namespaces: true, Seccomp: filtersCalls()}}
	if err := b.foundation(); err != nil {
		return err
	}
	b.tryOverlay()
	return json.NewEncoder(os.Stdout).Encode(b.support)
}

// inOwnNamespaces reports whether this process is the first in namespaces that were made for it: only then
// may it touch a mount.
func inOwnNamespaces() bool {
	ids, err := os.ReadFile("/proc/self/uid_map")
	if err != nil || os.Getpid() != 1 {
		return false
	}
	var inside, outside, size int
	n, err := fmt.Sscan(string(ids), &inside, &outside, &size)
	return err == nil && n == 3 && size == 1
}
