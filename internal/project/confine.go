package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"delegate/internal/fence/proxy"
	"delegate/internal/fence/resource"
	"delegate/internal/fence/sandbox"
	"delegate/internal/git"
	"delegate/internal/intake/takeover"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/program"
	"delegate/registry"
	"delegate/scope"
)

// fenceScratch is the fence of commands that run on a commit in a scratch checkout: they run what
// agents wrote, so they may fill that checkout, a temporary folder and layers over the person's
// caches, and nothing else. nil where the configuration wants none, or the machine has none, on
// which agents have the rights of the person anyway. The environment is a list, with a fence or
// without.
func (p *Project) fenceScratch(ctx context.Context, r scratch) (*keeper.Fence, []string, error) {
	env := agent.Environ(p.Config.VerifyEnv)
	c := p.Config.Sandbox
	if !c.Verify || c.Level == config.SandboxOff {
		return nil, env, nil
	}
	support := p.Support()
	if !support.Fenced() {
		return nil, env, nil
	}
	if err := p.CheckShared(); err != nil {
		return nil, nil, err
	}
	tmp, layers := filepath.Join(r.home, "tmp"), filepath.Join(r.home, "layers")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return nil, nil, fmt.Errorf("make folder for verify commands: %w", err)
	}
	home, _ := os.UserHomeDir() // without one there is nothing below it
	held := sandbox.WholeCheckout(r.path)
	held.Writable = append(held.Writable, tmp)
	held.Writable = append(held.Writable, p.SharedFolders()...)
	held.Sockets = p.Sockets()
	held.Caches = agent.Layers(layers, home, env)
	env = append(agent.WithSpareCaches(filepath.Join(tmp, "caches"), home, env), "TMPDIR="+tmp)
	inTree, err := p.untrackedRestricted(ctx, r.path)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range inTree {
		held.ProtectParents(filepath.ToSlash(strings.TrimPrefix(path, r.path+string(filepath.Separator))))
	}
	held.Hidden = slices.Concat(p.hiddenOutside(append(held.Writable, r.path)), p.otherScratches(r), inTree)
	repository, err := p.Folders(ctx)
	if err != nil {
		return nil, nil, err
	}
	fence := &keeper.Fence{Policy: r.fence, Support: support, Limits: Resources(p.Config)}
	held.Processes = fence.Limits.Processes
	if support.Namespaces {
		if held.Binds, err = p.OwnConfigs(ctx, strings.TrimSuffix(r.fence, ".json")+"-config"); err != nil {
			return nil, nil, err
		}
	}
	if err := p.ConfineReading(&held, support, env, repository...); err != nil {
		return nil, nil, err
	}
	if held.Network, err = fence.Limit("sandbox.verify_network", c.OfVerify(), r.home, c.Hosts); err != nil {
		return nil, nil, err
	}
	switch {
	case held.Network.Port != 0:
		env = append(env, proxy.Environ(held.Network.Port)...)
	case held.Network.Mode == sandbox.None:
		env = agent.WithoutProxies(env)
	}
	return fence, env, held.Write(fence.Policy)
}

// Resources are what the processes of one agent, or of one verification, may use of the machine together.
func Resources(c config.Config) resource.Limits {
	limits, set := resource.Defaults(), c.Sandbox.Limits
	if set.Memory.IsSet() {
		limits.Memory = int64(set.Memory.Value())
	}
	if set.Processes.IsSet() {
		limits.Processes = set.Processes.Value()
	}
	limits.CPUWeight = set.CPUWeight
	return limits
}

