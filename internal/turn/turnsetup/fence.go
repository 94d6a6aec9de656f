package turnsetup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/fence/guard"
	"delegate/internal/fence/sandbox"
	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/program"
	"delegate/registry"
)

// UnfencedError says that this machine cannot hold agents in, and that nobody chose to start them all the same.
type UnfencedError struct{ Support sandbox.Support }

func (e *UnfencedError) Error() string {
	return "this machine has no layer that can hold agents in their scope: " + e.Support.Fault
}

// CheckFence is an *UnfencedError where agents would have the rights of the person, and else what CheckReplaced says,
// or what is wrong with the folders that the configuration opens.
func CheckFence(p *project.Project) error {
	s := p.Support()
	if !s.Fenced() {
		return &UnfencedError{s}
	}
	if err := CheckReplaced(p, s); err != nil {
		return err
	}
	return p.CheckShared()
}

// CheckReplaced is a *project.PlaceError where no agent could start, as a sandbox has something else in the place of
// the repository.
func CheckReplaced(p *project.Project, s sandbox.Support) error {
	for _, path := range []string{p.Main, p.Repo.CommonDir, p.WorktreeRoot()} {
		if folder := sandbox.Replaced(path); folder != "" && s.Namespaces {
			return &project.PlaceError{
				Why: fmt.Sprintf("%q is in %s, which the agents' sandbox replaces with its own", path,
					folder),
				Next: "move it to another folder (agents' worktrees: worktree_dir in .delegate.yaml)"}
		}
	}
	return nil
}

// WriteHooks writes the policy that the agent's hooks decide by, the hooks of its git, and what decides about content
// in this program's git, into the turn's folder.
func WriteHooks(ctx context.Context, p *project.Project, a registry.Agent, place *agent.Place) error {
	if err := os.MkdirAll(place.Turn, 0o700); err != nil {
		return fmt.Errorf("prepare turn: %w", err)
	}
	file := filepath.Join(place.Turn, agent.PolicyFile)
	if err := hookPolicy(p, a, *place).Write(file); err != nil {
		return err
	}
	own, err := p.Repo.HooksPath(ctx)
	if err != nil {
		return err
	}
	repo, err := p.Unfiltered(ctx)
	if err == nil {
		repo, err = repo.OpenWorktree(a.Worktree)
	}
	if err != nil {
		return err
	}
	place.Hooks = filepath.Join(place.Turn, "hooks")
	content, err := repo.ContentConfig(ctx, place.Hooks)
	if err != nil {
		return err
	}
	return guard.WriteHooks(place.Hooks, guard.HookOptions{Program: run.Program(), Policy: file,
		Worktree: place.Worktree, Own: own, Config: content})
}

// FenceRequest says for whom a fence is made.
type FenceRequest struct {
	Project *project.Project
	Session string
	Agent   registry.Agent
	Support sandbox.Support
	// Busy says that a turn of the agent is under way: what its git works in is left as it is.
	Busy bool

	Transports []string // programs by which git reaches a network
	setup      bool     // it is for the person's setup commands
}

// FenceTurn compiles what holds the agent's processes in and writes it into the turn's folder. The
// place is told what they find inside.
func FenceTurn(ctx context.Context, r FenceRequest, place *agent.Place) (*keeper.Fence, error) {
	if !r.Support.Fenced() {
		return nil, &UnfencedError{r.Support}
	}
	p, a := r.Project, r.Agent
	limits, err := p.Scope(a)
	if err != nil {
		return nil, err
	}
	checkout, err := takeover.Open(p.Repo.Bounded(p.Bounds()), a.Worktree, a.Branch)
	if err != nil {
		return nil, err
	}
	scratch, err := checkout.Repo.IgnoredFolders(ctx, p.Config.Sandbox.Scratch)
	if err != nil {
		return nil, err
	}
	held, err := sandbox.Compile(limits, a.Worktree, scratch)
	if err != nil {
		return nil, err
	}
	if err := r.isolateGit(ctx, checkout, &held, place); err != nil {
		return nil, err
	}
	if r.Transports, err = p.Repo.TransportHelpers(ctx); err != nil {
		return nil, err
	}
	if err := r.AddPaths(ctx, &held, place); err != nil {
		return nil, err
	}
	held.FileSize = int64(p.Config.Limits.WorkSize)
	return r.Write(held, place)
}

// fenceFile is the policy of a turn's fence, in its folder.
const fenceFile = "fence.json"

