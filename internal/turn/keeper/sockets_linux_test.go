package keeper_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"delegate/internal/fence/sandbox"
	"delegate/internal/sys/run"
	"delegate/internal/turn/keeper"

	"golang.org/x/sys/unix"
)

// The lives of this test binary that socketsVariable names, with arguments behind it.
const (
	reachWord  = "reach"  // connects to each of the named sockets and prints how that went
	ownWord    = "own"    // serves and connects itself
	raceWord   = "race"   // has a thread put another address and another socket in the place of what is connected
	listenWord = "listen" // serves at a path
	ringWord   = "ring"   // asks for a ring of calls, and for a namespace
	floodWord  = "flood"  // has a process wait for more connections than are made at once, and ends it
	blockWord  = "block"  // is that process: it connects to where nobody takes anybody
	leaveWord  = "leave"  // ends while a process of its waits there
	peerWord   = "peer"   // reaches for the process that made its connection
)

// The names of sockets below the working folder.
const (
	fullSocket = "src/full"
	freeSocket = "src/free"
)

func sockets(words []string) int {
	switch words[0] {
	case reachWord:
		for _, at := range words[1:] {
			fmt.Printf("%s: %s\n", filepath.Base(at), outcome(dial(unix.SOCK_STREAM, at)))
		}
		_, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		fmt.Println("datagrams:", outcome(err))
		_, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		fmt.Println("pair:", outcome(err))
		fmt.Println("routes:", outcome(dialRoutes(0)), outcome(dialRoutes(unix.RTMGRP_LINK)))
	case ownWord:
		fmt.Println(outcome(serveAll(words[1:])))
	case raceWord:
		race(words[1], words[2])
	case listenWord:
		return listen(words[1])
	case floodWord:
		fmt.Println(outcome(flood()))
	case blockWord:
		return block(words[1])
	case leaveWord:
		if _, err := startBlocked(words[1]); err != nil {
			fmt.Println(err)
		}
	case peerWord:
		fmt.Println(outcome(reachPeer()))
	case ringWord:
		_, _, ring := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, 0, 0)
		fmt.Println(outcome(ring), outcome(unix.Unshare(unix.CLONE_NEWUSER)))
	}
	return 0
}

func outcome(err error) string {
	var errno syscall.Errno
	switch {
	case err == nil:
		return "reached"
	case errors.As(err, &errno) && errno == err: // others say more
		return unix.ErrnoName(errno)
	}
	return err.Error()
}

func dial(kind int, at string) error {
	fd, err := unix.Socket(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Connect(fd, &unix.SockaddrUnix{Name: at})
}

// dialRoutes chooses whom messages about routes go to: the kernel, or those who listen to a group.
func dialRoutes(groups uint32) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Connect(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: groups})
}

// serveAll serves at each path, connects to it, and does the same over TCP.
func serveAll(paths []string) error {
	for _, at := range paths {
		for _, kind := range []string{"unix", "unixpacket"} {
			l, err := net.Listen(kind, at)
			if err != nil {
				return fmt.Errorf("serve: %w", err)
			}
			c, err := net.Dial(kind, at)
			if err != nil {
				return fmt.Errorf("%s %s: %w", kind, at, err)
			}
			_, _ = c.Close(), l.Close()
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return err
	}
	defer c.Close()
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0) // one that blocks
	if err != nil {
		return err
	}
	to := unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
	if err := unix.Connect(fd, &to); !errors.Is(err, unix.ECONNREFUSED) {
		return fmt.Errorf("connected to nobody: %w", err)
	}
	return nil
}

// race connects again and again to what it may, while another thread writes what it may not over the address, and puts
// a socket of the one family in the place of one of the other.
func race(may, mayNot string) {
	address := make([]byte, 110)
	*(*uint16)(unsafe.Pointer(&address[0])) = unix.AF_UNIX
	var stop atomic.Bool
	done := make(chan struct{})
	internet, _ := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	const at = 200 // the number that is connected
	go func() {
		defer close(done)
		for i := 0; !stop.Load(); i++ {
			copy(address[2:], []string{may, mayNot}[i%2]+"\x00")
			if i%2 == 1 {
				_ = unix.Dup2(internet, at)
			} else if fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0); err == nil {
				_, _ = unix.Dup2(fd, at), unix.Close(fd)
			}
		}
	}()
	reached := 0
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); {
		_, _, errno := unix.Syscall(unix.SYS_CONNECT, at, uintptr(unsafe.Pointer(&address[0])), uintptr(len(address)))
		if errno == 0 {
			reached++
		}
	}
	stop.Store(true)
	<-done
	fmt.Println("raced", reached > 0)
}

func listen(at string) int {
	l, err := net.Listen("unix", at)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("listens")
	for {
		c, err := l.Accept()
		if err != nil {
			return 1
		}
		_ = c.Close()
	}
}

// persons are sockets of programs outside of a fence, and how often somebody connected.
type persons struct{ seen atomic.Int64 }

