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
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"delegate/internal/fence/proxy"
	"delegate/internal/fence/sandbox"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agentdir"
)

// initVerb is the hidden command under which this program is the first process of an agent's own process namespace.
const initVerb = "__first"

// IsTurnProcess reports whether a command line is one of this program's own lives around an agent: its
// keeper, its fence, its first process.
func IsTurnProcess(args []string) bool {
	return len(args) > 1 && slices.Contains([]string{KeeperVerb, FollowVerb, initVerb, sandbox.Verb}, args[1])
}

// AgentDirOf is the agent's folder that such a command line was given, "" if it names none.
func AgentDirOf(args []string) string {
	switch {
	case !IsTurnProcess(args) || len(args) < 3:
	case args[1] == initVerb:
		return args[2]
	case args[1] == KeeperVerb, args[1] == FollowVerb:
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
	case initVerb:
		return runInit(args[1:]), true
	default:
		return 0, false
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s %s: %v\n", time.Now().UTC().Format(time.RFC3339), args[0], err)
		return 1, true
	}
	return 0, true
}

// The modes of a first process: what becomes of its program's streams, and whether its end is reported.
const (
	// what the program prints goes through this process to the transcript, which the program itself
	// then cannot cut; the end is told
	copyOutput = "turn"
	reportEnd  = "trial" // the program has the streams themselves; the end is told
	// the same, and the streams are a terminal of the program's own, which it controls
	ownTerminal = "terminal"
)

// initProcess is the life of a first process: its arguments.
type initProcess struct {
	agentDir string // by which commands inside know whose they are
	mode     string
	// where the proxy of its network is found: a port inside, a colon, and a socket outside; "" for none
	proxy string
	local []string // hosts with their ports that are found on the loopback interface inside
	argv  []string
}

func (p initProcess) arguments() []string {
	return append([]string{initVerb, p.agentDir, p.mode, p.proxy, strings.Join(p.local, ",")}, p.argv...)
}

// runInit starts the program, hands interruptions on to it, collects every process that ends below,
// and tells the keeper how the program ended. With its own end the system ends every process that
// is left. A request to end is for the program, which gets it too.
func runInit(args []string) int {
	if len(args) < 5 {
		return sandbox.StartFault
	}
	p := initProcess{agentDir: args[0], mode: args[1], proxy: args[2], argv: args[4:],
		local: strings.FieldsFunc(args[3], func(c rune) bool { return c == ',' })}
	sandbox.CloseReportsOnExec()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	signal.Ignore(syscall.SIGHUP)
	sandbox.IgnoreFileSize()
	err := errors.Join(run.Shield(), p.openProxyPort())
	var child *run.Child
	out := &copier{}
	if err == nil {
		child, err = p.start(out)
	}
	if err != nil {
		sandbox.WriteReport(sandbox.Report{Error: err.Error()})
		fmt.Fprintln(os.Stderr, err)
		return sandbox.StartFault
	}
	alone := make(chan struct{})
	if p.mode == reportEnd || p.mode == ownTerminal {
		go func() { // ends with this process
			sandbox.AwaitNoListener()
			close(alone)
		}()
	}
	exit := p.attend(child, signals, alone)
	out.finish()
	sandbox.WriteReport(sandbox.Report{Exit: &exit.Code, Signal: exit.Signal})
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

func (p initProcess) start(out *copier) (*run.Child, error) {
	c := run.Command{Path: p.argv[0], Args: p.argv[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	if p.mode == copyOutput {
		end, err := out.begin(os.Stdout)
		if err != nil {
			return nil, err
		}
		defer end.Close()
		c.Stdout, c.Stderr = end, end
	}
	c.Terminal = p.mode == ownTerminal
	c.Session = c.Terminal
	return run.Keep(c)
}

// attend waits for the program, but no longer than the process lives that wants to know of its end, where one does.
func (p initProcess) attend(child *run.Child, signals <-chan os.Signal, alone <-chan struct{}) run.Exit {
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
		case <-alone:
			return run.Exit{Code: -1}
		}
	}
}

// openProxyPort listens on the loopback interface for the proxy's clients, and for those of the hosts that are found
// there themselves, and joins them with the proxy's socket. All is open as long as this process lives.
func (p initProcess) openProxyPort() error {
	if p.proxy == "" {
		return nil
	}
	port, socket, _ := strings.Cut(p.proxy, ":")
	dir, err := os.Open(filepath.Dir(socket)) // stays open
	if err != nil {
		return fmt.Errorf("open network: %w", err)
	}
	open := func(at, to string) error {
		l, err := net.Listen("tcp", at)
		if err != nil {
			return fmt.Errorf("open network: %w", err)
		}
		go func() { // ends with this process, as everything inside does
			defer runtime.KeepAlive(dir)
			_ = proxy.Forward(context.Background(), l, throughFolder(dir), to)
		}()
		return nil
	}
	for _, to := range p.local {
		_ = open(to, to) // a port below 1024 is reached through the proxy alone
	}
	return open(net.JoinHostPort("127.0.0.1", port), "")
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
		_, _ = io.Copy(fullDiskWriter{to}, from)
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

// fullDiskWriter writes on when there is room again: a full disk stops the program, as it would if
// the program wrote by itself, and loses nothing. Beyond the size that a file may have the rest is
// dropped, and the program goes on.
type fullDiskWriter struct{ file *os.File }

func (w fullDiskWriter) Write(data []byte) (int, error) {
	written := 0
	for written < len(data) {
		n, err := w.file.Write(data[written:])
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
