package turnsetup

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"delegate/internal/fence/guard"
	"delegate/internal/fence/sandbox"
	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// WriteConfig gives a turn's program its login and its configuration. Where it asks before it uses a
// tool, its question is tried first.
func WriteConfig(ctx context.Context, p *project.Project, a registry.Agent, f *Setup) error {
	if err := agentdir.Dir(f.Place.AgentDir).ClearQuestions(); err != nil {
		return err
	}
	if f.Profile.Hook != nil {
		if err := checkHook(ctx, f.Profile.Program.Name, hookPolicy(p, a, f.Place), f.Place.Turn); err != nil {
			return fmt.Errorf("%s is not started: its pre-tool hook does not hold: %w", f.Profile.Name, err)
		}
	}
	var err error
	if f.Place.Instructions, err = instructions(ctx, p, f.Profile, a); err != nil {
		return err
	}
	if err := keepGiven(f.Turn, f.Place.Instructions.Given); err != nil {
		return err
	}
	return f.Profile.WriteConfig(f.Place)
}

// checkHook asks the hook, as the program will, about a write that it must refuse. What it reports
// of that goes to a folder of its own.
func checkHook(ctx context.Context, dialect string, policy guard.Policy, turn string) error {
	probe, err := os.MkdirTemp(turn, "probe-")
	if err != nil {
		return fmt.Errorf("try the hook: %w", err)
	}
	defer os.RemoveAll(probe)
	policy.AgentDir, policy.Wait = probe, 0
	file := filepath.Join(turn, "probe.json")
	if err := policy.Write(file); err != nil {
		return err
	}
	defer os.Remove(file)
	payload, err := guard.Probe(dialect, policy)
	if err != nil {
		return err
	}
	out, err := run.Output(ctx, run.Command{Path: run.Program(), Args: []string{"hook", dialect, file}, Dir: turn,
		Stdin: bytes.NewReader(payload)})
	if err != nil {
		return err
	}
	if !bytes.Contains(out, []byte(`"deny"`)) {
		return fmt.Errorf("it let a write outside of the worktree pass, and said %q", out)
	}
	return nil
}

// hookPolicy is what the pre-tool hook decides by in the next turn.
func hookPolicy(p *project.Project, a registry.Agent, place agent.Place) guard.Policy {
	return guard.Policy{
		Agent: a.ID, Base: a.Base, Worktree: place.Worktree, AgentDir: place.AgentDir, Home: place.Home, Tmp: place.Tmp,
		Allowed: a.Allowed, Forbidden: slices.Concat(a.Forbidden, p.Config.Forbidden), Roots: p.Config.AllowedRoots,
		Restricted: p.Config.Restricted, Wait: place.PermissionWait, Attended: place.Attended,
	}
}

// Trial is a place in which a command runs as an agent's program would.
type Trial struct {
	Fence *keeper.Fence // nil where nothing of the kernel holds the agents of the session
	place agent.Place
	env   []string
}

// Try prepares a trial. The agent's own turns and messages are not touched; what the command does
// in its worktree is done.
func Try(ctx context.Context, p *project.Project, state registry.State, a registry.Agent) (*Trial, error) {
	profile, err := agent.Find(p.Config, a.Profile)
	if err != nil {
		return nil, err
	}
	folder := p.AgentState(state.Session.ID, a.ID)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("prepare trial: %w", err)
	}
	turn, err := os.MkdirTemp(folder, "try-")
	if err != nil {
		return nil, fmt.Errorf("prepare trial: %w", err)
	}
	t := &Trial{}
	if t.place, err = MakeDirs(ctx, p, *state.Session, a, keeper.Turn{Dir: turn}); err == nil {
		err = WriteHooks(ctx, p, a, &t.place)
	}
	if err == nil && state.Session.Sandbox == "" {
		r := FenceRequest{Project: p, Session: state.Session.ID, Agent: a, Support: sandbox.Detect(ctx),
			Busy: a.Status == registry.Running}
		t.Fence, err = FenceTurn(ctx, r, &t.place)
	}
	if err != nil {
		t.place.Turn = turn
		t.Close()
		return nil, err
	}
	// A turn that begins or ends meanwhile ends what earlier turns left, and this is none of it.
	own := agentdir.Dir(t.place.AgentDir)
	for _, entry := range t.place.Environ(profile) {
		if entry == own.Mark() {
			entry = own.Unmarked()
		}
		t.env = append(t.env, entry)
	}
	return t, nil
}

