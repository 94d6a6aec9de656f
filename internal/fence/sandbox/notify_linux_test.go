package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"delegate/internal/sys/run"

	"golang.org/x/sys/unix"
)

// changesWord has this test program try every call that changes something in a folder.
const changesWord = "__changes"

// runReported runs this test program's life of that name behind a fence that tells, and answers what was tried.
func (g *ground) runReported(word string, args ...string) (out string, tried []Tried) {
	g.Helper()
	if !g.s.Seccomp {
		g.Skip("no filter of system calls here")
	}
	file := filepath.Join(g.TempDir(), "policy.json")
	if err := g.policy.Write(file); err != nil {
		g.Fatal(err)
	}
	from, end, err := OpenChannel()
	if err != nil {
		g.Fatal(err)
	}
	defer from.Close()
	var printed bytes.Buffer
	child, err := run.Keep(Wrap(run.Command{Path: run.Program(), Args: append([]string{word}, args...), Dir: g.work,
		Stdout: &printed, Stderr: &printed, Extra: []*os.File{end}}, file, g.policy.Network.Mode, g.s))
	_ = end.Close()
	if err != nil {
		g.Fatal(err)
	}
	var serving sync.WaitGroup
	err = ReadReports(from, func(r Report) {
		if r.Built == nil {
			g.Fatal(r.Error)
		}
		l, err := from.Listener(g.policy, *r.Built)
		if err != nil || l == nil {
			g.Fatal("nobody asks: ", err)
		}
		serving.Go(func() { l.Serve(func(t Tried) { tried = append(tried, t) }, func(f func()) { f() }) })
	})
	exit, waitErr := child.Wait()
	serving.Wait()
	if err != nil || waitErr != nil || exit.Code != 0 {
		g.Fatal(err, waitErr, exit.Code, printed.String())
	}
	return printed.String(), tried
}

// changeAttempt is a call that changes the place of its name, or the file in its place, below a folder.
type changeAttempt struct {
	place string
	do    func(at string) unix.Errno
}

// inPlace is where bytes lie that no garbage collector moves or takes.
func inPlace(data []byte) uintptr {
	page, err := unix.Mmap(-1, 0, unix.PathMax, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	copy(page, data)
	return uintptr(unsafe.Pointer(&page[0]))
}

func text(s string) uintptr { return inPlace([]byte(s)) }

func raw(number uintptr, args ...uintptr) unix.Errno {
	var a [6]uintptr
	copy(a[:], args)
	_, _, errno := unix.RawSyscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	return errno
}

// here is the folder that paths are relative to, as an argument.
const here = ^uintptr(-unix.AT_FDCWD - 1)

// changeAttempts are those that the shell has no word for.
func changeAttempts() []changeAttempt {
	const link = unix.AT_SYMLINK_NOFOLLOW
	attributes := inPlace(nil) // struct xattr_args: no value; as struct file_attr: no change
	opened := func(number uintptr, args ...uintptr) func(string) unix.Errno {
		return func(at string) unix.Errno {
			fd, err := unix.Open(at, unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if err != nil {
				return unix.EIO
			}
			defer unix.Close(fd)
			return raw(number, append([]uintptr{uintptr(fd)}, args...)...)
		}
	}
	at := func(number uintptr, args ...uintptr) func(string) unix.Errno {
		return func(path string) unix.Errno { return raw(number, append([]uintptr{here, text(path)}, args...)...) }
	}
	named := func(number uintptr, args ...uintptr) func(string) unix.Errno {
		return func(path string) unix.Errno { return raw(number, append([]uintptr{text(path)}, args...)...) }
	}
	name := text("user.a")
	return []changeAttempt{
		{"setxattr", named(unix.SYS_SETXATTR, name, 0, 0, 0)},
		{"fsetxattr", opened(unix.SYS_FSETXATTR, name, 0, 0, 0)},
		{"setxattrat", at(unix.SYS_SETXATTRAT, 0, name, attributes, 16)},
		{"removexattr", named(unix.SYS_REMOVEXATTR, name)},
		{"fremovexattr", opened(unix.SYS_FREMOVEXATTR, name)},
		{"removexattrat", at(unix.SYS_REMOVEXATTRAT, 0, name)},
		{"file_setattr", at(unix.SYS_FILE_SETATTR, attributes, 24, 0)},
		{"fchmodat2", at(unix.SYS_FCHMODAT2, 0o600, 0)},
		{"fchownat", at(unix.SYS_FCHOWNAT, uintptr(os.Getuid()), uintptr(os.Getgid()), 0)},
		{"fchownat-link", at(unix.SYS_FCHOWNAT, uintptr(os.Getuid()), uintptr(os.Getgid()), link)},
		{"bind", func(at string) unix.Errno {
			fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				return unix.EIO
			}
			defer unix.Close(fd)
			if raw(unix.SYS_BIND, uintptr(fd), 0, 0) != unix.EINVAL {
				return unix.EIO
			}
			err = unix.Bind(fd, &unix.SockaddrUnix{Name: at})
			return asErrno(err, 0)
		}},
	}
}

// tryChanges is the life of the process that changesWord starts: it prints what each attempt was answered.
func tryChanges() error {
	runtime.LockOSThread()
	for _, a := range changeAttempts() {
		errno := a.do(filepath.Join(os.Args[2], a.place))
		fmt.Printf("%s %s\n", a.place, unix.ErrnoName(errno))
	}
	return nil
}

// TestChangesByRareCallsAreReported holds that calls that no shell makes change nothing where the policy opens nothing,
// and that each is told with the place that it names.
func TestChangesByRareCallsAreReported(t *testing.T) {
	g := fenced(t, "src/**", "", "src/a.go", "lib/b.go")
	for _, folder := range []string{"src", "lib"} {
		for _, a := range changeAttempts() {
			place := filepath.Join(g.work, folder, a.place)
			switch {
			case a.place == "bind":
				continue
			case strings.HasSuffix(a.place, "-link"):
				if err := os.Symlink("nowhere", place); err != nil {
					t.Fatal(err)
				}
			default:
				if err := os.WriteFile(place, nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	out, tried := g.runReported(changesWord, filepath.Join(g.work, "lib"))
	for line := range strings.Lines(out) {
		place, answer, _ := strings.Cut(strings.TrimSpace(line), " ")
		want := Tried{Kind: TriedWrite, Path: filepath.Join(g.work, "lib", place)}
		switch {
		case answer == "ENOSYS":
			t.Log("this kernel has no ", place)
		case answer != "EROFS" && answer != "EACCES":
			t.Errorf("%s was answered %s", place, answer)
		case !slices.Contains(tried, want):
			t.Errorf("%s is not told", place)
		}
	}
	if strings.Count(out, "\n") != len(changeAttempts()) {
		t.Error(out)
	}
	if out, tried := g.runReported(changesWord, filepath.Join(g.work, "src")); len(tried) > 0 {
		t.Errorf("%v is told of what is open: %s", tried, out)
	}
}
