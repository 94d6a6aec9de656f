package keeper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"delegate/internal/agentdir"
	"delegate/internal/proxy"
	"delegate/internal/run"
	"delegate/internal/sandbox"
)

// firstVerb is the hidden command under which this program is the first process of an agent's own process namespace.
const firstVerb = "__first"

// IsTurnProcess reports whether a command line is one of this program's own lives around an agent: its
// keeper, its fence, its first process.
func IsTurnProcess(args []string) bool {
	return len(args) > 1 && (args[1] == KeeperVerb || args[1] == firstVerb || args[1] == sandbox.Verb)
}

// AgentDirOf is the desk that such a command line was given, "" if it names none.
func AgentDirOf(args []string) string {
	switch {
	case !IsTurnProcess(args) || len(args) < 3:
	case args[1] == firstVerb:
		return args[2]
	case args[1] == KeeperVerb:
		if spec, err := (Turn{Dir: args[2]}).Spec(); err == nil {
			return string(agentdir.OfMark(spec.Mark))
		}
	}
	return ""
}

// Main leads one of those lives, if the arguments (without the program's name) name one, and
// answers with its exit status.
func Main(args []string) (status int, mine bool) {
	if len(args) < 2 {
		return 0, false
	}
	var err error
	switch args[0] {
	case KeeperVerb:
		err = RunKeeper(args[1])
	case sandbox.Verb:
		if err = sandbox.Enter(args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return sandbox.StartFault, true
		}
	case firstVerb:
		return runFirst(args[1:]), true
	default:
		return 0, false
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s %s: %v\n", time.Now().UTC().Format(time.RFC3339), args[0], err)
		return 1, true
	}
	return 0, true
}

// How a first process deals with its program's streams and with the end.
const (
	// what the program prints goes through this process to the transcript, which the program itself
	// then cannot cut; the end is told
	asTurn  = "turn"
	asTrial = "trial" // the program has the streams themselves; the end is told
	asStep  = "step"  // the same, and nobody listens
)

// first is the life of a first process: its arguments.
type first struct {
	desk string // by which commands inside know whose they are
	how  string
	door string // where the proxy of its network is found: a port inside, a colon, and a socket outside; "" for none
	argv []string
}

func (f first) arguments() []string {
	return append([]string{firstVerb, f.desk, f.how, f.door}, f.argv...)
}

// runFirst starts the program, hands interruptions on to it, collects every process that ends
// below, and tells the keeper how the program ended.
// With its own end the system ends every process that is left. A request to end is for the program, which gets it too.
func runFirst(args []string) int {
	if len(args) < 4 {
		return sandbox.StartFault
	}
	f := first{desk: args[0], how: args[1], door: args[2], argv: args[3:]}
	if f.how != asStep {
		sandbox.KeepReports()
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	signal.Ignore(syscall.SIGHUP)
	sandbox.IgnoreFileSize()
	err := errors.Join(run.Shield(), f.openDoor())
	var child *run.Child
	out := &copier{}
	if err == nil {
		child, err = f.start(out)
	}
	if err != nil {
		f.tell(sandbox.Report{Error: err.Error()})
		fmt.Fprintln(os.Stderr, err)
		return sandbox.StartFault
	}
	exit := f.attend(child, signals)
	out.finish()
	f.tell(sandbox.Report{Exit: &exit.Code, Signal: exit.Signal})
	if exit.Code < 0 {
		return afterSignal(exit.Signal)
	}
	return exit.Code
}

// afterSignal is the exit status that shells give a program which a signal ended.
func afterSignal(name string) int {
	for n := 1; n < 65; n++ {
		if syscall.Signal(n).String() == name {
			return 128 + n
		}
	}
	return 128
}

func (f first) tell(r sandbox.Report) {
	if f.how != asStep {
		sandbox.Tell(r)
	}
}

func (f first) start(out *copier) (*run.Child, error) {
	c := run.Command{Path: f.argv[0], Args: f.argv[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	if f.how == asTurn {
		end, err := out.begin(os.Stdout)
		if err != nil {
			return nil, err
		}
		defer end.Close()
		c.Stdout, c.Stderr = end, end
	}
	return run.Keep(c)
}

// attend waits for the program.
func (f first) attend(child *run.Child, signals <-chan os.Signal) run.Exit {
	over := make(chan run.Exit, 1)
	go func() { // owned by this function, which receives what it sends
		exit, err := child.Wait()
		if err != nil {
			exit.Code = -1
		}
		over <- exit
	}()
	orphans := time.NewTicker(10 * time.Second)
	defer orphans.Stop()
	for {
		select {
		case <-orphans.C:
			child.Reap()
		case s := <-signals:
			if s == os.Interrupt {
				_ = child.Interrupt()
			}
		case exit := <-over:
			return exit
		}
	}
}

// openDoor listens on the loopback interface for the proxy's clients and joins them with its
// socket. It is open as long as this process lives.
func (f first) openDoor() error {
	if f.door == "" {
		return nil
	}
	port, socket, _ := strings.Cut(f.door, ":")
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return fmt.Errorf("open network: %w", err)
	}
	dir, err := os.Open(filepath.Dir(socket)) // stays open as long as this process lives
	if err != nil {
		return fmt.Errorf("open network: %w", err)
	}
	go func() { // ends with this process, as everything inside does
		defer dir.Close()
		_ = proxy.Forward(context.Background(), l, throughFolder(dir))
	}()
	return nil
}

// copier carries what a program prints to a file.
type copier struct {
	from *os.File
	done chan struct{}
}

// begin answers with the end of the pipe that the program writes to.
func (c *copier) begin(to *os.File) (*os.File, error) {
	from, end, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("open pipe: %w", err)
	}
	c.from, c.done = from, make(chan struct{})
	go func() { // owned by finish, which waits for it
		defer close(c.done)
		_, _ = io.Copy(patient{to}, from)
	}()
	return end, nil
}

// leftover is how long what was printed last is waited for, while a process that the program left
// behind holds the pipe open.
const leftover = 500 * time.Millisecond

func (c *copier) finish() {
	if c.from == nil {
		return
	}
	_ = c.from.SetReadDeadline(time.Now().Add(leftover))
	<-c.done
}

// patient writes on when there is room again: a full disk stops the program, as it would if the
// program wrote by itself, and loses nothing.
// Beyond the size that a file may have the rest is dropped, and the program goes on.
type patient struct{ file *os.File }

func (p patient) Write(data []byte) (int, error) {
	written := 0
	for written < len(data) {
		n, err := p.file.Write(data[written:])
		written += n
		if errors.Is(err, syscall.EFBIG) {
			return len(data), nil
		}
		if err != nil && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
			return written, err
		}
		if err != nil {
			time.Sleep(leftover)
		}
	}
	return written, nil
}
