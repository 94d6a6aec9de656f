package keeper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"delegate/internal/fence/proxy"
	"delegate/internal/fence/resource"
	"delegate/internal/fence/sandbox"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agentdir"
)

// proxyPort is the port of the loopback interface inside at which the proxy is found. The interface is the agent's own.
const proxyPort = 3128

// proxySocket is the proxy's socket in a turn's folder.
const proxySocket = "proxy.sock"

// Limit gives what runs behind the fence the network of the configuration in place of the person's, for the policy.
// key is the configuration's, for the error where this machine cannot hold that. To listed hosts there is a way out
// through a proxy that the turn's keeper runs; those that are a port of the person's own loopback interface are found
// at that port inside as well.
func (f *Fence) Limit(key, network, turn string, hosts []string) (sandbox.Network, error) {
	switch {
	case network == config.NetworkOpen:
		return sandbox.Network{}, nil
	case !f.Support.Namespaces:
		return sandbox.Network{}, fmt.Errorf("%s: %s cannot be held here: %s", key, network, f.Support.Fault)
	case network == config.NetworkNone:
		f.Network = sandbox.None
		return sandbox.Network{Mode: sandbox.None}, nil
	}
	rules, err := proxy.ParseRules(hosts)
	if err != nil {
		return sandbox.Network{}, fmt.Errorf("sandbox.hosts: %w", err)
	}
	socket := filepath.Join(turn, proxySocket)
	f.Network, f.Proxy, f.Hosts = sandbox.Listed, strconv.Itoa(proxyPort)+":"+socket, hosts
	f.Local = rules.Local()
	return sandbox.Network{Mode: sandbox.Listed, Port: proxyPort, Socket: socket}, nil
}

