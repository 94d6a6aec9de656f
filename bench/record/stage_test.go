//go:build bench && linux

package record

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"delegate/internal/sys/run"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// stage is a folder of its own with a shell on a pseudo-terminal in it.
type stage struct {
	root   string
	folder string // where the shell begins
	env    []string
	shell  *run.Child
	tty    *os.File // our end of the terminal
}

// newStage makes the folder. Below it are the programs bin/delegate, as built or as named, and a
// home with nothing but git's settings.
func newStage(ctx context.Context, program string) (*stage, error) {
	root, err := os.MkdirTemp("", "demo-")
	if err != nil {
		return nil, err
	}
	s := &stage{root: root, folder: root}
	if err := s.prepare(ctx, program); err != nil {
		return nil, errors.Join(err, os.RemoveAll(root))
	}
	return s, nil
}

func (s *stage) prepare(ctx context.Context, program string) error {
	bin, home := filepath.Join(s.root, "bin"), filepath.Join(s.root, "home")
	for _, folder := range []string{bin, home} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			return err
		}
	}
	settings := "[user]\n\tname = Demo Person\n\temail = demo@example.com\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(settings), 0o644); err != nil {
		return err
	}
	s.env = []string{
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + s.root,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_PAGER=cat", "PAGER=cat",
		"TERM=xterm-256color", "COLORTERM=truecolor", "LC_ALL=C.UTF-8", "TZ=UTC", "PS1=\x1b[1;32m$\x1b[0m ", "ENV=",
	}
	built := filepath.Join(bin, "delegate")
	if program != "" {
		program, err := filepath.Abs(program)
		if err != nil {
			return err
		}
		return os.Symlink(program, built)
	}
	if err := run.Do(ctx, run.Command{Path: "go", Args: []string{"build", "-o", built, "./cmd/delegate"}}); err != nil {
		return fmt.Errorf("build delegate: %w", err)
	}
	return nil
}

// offScreen runs a line that nobody sees.
func (s *stage) offScreen(ctx context.Context, line string) error {
	command := run.Shell(line)
	command.Dir, command.Env = s.root, s.env
	if _, err := run.Output(ctx, command); err != nil {
		return fmt.Errorf("run %q: %w", line, err)
	}
	return nil
}

// open starts the shell. It takes the terminal for its own by opening it as the first process of a session.
func (s *stage) open() error {
	ours, theirs, err := pty.Open()
	if err != nil {
		return fmt.Errorf("open a pseudo-terminal: %w", err)
	}
	defer theirs.Close()
	s.tty = ours
	if err := pty.Setsize(ours, &pty.Winsize{Rows: rows, Cols: columns}); err != nil {
		return fmt.Errorf("set the size of the terminal: %w", err)
	}
	command := run.Shell(`exec sh -i <>"$0" >&0 2>&1`)
	command.Args = append(command.Args, theirs.Name())
	command.Dir, command.Env, command.Session = s.folder, s.env, true
	command.Stdin = theirs // so that somebody has it open from the beginning, and it does not hang up
	s.shell, err = run.Keep(command)
	return err
}

// errHungUp says that the shell is gone.
var errHungUp = errors.New("the shell has ended")

// read waits at most for the given time and answers with what has come by then, nil for nothing.
func (s *stage) read(limit time.Duration) ([]byte, error) {
	waits := []unix.PollFd{{Fd: int32(s.tty.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(waits, int(limit.Milliseconds()))
	switch {
	case errors.Is(err, unix.EINTR) || err == nil && n == 0:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("wait for the terminal: %w", err)
	case waits[0].Revents&unix.POLLIN == 0:
		return nil, errHungUp
	}
	buffer := make([]byte, 16<<10)
	if n, err = s.tty.Read(buffer); err != nil {
		return nil, errors.Join(errHungUp, err)
	}
	return buffer[:n], nil
}

// leave hangs up and removes the folder. A session of delegate that is still open is ended before.
func (s *stage) leave(ctx context.Context) error {
	if s.tty != nil {
		s.tty.Close()
	}
	if s.shell != nil {
		if _, err := s.shell.Wait(); err != nil {
			return err
		}
	}
	abort := run.Command{Path: filepath.Join(s.root, "bin", "delegate"), Args: []string{"sync", "abort", "--yes"},
		Dir: s.folder, Env: s.env}
	_ = run.Do(ctx, abort) // mostly there is none
	return os.RemoveAll(s.root)
}

// enter says where the shell will begin.
func (s *stage) enter(folder string) error {
	s.folder = filepath.Join(s.root, folder)
	if !strings.HasPrefix(s.folder, s.root) {
		return fmt.Errorf("folder %q is not below the recording's", folder)
	}
	info, err := os.Stat(s.folder)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%q is no folder", folder)
	}
	return err
}
