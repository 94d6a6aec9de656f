package keeper_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
	"unsafe"

	"delegate/internal/fence/sandbox"
	"delegate/internal/sys/run"

	"golang.org/x/sys/unix"
)

// full listens at a path and takes nobody, so that who connects waits.
func full(at string) (int, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	return fd, errors.Join(unix.Bind(fd, &unix.SockaddrUnix{Name: at}), unix.Listen(fd, 0))
}

// waiting is how many connections the process of blockWord wants, which is more than are made at the same time.
const waiting = 300

// block connects so often that some are refused, says so, and waits.
func block(at string) int {
	over := make(chan error)
	for range waiting {
		go func() { over <- dial(unix.SOCK_STREAM, at) }() // ends with this process
	}
	for {
		select {
		case err := <-over:
			if err != nil {
				fmt.Println(outcome(err))
				select {}
			}
		case <-time.After(20 * time.Second):
			fmt.Println("none is refused")
			return 1
		}
	}
}

// startBlocked starts that process and answers once one of its connections was refused.
func startBlocked(at string) (*exec.Cmd, error) {
	c := exec.Command(run.Program())
	c.Env = append(os.Environ(), socketsVariable+"="+blockWord+"\n"+at)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return nil, err
	}
	if said, err := bufio.NewReader(out).ReadString('\n'); err != nil || said != "EAGAIN\n" {
		return c, fmt.Errorf("it says %q: %w", said, err)
	}
	return c, nil
}

// flood has a process take all connections that are made at once, ends it, and then connects elsewhere.
func flood() error {
	fd, err := full(fullSocket)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	free, err := full(freeSocket)
	if err != nil {
		return err
	}
	defer unix.Close(free)
	c, err := startBlocked(fullSocket)
	if err != nil {
		return err
	}
	_, _ = c.Process.Kill(), c.Wait()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if err := dial(unix.SOCK_STREAM, freeSocket); !errors.Is(err, unix.EAGAIN) || time.Now().After(deadline) {
			return err
		}
	}
}

// reachPeer serves, connects, and takes hold of the process that the kernel names as the other side: the keeper.
func reachPeer() error {
	server, err := full(freeSocket)
	if err != nil {
		return err
	}
	if err := dial(unix.SOCK_STREAM, freeSocket); err != nil {
		return err
	}
	fd, _, err := unix.Accept(server)
	if err != nil {
		return err
	}
	const peerProcess = 77 // SO_PEERPIDFD, since Linux 6.5
	process, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, peerProcess)
	if err != nil {
		return err
	}
	const mountNamespace = 0xff03 // PIDFD_GET_MNT_NAMESPACE
	for name, try := range map[string]func() error{
		"signal":     func() error { return unix.PidfdSendSignal(process, 0, nil, 0) },
		"descriptor": func() error { _, err := unix.PidfdGetfd(process, 0, 0); return err },
		"namespace":  func() error { return unix.IoctlSetInt(process, mountNamespace, 0) },
		"memory": func() error {
			data := make([]byte, 4096)
			_, _, errno := unix.Syscall6(unix.SYS_PROCESS_MADVISE, uintptr(process),
				uintptr(unsafe.Pointer(&unix.Iovec{Base: &data[0], Len: 4096})), 1, unix.MADV_COLD, 0, 0)
			if errno != 0 {
				return errno
			}
			return nil
		},
	} {
		if try() == nil {
			return fmt.Errorf("its %s can be had", name)
		}
	}
	return nil
}

// TestConnectionsThatWait holds that those inside cannot have the keeper wait for more connections than it bounds, nor
// longer than who asked, and that it is not a process that they reach.
func TestConnectionsThatWait(t *testing.T) {
	f, place := enclosure(t, sandbox.Open)
	never := filepath.Join(t.TempDir(), "never")
	fd, err := full(never)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	policy, err := sandbox.Load(f.Policy)
	if err != nil {
		t.Fatal(err)
	}
	policy.Sockets = []string{never}
	if err := policy.Write(f.Policy); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{floodWord, leaveWord + "\n" + never, peerWord} {
		var out bytes.Buffer
		ended := make(chan error, 1)
		go func() { // sends before the test goes on, or it has failed
			_, err := f.Run(t.Context(), run.Command{Path: run.Program(), Dir: place.Worktree, Stdout: &out,
				Stderr: &out, Env: append(os.Environ(), socketsVariable+"="+words)})
			ended <- err
		}()
		select {
		case err := <-ended:
			if said := out.String(); err != nil || said != "reached\n" && said != "" && said != "ENOPROTOOPT\n" {
				t.Errorf("%q: %v, %s", words, err, said)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%q does not end", words)
		}
		_ = os.Remove(filepath.Join(place.Worktree, freeSocket))
	}
}
