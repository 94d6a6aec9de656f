package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/engine/remote"
	"delegate/internal/land/analyze"
	"delegate/internal/project"
	"delegate/internal/supervise"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/keeper"
	"delegate/internal/view/status"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// version is what `delegate --version` prints.
const version = "0.2.0-dev"

// environment is what tests replace.
type environment struct {
	step func(string) // called after each step of a landing and of a registry write
	// above is why no person with that home answers at this process's terminal, nil if one may.
	above func(ctx context.Context, home string) error
	home  string // the person's; "" for that of the account
}

// options are those of every repository that is opened.
func (e environment) options() project.Options { return project.Options{Step: e.step, Home: e.home} }

// app is what all commands share.
type app struct {
	env  environment
	term *ui.Terminal
	out  io.Writer
	err  io.Writer
	json bool
	// state is the registry as it was read last, for the names of agents, and opened the repository that it is of.
	state  registry.State
	opened *project.Project
	// printed are the conflicts that this run has told in full, where it tells each once: while it has a map.
	printed map[string]bool

	of string // the session that --session names, "" for the active one
}

// Run runs one command line and answers with its exit code.
func Run(ctx context.Context, args []string, env environment) int {
	if len(args) > 0 && args[0] == hookVerb {
		return hook(args[1:], os.Stdin, os.Stdout, os.Stderr)
	}
	if len(args) > 0 && args[0] == agent.BridgeVerb {
		return runBridge(context.WithoutCancel(ctx), args[1:])
	}
	if code, mine := remote.Main(ctx, args); mine {
		return code
	}
	if code, mine := keeper.Main(args); mine {
		return code
	}
	if code, mine := analyze.Live(args); mine {
		return code
	}
	if len(args) > 0 && args[0] == supervise.SupervisorVerb {
		return runSupervisor(ctx, args, env)
	}
	if code, mine := behindSupervisor(ctx, args, env); mine {
		return code
	}
	a := &app{env: env, term: ui.New(os.Stdin, os.Stdout, os.Stderr), out: os.Stdout, err: os.Stderr}
	a.term.Nobody = env.above(ctx, cmp.Or(env.home, run.AccountHome()))
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetOut(os.Stdout)
	root.SetErr(os.Stderr)
	called, err := root.ExecuteContextC(ctx)
	var ran *ranError
	switch {
	case errors.As(err, &ran):
		err = ran.err
	case err != nil: // cobra's own, before anything ran
		err = &usageError{err, called.CommandPath()}
	}
	if ctx.Err() != nil {
		err = errors.Join(err, ui.ErrInterrupted)
	}
	return a.report(err)
}

// command is a cobra command with this program's manners: what goes wrong before it runs is a usage
// fault, nothing is printed twice. Args says how many words it takes.
func command(use, short string, args cobra.PositionalArgs,
	do func(ctx context.Context, args []string) error) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, SilenceUsage: true, SilenceErrors: true}
	c.Args = func(cmd *cobra.Command, got []string) error {
		if args(cmd, got) == nil {
			return nil
		}
		return fmt.Errorf("%s; the command is: %s", ui.PluralWas(len(got), "word", "given"),
			strings.TrimSuffix(cmd.UseLine(), " [flags]"))
	}
	c.RunE = func(cmd *cobra.Command, got []string) error {
		if err := do(cmd.Context(), got); err != nil {
			return &ranError{err}
		}
		return nil
	}
	return c
}

// group is a command that only leads to those below it.
func group(use, short string, below ...*cobra.Command) *cobra.Command {
	c := command(use, short, cobra.ArbitraryArgs, nil)
	c.Args, c.RunE = onlyBelow, printHelp
	c.AddCommand(below...)
	return c
}

func printHelp(c *cobra.Command, _ []string) error { return c.Help() }

// ranError is an error of a command that ran, in contrast to one of the words on its line.
type ranError struct{ err error }

func (e *ranError) Error() string { return e.err.Error() }

// usageError is a fault in the words of the command line.
type usageError struct {
	err     error
	command string
}

func (e *usageError) Error() string { return e.err.Error() }

// jsonFlag gives a reading command its --json.
func (a *app) jsonFlag(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&a.json, "json", false, "print one JSON document and nothing else")
	return c
}

// open finds the repository of the working folder.
func (a *app) open(ctx context.Context) (*project.Project, error) {
	return a.openWith(ctx, a.env.options())
}

func (a *app) openWith(ctx context.Context, o project.Options) (*project.Project, error) {
	o.Inside = insideTurn()
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("find working folder: %w", err)
	}
	o.Known = a.opened
	p, err := project.Open(ctx, dir, o)
	if err == nil {
		a.opened = p
		p.Verifying = a.verifying(ctx)
		p.Waiting = func(held *atomicfile.HeldError) { a.note("waiting: %s", text(held.Error())) }
	}
	return p, err
}