// serveProxy runs the proxy of a turn until the answered function is called. What it refuses is
// reported in the agent's folder.
func (f *Fence) serveProxy() (end func(), err error) {
	if f == nil || f.Proxy == "" {
		return func() {}, nil
	}
	rules, err := proxy.ParseRules(f.Hosts)
	if err != nil {
		return nil, err
	}
	_, socket, _ := strings.Cut(f.Proxy, ":")
	_ = os.Remove(socket) // of a keeper that was killed
	dir, err := os.Open(filepath.Dir(socket))
	if err != nil {
		return nil, fmt.Errorf("open network: %w", err)
	}
	l, err := net.Listen("unix", throughFolder(dir))
	if err != nil {
		_ = dir.Close()
		return nil, fmt.Errorf("open network: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { // ends when the answered function is called, which waits for it
		defer close(done)
		_ = proxy.Serve(ctx, l, rules, func(host string) {
			if f.AgentDir == "" {
				return // of no agent; its client is told
			}
			_ = agentdir.Dir(f.AgentDir).Report(agentdir.Refusal{Time: time.Now().UTC(), Layer: "network",
				Operation: "connect", Path: host,
				Pattern: "sandbox.hosts"})
		})
	}()
	return func() {
		cancel()
		<-done
		_ = dir.Close()
	}, nil
}

// throughFolder is a path of the socket that is short enough for one, however deep the folder lies.
func throughFolder(dir *os.File) string {
	return "/proc/self/fd/" + strconv.Itoa(int(dir.Fd())) + "/" + proxySocket
}

// builtLimit is how long a fence may take to stand.
const builtLimit = 30 * time.Second

// reports are what a keeper hears from the other side of the fence.
type reports struct {
	built   *sandbox.Support
	last    <-chan sandbox.Report // one, when nobody inside holds the descriptor any more
	refused *refusals
	group   *resource.Group // nil where no control group holds the limits
	held    resource.Held
}

// group is the control group that what runs behind the fence starts in, nil where there is none.
func (f *Fence) group() (*resource.Group, resource.Held) {
	group, held := resource.Make(f.Limits)
	if f.Support.Namespaces {
		held = held.InNamespace()
	}
	return group, held
}

// start starts the command behind the fence and returns once it stands; without one, as it is.
func (f *Fence) start(c run.Command, mode string) (*run.Child, *reports, error) {
	if f == nil {
		child, err := run.Keep(c)
		return child, nil, err
	}
	from, end, err := sandbox.OpenChannel()
	if err != nil {
		return nil, nil, err
	}
	group, held := f.group()
	c.Extra, c.Session, c.Within = []*os.File{end}, true, group.Dir()
	child, err := run.Keep(f.around(c, mode))
	_ = end.Close()
	if err != nil {
		_ = from.Close()
		group.Close()
		return nil, nil, err
	}
	heard := &reports{group: group, held: held,
		refused: &refusals{file: filepath.Join(filepath.Dir(f.Policy), refusalsFile), agentDir: f.AgentDir}}
	built := f.hear(from, heard)
	select {
	case r := <-built:
		if r.Built != nil && r.Error == "" {
			heard.built = r.Built
			return child, heard, nil
		}
		err = errors.New("its sandbox could not be built")
		if r.Error != "" {
			err = errors.New(r.Error)
		}
	case <-time.After(builtLimit):
		err = fmt.Errorf("its sandbox was not ready after %s", builtLimit)
	}
	_ = child.Stop(0)
	_, _ = child.Wait()
	group.Close()
	heard.refused.end()
	return nil, nil, err
}

// hear reads what is told from inside and answers what is asked, to the end. The answer gets the first report.
func (f *Fence) hear(from *sandbox.Channel, heard *reports) <-chan sandbox.Report {
	built, last := make(chan sandbox.Report, 1), make(chan sandbox.Report, 1)
	heard.last = last
	go func() { // ends with the last process inside that holds the descriptor, which this process keeps or ends
		defer from.Close()
		var sum sandbox.Report
		err := sandbox.ReadReports(from, func(r sandbox.Report) {
			if sum.Built == nil && sum.Error == "" {
				if r.Built != nil {
					if err := heard.refused.begin(from, f.Policy, *r.Built); err != nil {
						r.Error = err.Error()
					}
				}
				built <- r
			}
			sum = sandbox.Report{Built: cmp.Or(r.Built, sum.Built), Error: cmp.Or(r.Error, sum.Error),
				Exit: cmp.Or(r.Exit, sum.Exit), Signal: cmp.Or(r.Signal, sum.Signal)}
		})
		if err != nil && sum.Error == "" {
			sum.Error = err.Error()
		}
		close(built)
		heard.refused.finish()
		last <- sum
	}()
	return built
}

// Group runs a command of the person's in a process group of its own behind the fence, with the
// network that the fence lets through. Without a fence it is run as it is. c.Path may be a name.
func (f *Fence) Group(ctx context.Context, c run.Command) error {
	if f == nil {
		return run.Group(ctx, c)
	}
	endProxy, err := f.serveProxy()
	if err != nil {
		return err
	}
	defer endProxy()
	from, end, err := sandbox.OpenChannel()
	if err != nil {
		return err
	}
	group, _ := f.group()
	defer group.Close()
	heard := &reports{refused: &refusals{}}
	f.hear(from, heard)
	c.Extra, c.Within = []*os.File{end}, group.Dir()
	err = run.Group(ctx, f.around(named(c), reportEnd))
	_ = end.Close()
	heard.refused.end()
	if last := <-heard.last; last.Built == nil && last.Error != "" {
		return errors.New(last.Error)
	}
	return err
}

// Around is the command behind the fence, where it connects to no Unix socket; as it is without one. Its Path may be a
// name. Where the fence has a process namespace, the program itself is the first process there: with its end the system
// ends what it left, and nobody listens for more.
func (f *Fence) Around(c run.Command) run.Command {
	if f == nil {
		return c
	}
	return sandbox.Wrap(named(c), f.Policy, f.Network, f.Support)
}

// named is the command with the program that its Path names.
func named(c run.Command) run.Command {
	if program, err := run.Which(c.Path, c.Dir, os.Getenv("PATH")); err == nil {
		c.Path = program
	}
	return c
}

// around is the command with the fence around it: in a process namespace the program gets a first process above it.
func (f *Fence) around(c run.Command, mode string) run.Command {
	if f.Support.Namespaces {
		if c.Terminal {
			mode, c.Terminal = ownTerminal, false // it is the program's, not the first process's
		}
		c.Args = initProcess{agentDir: f.AgentDir, mode: mode, proxy: f.Proxy, local: f.Local,
			argv: append([]string{c.Path}, c.Args...)}.arguments()
		c.Path = run.Program()
	}
	return sandbox.Wrap(c, f.Policy, f.Network, f.Support)
}

// complete puts how the program itself ended in the place of how the process around it did.
func (r *reports) complete(exit *Exit) {
	if r == nil {
		return
	}
	r.refused.end()
	last := <-r.last
	exit.Met = r.group.Close()
	if last.Exit != nil {
		exit.Code, exit.Signal = *last.Exit, last.Signal
	}
	if last.Error != "" {
		exit.Error = last.Error
	}
}

// Run runs one command to its end behind the fence, without this process's terminal, and answers with its exit status.
// Where the command's input and output are a person's terminal, it gets one of its own. It is ended when ctx ends,
// which is then the error, or when this process dies, where the system can do that (Linux).
func (f *Fence) Run(ctx context.Context, c run.Command) (status int, err error) {
	if f != nil {
		end, err := f.serveProxy()
		if err != nil {
			return sandbox.StartFault, err
		}
		defer end()
	}
	pair, err := atTerminal(&c, nil)
	if err != nil {
		return sandbox.StartFault, err
	}
	defer func() { err = errors.Join(err, pair.End()) }()
	c.Session, c.Bound = true, true
	child, heard, err := f.start(c, reportEnd)
	if err != nil {
		return sandbox.StartFault, err
	}
	pair.Started()
	ended, err := await(ctx, child, pair)
	if err != nil {
		return sandbox.StartFault, err
	}
	exit := Exit{Code: ended.Code, Signal: ended.Signal}
	heard.complete(&exit)
	switch {
	case exit.Error != "":
		return sandbox.StartFault, errors.New(exit.Error)
	case exit.Signal == syscall.SIGPIPE.String(): // whoever reads has enough, of which a shell says nothing either
		return afterSignal(exit.Signal), nil
	case exit.Signal != "":
		return afterSignal(exit.Signal), fmt.Errorf("ended by signal: %s", exit.Signal)
	}
	return exit.Code, nil
}