// Write puts the policy into the turn's folder.
func (r FenceRequest) Write(held sandbox.Policy, place *agent.Place) (*keeper.Fence, error) {
	place.Confinement = agent.Fenced
	if r.Support.Namespaces {
		place.Confinement = agent.FencedLayered
	}
	fence := &keeper.Fence{Policy: filepath.Join(place.Turn, fenceFile), AgentDir: place.AgentDir, Support: r.Support,
		Limits: project.Resources(r.Project.Config)}
	held.Processes = fence.Limits.Processes
	key, network := "sandbox.network", r.Project.Config.Sandbox.Network
	hosts := r.Project.Config.Sandbox.Hosts
	if r.setup {
		key, network = "sandbox.verify_network", r.Project.Config.Sandbox.OfVerify()
	} else if profile, err := agent.Find(r.Project.Config, r.Agent.Profile); err == nil {
		hosts = slices.Concat(profile.Hosts(), hosts)
	}
	var err error
	if held.Network, err = fence.Limit(key, network, place.Turn, hosts); err != nil {
		return nil, err
	}
	held.Network.Hosts = fence.Hosts
	place.Port, place.Offline = held.Network.Port, held.Network.Mode == sandbox.None
	return fence, held.Write(fence.Policy)
}

// isolateGit gives the agent's git folders of its own to write: all that it writes to where mounts
// can show them in the place of the repository's, else its objects.
func (r FenceRequest) isolateGit(ctx context.Context, c *takeover.Checkout, held *sandbox.Policy,
	place *agent.Place) error {
	mode := takeover.ObjectsOnly
	if r.Support.Namespaces {
		mode = takeover.Whole
	}
	folder := r.Project.Quarantine(r.Session, r.Agent)
	q, begun := takeover.OpenQuarantine(folder)
	if !begun || !r.Busy {
		var err error
		if q, err = c.Enter(ctx, folder, mode); errors.Is(err, errors.ErrUnsupported) {
			return fmt.Errorf("a sandbox cannot tell references apart that git keeps in tables; start without one "+
				"(--unfenced), or convert them (git refs migrate --ref-format=files): %w", err)
		}
		if err != nil {
			return err
		}
	}
	if err := isolateMedia(ctx, c, q, held, place); err != nil {
		return err
	}
	if !q.Whole() {
		place.Objects = q.Objects()
		held.Writable = append(held.Writable, q.Objects(), c.Repo.GitDir)
		return nil
	}
	common := r.Project.Repo.CommonDir
	refs := filepath.Join(common, "refs", "heads", filepath.FromSlash(path.Dir(r.Agent.Branch)))
	logs := filepath.Join(common, "logs", "refs", "heads", filepath.FromSlash(path.Dir(r.Agent.Branch)))
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return fmt.Errorf("make folder for logs of branch %q: %w", r.Agent.Branch, err)
	}
	// Its objects lie over the repository's, which it reads through a place of their own: variables
	// would hold for every repository that its tests make.
	through, err := q.ReadThrough(filepath.Join(common, "objects"))
	if err != nil {
		return err
	}
	held.Binds = append(held.Binds, []sandbox.Bind{
		{From: filepath.Join(common, "objects"), To: through, Access: sandbox.ReadOnly},
		{From: q.Objects(), To: filepath.Join(common, "objects"), Access: sandbox.Held},
		{From: q.Refs(), To: refs, Access: sandbox.Held}, {From: q.Logs(), To: logs, Access: sandbox.Held},
		{From: q.GitDir(), To: c.Repo.GitDir, Access: sandbox.Held},
	}...)
	held.Shown = append(held.Shown, through)
	for _, name := range []string{"commondir", "gitdir"} {
		held.Fixed = append(held.Fixed, filepath.Join(c.Repo.GitDir, name))
	}
	return nil
}