// open serves at a name of the folder, which is the working folder meanwhile, or at an abstract one.
func (p *persons) open(t *testing.T, name string) {
	t.Helper()
	l, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	t.Cleanup(func() { l.Close() })
	go func() { // ends with the listener
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.seen.Add(1)
			_ = c.Close()
		}
	}()
}

// TestSocketsOfOthers holds that no Unix socket outside is reached, whatever it was called when it was bound, and that
// programs inside speak with their own.
func TestSocketsOfOthers(t *testing.T) {
	f, place := enclosure(t, sandbox.Open)
	p, folder := &persons{}, t.TempDir()
	t.Chdir(folder)
	abstract := "@" + folder
	p.open(t, filepath.Join(folder, "absolute"))
	p.open(t, "relative")
	p.open(t, "before")
	p.open(t, abstract)
	(&persons{}).open(t, "named")
	if err := os.Rename("before", "renamed"); err != nil {
		t.Fatal(err)
	}
	paths := func(names ...string) (all []string) {
		for _, name := range names {
			all = append(all, filepath.Join(folder, name))
		}
		return all
	}
	link := filepath.Join(place.Worktree, "src", "link")
	if err := os.Symlink(filepath.Join(folder, "absolute"), link); err != nil {
		t.Fatal(err)
	}
	others := append(paths("absolute", "relative", "renamed", "lent", "missing"), link)
	serveApart(t, filepath.Join(folder, "lent"))
	policy, err := sandbox.Load(f.Policy)
	if err != nil {
		t.Fatal(err)
	}
	policy.Sockets = paths("named")
	policy.Hidden = []string{place.Turn}
	if err := policy.Write(f.Policy); err != nil {
		t.Fatal(err)
	}
	inside := func(words ...string) string {
		t.Helper()
		var out bytes.Buffer
		if status, err := f.Run(t.Context(), run.Command{Path: run.Program(), Dir: place.Worktree, Stdout: &out,
			Stderr: &out,
			Env:    append(os.Environ(), socketsVariable+"="+strings.Join(words, "\n"))}); err != nil || status != 0 {
			t.Fatal(status, err, out.String())
		}
		return out.String()
	}
	answer := inside(slices.Concat([]string{reachWord}, others, paths("named"), []string{abstract})...)
	want := "absolute: EPERM\nrelative: EPERM\nrenamed: EPERM\nlent: EPERM\nmissing: ENOENT\nlink: EPERM\n" +
		"named: reached\n" + filepath.Base(abstract) + ": EPERM\ndatagrams: EPERM\npair: reached\n" +
		"routes: reached EPERM\n"
	if answer != want {
		t.Errorf("got\n%swant\n%s", answer, want)
	}
	refusals, err := keeper.Turn{Dir: place.Turn}.Refusals()
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range append(paths("absolute"), abstract) {
		if !slices.ContainsFunc(refusals, func(r keeper.Refusal) bool {
			return r.Kind == sandbox.TriedSocket && r.Path == at
		}) {
			t.Errorf("%s is not told: %v", at, refusals)
		}
	}
	own := filepath.Join(place.Worktree, "src", "own.sock")
	if answer := inside(ownWord, own, "./src/beside.sock"); answer != "reached\n" {
		t.Errorf("its own: %s", answer)
	}
	if answer := inside(raceWord, paths("named")[0],
		paths("absolute")[0]); answer != "raced true\n" {
		t.Errorf("raced: %s", answer)
	}
	if n := p.seen.Load(); n > 0 {
		t.Errorf("sockets of others were connected to %d times", n)
	}
}

// serveApart serves at a path in a network of its own, as a container's engine does.
func serveApart(t *testing.T, at string) {
	t.Helper()
	c := exec.Command(run.Program())
	c.Env = append(os.Environ(), socketsVariable+"="+listenWord+"\n"+at)
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNET}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = c.Process.Kill(), c.Wait() })
	said := make([]byte, 100)
	if n, err := out.Read(said); err != nil || string(said[:n]) != "listens\n" {
		t.Fatal(string(said[:n]), err)
	}
}

// TestProbesOfRuntimes holds that what runtimes try as they start is refused and not told, and other calls are.
func TestProbesOfRuntimes(t *testing.T) {
	f, place := enclosure(t, sandbox.Open)
	var out bytes.Buffer
	if _, err := f.Run(t.Context(), run.Command{Path: run.Program(), Dir: place.Worktree, Stdout: &out, Stderr: &out,
		Env: append(os.Environ(), socketsVariable+"="+ringWord)}); err != nil || out.String() != "EPERM EPERM\n" {
		t.Fatalf("%v %q", err, out.String())
	}
	refusals, err := keeper.Turn{Dir: place.Turn}.Refusals()
	if err != nil || len(refusals) != 1 || refusals[0].Kind != "new namespace" {
		t.Errorf("told %v, %v", refusals, err)
	}
}