// read opens the repository for a command that only looks, and says what a person should know first.
func (a *app) read(ctx context.Context) (*project.Project, registry.State, error) {
	p, err := a.open(ctx)
	if err != nil {
		return nil, registry.State{}, err
	}
	state, err := p.Store.View(ctx)
	if err != nil {
		return nil, registry.State{}, err
	}
	a.state = state
	var shown []string
	show := func(notice string) {
		if !slices.Contains(shown, notice) {
			shown = append(shown, notice)
			a.note("%s", text(notice))
		}
	}
	if insideAgent() == nil {
		if err := session.TakeNotices(p, show); err != nil {
			show(err.Error())
		}
	}
	for _, n := range state.Notices {
		show(n)
	}
	for _, point := range slices.Concat(status.Unwell(p, state), status.Locks(p, state)) {
		a.note("%s. Type: %s", a.named(point.Text), a.named(point.Next))
	}
	return p, state, nil
}

// active is read for commands that need a session.
func (a *app) active(ctx context.Context) (*project.Project, registry.State, error) {
	p, state, err := a.read(ctx)
	if err == nil && state.Session == nil {
		err = project.ErrNoSession
	}
	return p, state, err
}

// session is the session that a command names, or the active one, or the last one that ended.
func (a *app) session(ctx context.Context) (*project.Project, registry.State, error) {
	p, state, err := a.read(ctx)
	if err != nil {
		return nil, state, err
	}
	id := a.of
	if ended := state.Ended(); id == "" && state.Session == nil && len(ended) > 0 {
		id = ended[len(ended)-1].ID
	}
	switch {
	case id != "":
		state, err = p.Store.History(ctx, id)
		a.state = state
	case state.Session == nil:
		err = project.ErrNoSession
	}
	return p, state, err
}

// agent is one agent of session.
func (a *app) agent(ctx context.Context, id string) (*project.Project, registry.State, registry.Agent, error) {
	p, state, err := a.session(ctx)
	if err != nil {
		return nil, state, registry.Agent{}, err
	}
	ag, err := state.Find(id)
	return p, state, ag, err
}

// ofSession lets a command look at an agent of a session that ended.
func (a *app) ofSession(c *cobra.Command) *cobra.Command {
	c.Flags().StringVar(&a.of, "session", "",
		"session of the agent, DEL-…; the default is the active one, or else the last that ended")
	return c
}

// control opens the repository for a person's command, which means the session that is active now.
// It is refused inside an agent.
func (a *app) control(ctx context.Context) (*project.Project, control.Control, error) {
	if err := refuseInside(); err != nil {
		return nil, control.Control{}, err
	}
	p, err := a.open(ctx)
	if err != nil {
		return nil, control.Control{}, err
	}
	who, err := p.Repo.Committer(ctx)
	if err != nil {
		return nil, control.Control{}, err
	}
	c := control.Control{P: p, Who: who.Name, Below: a.term.Nobody}
	// a fault in the record is told where it is needed
	if state, err := p.Store.View(ctx); err == nil && state.Session != nil {
		a.state, c.Session = state, state.Session.ID
	}
	return p, c, nil
}

// supervised makes sure that somebody carries out what was just written, and says so if that took a new supervisor.
func (a *app) supervised(ctx context.Context, p *project.Project) error {
	state, err := p.Store.View(ctx)
	if err != nil || state.Session == nil || state.Session.PlanApproved == "" {
		return err
	}
	started, err := supervise.Launch(ctx, p)
	if started {
		a.note("no supervisor was running; a new one has taken over")
	}
	return err
}

// linef prints a line in a colour.
func (a *app) linef(paint func(string) string, format string, args ...any) {
	fmt.Fprintln(a.out, paint(fmt.Sprintf(format, args...)))
}

// note tells something beside the answer, on standard error.
func (a *app) note(format string, args ...any) { fmt.Fprintf(a.err, "note: "+format+"\n", args...) }

// answer prints what a reading command found: as one JSON document, or as people read it.
func (a *app) answer(document any, plain func()) error {
	if a.json {
		return a.printJSON(document)
	}
	plain()
	return nil
}

func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.out, format, args...) }

// named is text with the names of agents in place of their ids.
func (a *app) named(s string) string { return text(a.state.WithNames(s)) }

// text makes what agents and plans say safe for a terminal, in one line.
func text(s string) string { return strings.Join(strings.Fields(ui.Clean(s)), " ") }