// isolateMedia gives git-lfs a folder of the agent's own to write. It finds the repository's files where git finds
// objects: beside the place of these.
func isolateMedia(ctx context.Context, c *takeover.Checkout, q takeover.Quarantine, held *sandbox.Policy,
	place *agent.Place) error {
	storage, err := c.Repo.MediaFolder(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(q.Media(), 0o700); err != nil {
		return fmt.Errorf("make storage of git-lfs: %w", err)
	}
	held.Writable = append(held.Writable, q.Media())
	files := filepath.Join(storage, "objects")
	if _, err := os.Stat(files); err == nil && q.Whole() {
		if err := os.MkdirAll(q.FoundMedia(), 0o700); err != nil {
			return fmt.Errorf("share files of git-lfs: %w", err)
		}
		held.Binds = append(held.Binds, sandbox.Bind{From: files, To: q.FoundMedia(), Access: sandbox.ReadOnly})
		held.Shown = append(held.Shown, q.FoundMedia())
	}
	return guard.SetMedia(place.Hooks, q.Media())
}

// mostRestricted is how many files are hidden one by one: a kernel has room for a hundred thousand mounts, and an agent
// can make files that match.
const mostRestricted = 20_000

// AddPaths names the places outside of the worktree.
func (r FenceRequest) AddPaths(ctx context.Context, held *sandbox.Policy, place *agent.Place) error {
	if err := r.Project.CheckShared(); err != nil {
		return err
	}
	if r.Support.Namespaces {
		configs, err := r.Project.OwnConfigs(ctx, filepath.Join(place.Turn, "config"))
		if err != nil {
			return err
		}
		held.Binds = append(held.Binds, configs...)
	}
	own := []string{place.AgentDir, place.Home, place.Tmp}
	held.Sockets = r.Project.Sockets()
	held.Writable = append(held.Writable, own...)
	held.Writable = append(held.Writable, r.Project.SharedFolders()...)
	profile, err := agent.Find(r.Project.Config, r.Agent.Profile)
	if err == nil {
		held.Caches = agent.Layers(filepath.Join(filepath.Dir(place.Home), "layers"), "", place.Environ(profile))
		held.Programs, held.Stub = r.others(profile, place)
		held.Shown = append(held.Shown, place.ConfigFiles(profile)...)
		held.Shown = append(append(held.Shown, keeper.Turn{Dir: place.Turn}.Shown()...), held.Stub)
	}
	restricted := r.Project.RestrictedFiles(r.Project.Main, r.Agent.Worktree)
	if n := len(restricted); n > mostRestricted {
		return fmt.Errorf("%d files match the key restricted, and at most %d can be hidden; the last is %q: delete "+
			"those that nobody needs (rm), or have the key name their folder in %s", n, mostRestricted,
			restricted[n-1], config.FileName)
	}
	for _, path := range restricted {
		if inside, found := strings.CutPrefix(path, place.Worktree+string(filepath.Separator)); found {
			held.ProtectParents(filepath.ToSlash(inside))
		}
	}
	held.Hidden = slices.Concat(r.Project.Hidden(), r.Project.PersonsGit(),
		r.Project.OtherHomes(r.Session, r.Agent), restricted, r.Transports)
	repository, err := r.Project.Folders(ctx)
	if err != nil {
		return err
	}
	home, _ := os.UserHomeDir() // without one there is nothing below it
	more := append(agent.ProgramFiles(home, profile.Command), repository...)
	return r.Project.ConfineReading(held, r.Support, place.Environ(profile), more...)
}

// others are the files by which other agent programs than this one can be started, and what stands in their place.
func (r FenceRequest) others(own agent.Profile, place *agent.Place) (programs []string, stub string) {
	stub = filepath.Join(place.Turn, "no-agent.sh")
	text := guard.SubAgentStub(run.Program(), filepath.Join(place.Turn, agent.PolicyFile))
	if err := os.WriteFile(stub, []byte(text), 0o755); err != nil {
		return nil, "" // the processes are looked at anyway
	}
	var mine []string
	if at := resolved(own.Command, place); at != "" {
		mine = program.Installed(at)
	}
	for _, other := range program.All() {
		at := resolved(other.Command, place)
		if other.Name == own.Program.Name || at == "" || slices.Contains(mine, at) {
			continue
		}
		for _, file := range program.Installed(at) {
			if !slices.Contains(mine, file) && !slices.Contains(programs, file) {
				programs = append(programs, file)
			}
		}
	}
	slices.Sort(programs)
	return programs, stub
}

// resolved is the file of a command's program, "" if there is none.
func resolved(command []string, place *agent.Place) string {
	program, err := run.Which(command[0], place.Worktree, os.Getenv("PATH"))
	if err != nil {
		return ""
	}
	full, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	return full
}

// Tidy takes away what a turn's fence laid into the worktree to keep places empty.
func Tidy(turn keeper.Turn) {
	if policy, err := sandbox.Load(filepath.Join(turn.Dir, fenceFile)); err == nil {
		policy.Tidy()
	}
}

// FenceSetup is the fence of the person's setup commands: they may fill the whole worktree, and
// nothing else. The place is told what they find inside.
func FenceSetup(ctx context.Context, r FenceRequest, place *agent.Place) (*keeper.Fence, error) {
	r.setup = true
	place.Turn = r.Project.AgentState(r.Session, r.Agent.ID)
	if !r.Support.Fenced() {
		return nil, &UnfencedError{r.Support}
	}
	held := sandbox.WholeCheckout(r.Agent.Worktree)
	if err := r.AddPaths(ctx, &held, place); err != nil {
		return nil, fmt.Errorf("hold setup in: %w", err)
	}
	fence, err := r.Write(held, place)
	if err != nil {
		return nil, fmt.Errorf("hold setup in: %w", err)
	}
	return fence, nil
}