// hiddenOutside is what commands on agents' files are kept from beside Hidden: everything of the
// agents, with their logins, and the person's own restricted files.
func (p *Project) hiddenOutside(own []string) []string {
	hidden := p.Hidden()
	for _, home := range p.OtherHomes("", registry.Agent{}) {
		hidden = append(hidden, filepath.Dir(filepath.Dir(home)))
	}
	for _, path := range p.Repo.Linked() {
		belongs := func(to string) bool { return to == path || strings.HasPrefix(to, path+string(filepath.Separator)) }
		if filepath.Dir(path) == p.WorktreeRoot() && !slices.ContainsFunc(append(own, p.Main), belongs) {
			hidden = append(hidden, path)
		}
	}
	slices.Sort(hidden)
	return append(slices.Compact(hidden), slices.DeleteFunc(p.RestrictedFiles(p.Main), func(path string) bool {
		return slices.ContainsFunc(own, func(folder string) bool {
			return strings.HasPrefix(path, folder+string(filepath.Separator))
		})
	})...)
}

// otherScratches are the other scratch checkouts and what belongs to them.
func (p *Project) otherScratches(own scratch) (all []string) {
	for _, r := range p.someScratches(mostScratches) {
		if r != own {
			all = append(all, r.path, r.home)
		}
	}
	return all
}

// untrackedRestricted are the restricted files of a checkout that are not of its commit, such as
// copies of the person's.
func (p *Project) untrackedRestricted(ctx context.Context, checkout string) ([]string, error) {
	found := p.RestrictedFiles(checkout)
	if len(found) == 0 {
		return nil, nil
	}
	repo, err := p.Repo.OpenWorktree(checkout)
	if err != nil {
		return nil, err
	}
	commit, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	tracked, err := repo.Files(ctx, commit)
	return slices.DeleteFunc(found, func(path string) bool {
		rel := filepath.ToSlash(strings.TrimPrefix(path, checkout+string(filepath.Separator)))
		return slices.ContainsFunc(tracked, func(name string) bool {
			return name == rel || strings.HasPrefix(name, rel+"/")
		})
	}), err
}

// Inspection is what a checker looks at, and the place in which it does.
type Inspection struct {
	Tree string // folder with files that agents wrote
	Own  string // an empty folder for its temporary files
	// Writes says that the checker cannot do without writing in Tree, of which nobody may believe anything afterwards.
	Writes bool
}

// Inspects reports whether checkers can be held in here: they read what agents wrote, and are used in no other way.
// A person who wants no fence gets none of them, and neither does a machine that cannot hide files
// and keep the network away.
func (p *Project) Inspects() bool {
	return p.Config.Sandbox.Level != config.SandboxOff && p.Support().Namespaces
}

// Inspect runs a checker in a fence: it has no network, and sees the person's files but none that
// verify commands do not.
func (p *Project) Inspect(ctx context.Context, in Inspection, c run.Command) error {
	if !p.Inspects() {
		return errors.New("it is not run without a sandbox")
	}
	held := sandbox.Policy{Worktree: in.Tree, Writable: []string{in.Own}, Network: sandbox.Network{Mode: sandbox.None}}
	if in.Writes {
		held.Openings = []sandbox.Opening{{Kind: sandbox.Whole}}
	}
	held.Hidden = append(p.hiddenOutside([]string{in.Tree, in.Own}), p.otherScratches(scratch{})...)
	var err error
	if held.Binds, err = p.systemConfigs(ctx, in.Own+"-config"); err != nil {
		return err
	}
	fence := &keeper.Fence{Policy: in.Own + "-fence.json", Network: sandbox.None, Support: p.Support(),
		Limits: Resources(p.Config)}
	program := agent.ProgramFiles(os.Getenv("HOME"), []string{c.Path})
	if err := p.ConfineReading(&held, fence.Support, agent.Environ(nil), program...); err != nil {
		return err
	}
	held.Processes = fence.Limits.Processes
	if err := held.Write(fence.Policy); err != nil {
		return err
	}
	c.Dir, c.Env = in.Tree, append(agent.Environ(nil), "TMPDIR="+in.Own)
	return fence.Group(ctx, c)
}

