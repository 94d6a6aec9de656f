// Package run owns every start of another program: it is the only importer of os/exec.
//
// It runs short commands and returns their output (Output), reads what a command writes while it
// runs (Stream) or speaks with it (StartPiped), runs commands of the person with a time limit and a
// whole process group (Group), hands the terminal to an editor (Foreground), starts processes that
// outlive this one (Detach), and knows processes by pid and start time, so that a number used again
// by the system is never mistaken for the old process.
//
// What a command answers on its standard output is whole when that stream ends, not when the
// command does: a wrapper may have left the one that answers behind, and a starved process may read
// late. So it is read to its end or the call is an error.
package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// Command is a program to run. Args are the arguments without the program's name; a nil Env
// inherits this process's environment.
type Command struct {
	Path   string
	Args   []string
	Dir    string
	Env    []string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Bound commands are asked to end when this process dies, where the system can do that (Linux),
	// so that they are not half done later. One that is kept is killed.
	Bound bool
	// Namespaces are those that the command does not share with this process (Linux).
	Namespaces Namespaces
	// Within is the open folder of the control group that the command starts in, nil for this process's own (Linux).
	Within *os.File
	// Session gives a command that is kept a session of its own, so that a terminal on its streams
	// is not one that it controls.
	Session bool
	// Terminal has that session control the terminal on the command's input, which is nobody else's (not on Windows).
	Terminal bool
	// Extra are further open files of the command, from descriptor 3 on (not on Windows).
	Extra []*os.File
	// Limit is how long Output, Do, Stream and StartPiped let the command take, to the end of its
	// answer; then it is ended, and the error is a *TimeoutError. 0 is as long as the context
	// lasts.
	Limit time.Duration
}

// Name is how errors name the command: the program, and what it was told to do.
func (c Command) Name() string {
	name := filepath.Base(c.Path)
	if len(c.Args) > 0 && name != "sh" {
		name += " " + verb(c.Args)
	}
	return name
}

// Namespaces says what of the system a command has for itself.
type Namespaces int

// The namespaces: none; user, mount, process and IPC; the network as well.
const (
	sharedNamespaces Namespaces = iota
	OwnNamespaces
	OwnNetworkToo
)

// ExitError says that a command ran and ended with a status other than 0, or by a signal (Code is then -1).
type ExitError struct {
	Name   string
	Code   int
	Signal string
	Stderr string
}

func (e *ExitError) Error() string {
	text := e.Name + ": " + e.Ending()
	if e.Stderr != "" {
		text += ": " + e.Stderr
	}
	return text
}