// Port is the first of the agent's ports, 0 if it has none.
func (t *Trial) Port() int { return t.place.PortBase }

// Run runs the command to its end, or to that of ctx, and answers with its exit status. Beside streams, words and
// variables that it adds, everything of it is the agent's.
func (t *Trial) Run(ctx context.Context, c run.Command) (int, error) {
	program, err := run.Which(c.Path, t.place.Worktree, os.Getenv("PATH"))
	if err != nil {
		return sandbox.StartFault, err
	}
	c.Path, c.Dir, c.Env = program, t.place.Worktree, slices.Concat(c.Env, t.env)
	return t.Fence.Run(ctx, c)
}

// Close takes the trial's private folder away.
func (t *Trial) Close() {
	Tidy(keeper.Turn{Dir: t.place.Turn})
	_ = os.RemoveAll(t.place.Turn)
}

// Setup is what a turn runs in.
type Setup struct {
	Turn    keeper.Turn
	Profile agent.Profile
	Place   agent.Place
	Fence   *keeper.Fence // nil where nothing of the kernel holds the turn
}

// RunCommands runs the person's setup commands, one after the other, with what they print in a file. note is told of
// each after it ran.
func (f Setup) RunCommands(ctx context.Context, lines []string, log string, note func(string, error)) error {
	output, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keep setup output: %w", err)
	}
	defer output.Close()
	for _, line := range lines {
		fmt.Fprintf(output, "$ %s\n", line)
		command := run.Shell(line)
		command.Dir, command.Env = f.Place.Worktree, f.Place.Environ(f.Profile)
		command.Stdout, command.Stderr = output, output
		err := f.Fence.Group(ctx, command)
		note(line, err)
		if err != nil {
			return fmt.Errorf("setup command %q (output in %s): %w", line, log, err)
		}
	}
	return nil
}

// MakeDirs makes the agent's folders outside its worktree.
func MakeDirs(ctx context.Context, p *project.Project, session registry.Session, a registry.Agent,
	turn keeper.Turn) (agent.Place, error) {
	folder := p.AgentRoot(session.ID, a.ID)
	place := agent.Place{
		Session: session.ID, Agent: a.ID, Worktree: a.Worktree, AgentDir: p.AgentDir(session.ID, a.ID),
		Home: filepath.Join(folder, "home"), Tmp: filepath.Join(folder, "tmp"), PromptFile: turn.PromptFile(),
		Turn: turn.Dir, Git: p.Repo.CommonDir, Branch: a.Branch, Allowed: a.Allowed, Forbidden: a.Forbidden,
		Model: a.Model, Effort: a.Effort,
	}
	// Nobody else starts a program that an agent left there with the rights of its owner.
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return place, fmt.Errorf("make folders of %s: %w", a.ID, err)
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		return place, fmt.Errorf("close folder of %s: %w", a.ID, err)
	}
	for _, dir := range []string{place.AgentDir, place.Home, place.Tmp} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return place, fmt.Errorf("make folders of %s: %w", a.ID, err)
		}
	}
	if err := agentdir.Dir(place.AgentDir).Folder("inbox"); err != nil {
		return place, err
	}
	ports, err := p.Ports(ctx, session.ID, a)
	if err != nil {
		return place, err
	}
	place.PortBase, place.PortCount, place.Name = ports.First, ports.Count, p.UniqueName(session.ID, a.ID)
	author, err := p.Repo.Author(ctx)
	if err != nil {
		return place, err
	}
	committer, err := p.Repo.Committer(ctx)
	if err != nil {
		return place, err
	}
	place.AuthorName, place.AuthorEmail = author.Name, author.Email
	place.CommitterName, place.CommitterMail = committer.Name, committer.Email
	return place, nil
}