// FenceAnalysis is the fence of a process that analyses what agents wrote and gets it from this
// one: it writes nothing, has no network, and sees of the person's files what is needed to build
// code and neither credentials nor this repository and what agents have; of git's configuration of
// the system it sees what is no login. nil where the configuration wants none, or the machine has
// none. folder is one that is made for it.
func (p *Project) FenceAnalysis(ctx context.Context, folder string, needed []string) (*keeper.Fence, error) {
	support := p.Support()
	if p.Config.Sandbox.Level == config.SandboxOff || !support.Fenced() {
		return nil, nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make folder for the analysis: %w", err)
	}
	held := sandbox.Policy{Worktree: folder, Network: sandbox.Network{Mode: sandbox.None}, Hidden: p.Hidden()}
	for _, place := range []string{p.Main, p.Repo.CommonDir, p.WorktreeRoot()} {
		inside := func(path string) bool {
			return strings.HasPrefix(path+string(filepath.Separator), place+string(filepath.Separator))
		}
		if !slices.ContainsFunc(append(needed, folder), inside) {
			held.Hidden = append(held.Hidden, place)
		}
	}
	if support.Namespaces {
		var err error
		if held.Binds, err = p.systemConfigs(ctx, folder+"-config"); err != nil {
			return nil, err
		}
	}
	fence := &keeper.Fence{Policy: folder + "-fence.json", Network: sandbox.None, Support: support}
	if err := p.ConfineReading(&held, support, agent.Environ(nil), needed...); err != nil {
		return nil, err
	}
	return fence, held.Write(fence.Policy)
}

// fenceLook is the checkout of an agent that may be at work, for a look: the git that reads its
// files sees nothing that is hidden from the agent. Else an agent that puts a link in the place of
// a folder, between git's listing and its reading, would find your keys in the objects of the look.
// An agent that is not fenced reads them anyway.
func (p *Project) fenceLook(ctx context.Context, session string, a registry.Agent, repo *git.Repo) *git.Repo {
	q, begun := takeover.OpenQuarantine(p.Quarantine(session, a))
	if !begun || !q.Whole() {
		return repo
	}
	// a whole quarantine was made for them
	fence := &keeper.Fence{Policy: p.lookFolder(session, a) + "-fence.json", Support: sandbox.Support{Namespaces: true}}
	written := sync.OnceValue(func() error { return p.writeLookPolicy(ctx, session, a, repo, fence) })
	return repo.Within(func(c run.Command) (run.Command, error) {
		if err := written(); err != nil {
			return c, err
		}
		return fence.Around(c), nil
	})
}

func (p *Project) writeLookPolicy(ctx context.Context, session string, a registry.Agent, repo *git.Repo,
	fence *keeper.Fence) error {
	folder := p.lookFolder(session, a)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make folder for looks: %w", err)
	}
	held := sandbox.Policy{Worktree: a.Worktree, Writable: []string{folder, filepath.Join(repo.CommonDir, "objects")}}
	held.Hidden = slices.Concat(p.Hidden(), p.OtherHomes(session, a),
		slices.DeleteFunc(p.RestrictedFiles(p.Main), func(path string) bool {
			// what is tracked there is looked at, and no link is needed for it
			return strings.HasPrefix(path, a.Worktree+string(filepath.Separator))
		}))
	if objects := repo.ObjectFolder(); objects != "" {
		held.Writable = append(held.Writable, filepath.Dir(objects))
	}
	media, err := p.media(ctx, repo)
	if err != nil {
		return err
	}
	held.Writable = append(held.Writable, media...)
	held.Shown = slices.Clone(held.Writable)
	needed, err := p.lookFiles(ctx)
	if err != nil {
		return err
	}
	if err := p.ConfineReading(&held, fence.Support, agent.Environ(nil), needed...); err != nil {
		return err
	}
	return held.Write(fence.Policy)
}