// Ending says in words how the command ended.
func (e *ExitError) Ending() string {
	if e.Signal != "" {
		return "ended by signal: " + e.Signal
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// ExitCode is the status of a command that ended with an *ExitError, 0 for nil, and -1 for any other error.
func ExitCode(err error) int {
	var exit *ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.Code
	}
	return -1
}

// TimeoutError says that a command did not answer to the end within its Limit.
type TimeoutError struct {
	Name  string
	Limit time.Duration
}

func (e *TimeoutError) Error() string { return fmt.Sprintf("%s: no answer after %s", e.Name, e.Limit) }

// ErrTimeLimit is returned by Group when the time limit of its context ended the command.
var ErrTimeLimit = errors.New("time limit reached")

// Output runs the command and returns what it wrote to standard output.
// A status other than 0 is an *ExitError with the last lines of standard error.
func Output(ctx context.Context, c Command) ([]byte, error) {
	var stdout bytes.Buffer
	c.Stdout = &stdout
	err := Do(ctx, c)
	return stdout.Bytes(), err
}

// Do runs the command to its end with the streams it names; without a Stderr, the last of it goes
// into the *ExitError. A Stdout, and a Stderr that is the same writer, are read until nobody holds
// them open: what the command left behind is waited for. Any other Stderr is words that decide
// nothing, and is waited for a moment only. A command that was cut short by ctx gives the error of
// ctx, never an *ExitError.
func Do(ctx context.Context, c Command) error {
	if c.Stdout != nil {
		return Stream(ctx, c, func(out io.Reader) error {
			_, err := io.Copy(c.Stdout, out)
			return err
		})
	}
	t := newPiped(ctx, c)
	if err := t.start(); err != nil {
		return err
	}
	return t.Close()
}

// Group runs the command in a process group of its own and ends all of that group when ctx does, or
// when the command itself is over. It returns ErrTimeLimit (wrapped) if ctx reached its deadline.
// The command may leave processes behind: its output goes to files, in which all is that was
// written before the end.
func Group(ctx context.Context, c Command) error {
	deliver, err := c.toFiles()
	if err != nil {
		return fmt.Errorf("run %q: %w", c.Path, err)
	}
	cmd := command(ctx, c)
	ownGroup(cmd)
	isolate(cmd, c)
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	cmd.WaitDelay = wordsDelay
	err = cmd.Run()
	if cmd.Process != nil {
		_ = killGroup(cmd.Process.Pid) // what it left running in the background; an empty group is no fault
	}
	if errors.Is(err, exec.ErrWaitDelay) { // somebody who left the group holds the input
		err = nil
	}
	if lost := deliver(); lost != nil {
		return fmt.Errorf("keep the output of %q: %w", c.Path, lost)
	}
	switch {
	case err == nil: // over in time, even if the limit came a moment later
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("run %q: %w", c.Path, ErrTimeLimit)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return result(c, err, "")
}

// toFiles has the command write to temporary files where its streams are none. Their content comes
// to the streams by the call it answers with.
func (c *Command) toFiles() (deliver func() error, err error) {
	both := c.Stdout != nil && c.Stdout == c.Stderr
	out, err := newSpool(&c.Stdout)
	if err != nil || both {
		c.Stderr = c.Stdout
		return out.deliver, err
	}
	said, err := newSpool(&c.Stderr)
	if err != nil {
		out.close()
		return nil, err
	}
	return func() error { return errors.Join(out.deliver(), said.deliver()) }, nil
}

// spool is a temporary file in the place of a stream.
type spool struct {
	to   io.Writer
	file *os.File // nil where the stream is a file itself, or none
}

func newSpool(stream *io.Writer) (spool, error) {
	s := spool{to: *stream}
	if _, isFile := s.to.(*os.File); s.to == nil || isFile {
		return s, nil
	}
	var err error
	if s.file, err = os.CreateTemp("", "delegate-output-"); err != nil {
		return s, err
	}
	_ = os.Remove(s.file.Name()) // nothing is left by a crash; where an open file cannot go, close removes it
	*stream = s.file
	return s, nil
}

// deliver hands on what was written until now: who was left behind may write for ever.
func (s spool) deliver() error {
	if s.file == nil {
		return nil
	}
	defer s.close()
	info, err := s.file.Stat()
	if err == nil {
		_, err = io.Copy(s.to, io.NewSectionReader(s.file, 0, info.Size()))
	}
	return err
}

func (s spool) close() {
	if s.file != nil {
		s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}

// Foreground runs the command on this process's own terminal and waits for it: an editor, a pager.
// When ctx ends it is asked to end, so that it leaves the terminal as it found it, and is killed only if it does not.
func Foreground(ctx context.Context, c Command) error {
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd := command(ctx, c)
	cmd.Cancel = func() error { return askToEnd(cmd.Process) }
	cmd.WaitDelay = farewellTime
	if c.Bound {
		bind(cmd)
	}
	isolate(cmd, c)
	return result(c, cmd.Run(), "")
}

// farewellTime is how long a command in the foreground has to end when it is asked to.
const farewellTime = 5 * time.Second

// Quote is a word that a shell reads as the text itself.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// AsTyped are arguments as a person would type them into a POSIX shell.
func AsTyped(args []string) string {
	words := make([]string, 0, len(args))
	for _, word := range args {
		plain := word != "" && !strings.ContainsFunc(word, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./=:,@%+", r)
		})
		if !plain {
			word = Quote(word)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Shell is the command that runs one line of the person's configuration by `sh -c`.
func Shell(line string) Command {
	return Command{Path: "sh", Args: []string{"-c", line}}
}

// Started is a process that outlives this one, if it must.
type Started struct{ cmd *exec.Cmd }

// Wait reaps the process; an owner that lives on calls it so that no zombie is left.
func (s *Started) Wait() { _ = s.cmd.Wait() }

// Detach starts the command in a session of its own, without a terminal, its output appended to the file log.
func Detach(c Command, log string) (*Started, error) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log of %q: %w", c.Path, err)
	}
	defer file.Close()
	c.Stdin, c.Stdout, c.Stderr = nil, file, file
	cmd := command(context.Background(), c)
	ownSession(cmd)
	if err := cmd.Start(); err != nil {
		return nil, startError(c.Path, err)
	}
	return &Started{cmd}, nil
}

// Which finds the program that name means for a process with that working folder and PATH: a name
// with a slash is taken from dir, any other is looked up in the list of folders.
func Which(name, dir, path string) (string, error) {
	if name == "" {
		return "", fmt.Errorf("find program: empty name")
	}
	if strings.ContainsRune(name, '/') || filepath.IsAbs(name) {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(dir, name)
		}
		if _, err := exec.LookPath(full); err != nil {
			return full, &StartError{full, err}
		}
		return full, nil
	}
	for _, folder := range filepath.SplitList(path) {
		if folder == "" || !filepath.IsAbs(folder) {
			continue // a relative folder in PATH would mean the agent's worktree
		}
		found, err := exec.LookPath(filepath.Join(folder, name))
		if err == nil {
			return found, nil
		}
	}
	return "", &StartError{name, exec.ErrNotFound}
}

// Variable is the value that an environment has for the name, "" if it has none.
func Variable(env []string, name string) string {
	for _, entry := range env {
		if value, found := strings.CutPrefix(entry, name+"="); found {
			return value
		}
	}
	return ""
}

func command(ctx context.Context, c Command) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	cmd.ExtraFiles = c.Extra
	return cmd
}

func result(c Command, err error, stderr string) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return &ExitError{Name: c.Name(), Code: exit.ExitCode(), Signal: signalName(exit.ProcessState),
			Stderr: strings.TrimSpace(stderr)}
	}
	if err != nil {
		return startError(c.Path, err)
	}
	return nil
}

// verb is the first argument that is neither an option nor the value of git's `-c`.
func verb(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-c" || args[i] == "-C":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return args[0]
}

// tail keeps the last 4 KiB of what is written to it.
type tail struct{ data []byte }

func (t *tail) Write(p []byte) (int, error) {
	const most = 4 << 10
	t.data = append(t.data, p...)
	if len(t.data) > most {
		t.data = append(t.data[:0], t.data[len(t.data)-most:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(t.data) }
