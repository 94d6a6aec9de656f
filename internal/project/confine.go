package project

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/agent"
	"delegate/internal/config"
	"delegate/internal/git"
	"delegate/internal/sandbox"
	"delegate/registry"
	"delegate/scope"
	"delegate/worktree"
)

// fenceScratch is the fence of commands that run on a commit in a scratch checkout: they run what agents wrote, so they may fill that checkout,
// a temporary folder and layers over the person's caches, and nothing else. nil where the configuration wants none, or the machine has none,
// on which agents have the rights of the person anyway. The environment is the person's, without what is a secret by its name where there is a fence.
func (p *Project) fenceScratch(ctx context.Context, r room) (*agent.Fence, []string, error) {
	env := Environ()
	c := p.Config.Sandbox
	if !c.Verify || c.Level == config.SandboxOff {
		return nil, env, nil
	}
	support := p.support()
	if !support.Fenced() {
		return nil, env, nil
	}
	tmp, layers := filepath.Join(r.home, "tmp"), filepath.Join(r.home, "layers")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		return nil, nil, fmt.Errorf("make folder for verify commands: %w", err)
	}
	env = append(slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, "TMPDIR=") || isSecret(e) }), "TMPDIR="+tmp)
	home, _ := os.UserHomeDir() // without one there is nothing below it
	held := sandbox.Everything(r.path)
	held.Writable = append(held.Writable, tmp)
	held.Writable = append(held.Writable, p.SharedFolders()...)
	held.Caches = agent.Layers(layers, home, agent.WithCaches(env))
	env = agent.WithSpareCaches(filepath.Join(tmp, "caches"), home, env)
	held.Hidden = p.Hidden(append(held.Writable, r.path))
	fence := &agent.Fence{Policy: r.fence, Support: support}
	return fence, env, held.Write(fence.Policy)
}

// fenceLook is the checkout of an agent that may be at work, for a look: the git that reads its files sees nothing that is hidden from the agent.
// Else an agent that puts a link in the place of a folder, between git's listing and its reading, would find your keys in the objects of the look.
// An agent that is not fenced reads them anyway.
func (p *Project) fenceLook(session string, a registry.Agent, repo *git.Repo) (*git.Repo, error) {
	q, begun := worktree.OpenQuarantine(p.Quarantine(session, a))
	if !begun || !q.Whole() {
		return repo, nil
	}
	folder := p.lookFolder(session, a)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make folder for looks: %w", err)
	}
	held := sandbox.Policy{Worktree: a.Worktree, Writable: []string{folder, filepath.Join(repo.CommonDir, "objects")}}
	held.Hidden = slices.Concat(p.Hidden(nil), p.OtherHomes(session, a), slices.DeleteFunc(p.RestrictedFiles(a), func(path string) bool {
		return strings.HasPrefix(path, a.Worktree+string(filepath.Separator)) // what is tracked there is looked at, and no link is needed for it
	}))
	if objects := repo.ObjectFolder(); objects != "" {
		held.Writable = append(held.Writable, filepath.Dir(objects))
	}
	held.Lent = held.Writable
	fence := &agent.Fence{Policy: folder + "-fence.json", Support: sandbox.Support{Namespaces: true}} // a whole quarantine was made for them
	if err := held.Write(fence.Policy); err != nil {
		return nil, err
	}
	return repo.Within(fence.Around), nil
}

// SharedFolders are the folders of the person that the configuration opens, as far as they are there, without those in one another:
// what lies in an open folder can be a link that an agent put there.
func (p *Project) SharedFolders() []string {
	home, _ := os.UserHomeDir() // without one there is nothing below it
	var all []string
	for _, name := range p.Config.Sandbox.Writable {
		at := Below(home, name)
		if info, err := os.Stat(at); err == nil && info.IsDir() {
			all = append(all, at)
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(at string) bool {
		return slices.ContainsFunc(all, func(outer string) bool { return strings.HasPrefix(at, outer+string(filepath.Separator)) })
	})
}

// isSecret tells an entry of an environment that holds a secret by its name.
func isSecret(entry string) bool {
	name, _, _ := strings.Cut(strings.ToUpper(entry), "=")
	for _, word := range []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "SSH_AUTH_SOCK"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// Hidden are the places that no process of an agent's work may read or reach: where credentials lie, the sockets of the person's other programs,
// what the configuration names, and the private state of this program, whose locks and notes are nobody's business inside. own are the places that belong to the process.
func (p *Project) Hidden(own []string) []string {
	home, _ := os.UserHomeDir() // without one there is nothing below it
	hidden := sandbox.Doors(own)
	for _, name := range slices.Concat(sandbox.Credentials(), p.Config.Sandbox.Hidden) {
		hidden = append(hidden, Below(home, name))
	}
	return append(hidden, p.Private)
}

// Below is a path of the configuration: absolute, or below the person's home.
func Below(home, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(home, filepath.FromSlash(strings.TrimPrefix(name, "~/")))
}

// OtherHomes are the homes of all other agents, in which their logins lie.
func (p *Project) OtherHomes(session string, a registry.Agent) []string {
	// No glob: the name of the repository's folder may hold signs that mean something in one.
	own, root := filepath.Join(p.AgentDir(session, a.ID), "home"), p.WorktreeRoot()
	var all []string
	for _, of := range entryNames(root) {
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

// RestrictedFiles are the files of the person's checkout and of the agent's that may not even be read.
func (p *Project) RestrictedFiles(a registry.Agent) []string {
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
	for _, root := range []string{p.Main, a.Worktree} {
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
			if err != nil || !slices.ContainsFunc(patterns, func(p scope.Pattern) bool { return p.Match(filepath.ToSlash(rel)) }) {
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