// Hidden are the places that no process of an agent's work may read or reach: where credentials
// lie, the sockets of the person's other programs, what the configuration names, and the private
// state of this program, whose locks and notes are nobody's business inside.
func (p *Project) Hidden() []string {
	hidden := append(sandbox.SocketFolders(), sandbox.SystemSecrets()...)
	below, programs := slices.Concat(sandbox.Credentials(), p.Config.Sandbox.Hidden), program.All()
	for _, home := range p.homes() {
		for _, name := range below {
			hidden = append(hidden, inHome(home, name))
		}
		for _, known := range programs { // also where a variable of theirs has them lie
			for _, name := range slices.Concat(known.Credentials, known.Hidden) {
				hidden = append(hidden, known.At(home, name))
			}
		}
		for _, profile := range p.Config.Profiles {
			for _, name := range profile.Login {
				hidden = append(hidden, inHome(home, name))
			}
		}
	}
	if key := p.signingKey(); key != "" {
		hidden = append(hidden, key)
	}
	hidden = append(hidden, p.Private)
	seen := map[string]bool{}
	return slices.DeleteFunc(hidden, func(path string) bool { // each takes its time in every start behind a fence
		again := seen[path]
		seen[path] = true
		return again
	})
}

// Sockets are the Unix sockets of the person's that the configuration opens.
func (p *Project) Sockets() []string {
	home, _ := os.UserHomeDir() // without one there is nothing below it
	var all []string
	for _, name := range p.Config.Sandbox.Sockets {
		all = append(all, inHome(home, name))
	}
	return all
}

// PersonsGit are the files of the person's git configuration, as paths.
func (p *Project) PersonsGit() (all []string) {
	for _, home := range p.homes() {
		for _, name := range sandbox.PersonsGit() {
			all = append(all, inHome(home, name))
		}
	}
	return all
}

// homes are where the person's files lie that are kept from agents: whoever set HOME opens nothing by that.
func (p *Project) homes() []string {
	home, _ := os.UserHomeDir() // without one there is nothing below it
	return slices.Compact([]string{home, p.Home})
}

// inHome is a path of the configuration: absolute, or below the person's home.
func inHome(home, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(home, filepath.FromSlash(strings.TrimPrefix(name, "~/")))
}

// OtherHomes are the homes of all other agents, in which their logins lie.
func (p *Project) OtherHomes(session string, a registry.Agent) []string {
	// No glob: the name of the repository's folder may hold signs that mean something in one.
	own, root := filepath.Join(p.AgentRoot(session, a.ID), "home"), p.WorktreeRoot()
	var all []string
	for _, of := range entryNames(root) {
		if !registry.ValidSessionID(of) && of != PlannerFolder {
			continue // a worktree, in which a folder may have that name
		}
		for _, id := range entryNames(filepath.Join(root, of)) {
			home := filepath.Join(root, of, id, "home")
			if _, err := os.Lstat(home); err == nil && home != own {
				all = append(all, home)
			}
		}
	}
	return all
}

// entryNames are the names in a folder, none where it cannot be read.
func entryNames(folder string) (names []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// mostSearched bounds how many entries are looked at for files that may not be read.
const mostSearched = 200_000

// RestrictedFiles are the files of checkouts that may not even be read.
func (p *Project) RestrictedFiles(checkouts ...string) []string {
	var patterns []scope.Pattern
	for _, text := range p.Config.Restricted {
		if pattern, err := scope.ParsePattern(text); err == nil {
			patterns = append(patterns, pattern)
		}
	}
	if len(patterns) == 0 {
		return nil
	}
	var found []string
	for _, root := range checkouts {
		seen := 0
		_ = filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
			if err != nil || at == root {
				return nil
			}
			if seen++; seen > mostSearched {
				return filepath.SkipAll
			}
			if d.Name() == ".git" && d.IsDir() {
				return filepath.SkipDir
			}
			rel, err := filepath.Rel(root, at)
			if err != nil || !slices.ContainsFunc(patterns, func(p scope.Pattern) bool {
				return p.Match(filepath.ToSlash(rel))
			}) {
				return nil
			}
			found = append(found, at)
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		})
	}
	return found
}
