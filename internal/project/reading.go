package project

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/fence/sandbox"
	"delegate/internal/git"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agent"
)

// ConfineReading says what the processes of a policy may read of the folders in which people keep files: all but what
// it hides, or, with sandbox.read: list, only what they need. env is theirs, more are further places that they need.
// What sandbox.readable names is read in both cases, also a place where credentials lie. The error is that this
// machine cannot hold a list.
func (p *Project) ConfineReading(held *sandbox.Policy, s sandbox.Support, env []string, more ...string) error {
	readable := p.readable()
	held.Shown = append(held.Shown, readable...)
	held.Hidden = slices.DeleteFunc(held.Hidden, func(path string) bool { return slices.Contains(readable, path) })
	needed := slices.Concat([]string{held.Worktree}, held.Writable, more)
	for _, b := range held.Binds {
		needed = append(needed, b.To)
	}
	for _, c := range held.Caches {
		needed = append(needed, c.Path)
	}
	held.Shown = append(held.Shown, needed...) // the repository may lie in a place that is hidden
	if p.Config.Sandbox.Read != config.ReadByList {
		return nil
	}
	if !s.Namespaces {
		return fmt.Errorf("sandbox.read: list cannot be held here: %s; write  read: home  into sandbox of %s",
			cmp.Or(s.Fault, "that needs Linux"), config.FileName)
	}
	home, _ := os.UserHomeDir() // without one there is nothing below it
	held.Shown = append(held.Shown, p.toolFolders(home, env)...)
	held.Hidden = append(held.Hidden, agent.OtherCaches(home)...)
	for _, folder := range sandbox.Personal(home) {
		if !slices.Contains(held.Shown, folder) {
			held.Hidden = append(held.Hidden, folder)
		}
	}
	return nil
}

// toolFolders are what builds and git read outside of a checkout, whoever's it is. Being in PATH opens no place of
// credentials.
func (p *Project) toolFolders(home string, env []string) []string {
	all := append(agent.Needs(home, p.withoutWritable(env)), run.Program())
	for _, name := range []string{"node_modules", ".venv", "venv", "vendor"} { // links of a worktree lead there
		all = append(all, filepath.Join(p.Main, name))
	}
	credentials := sandbox.Credentials()
	return slices.DeleteFunc(all, func(path string) bool {
		return slices.ContainsFunc(credentials, func(name string) bool {
			return sandbox.Contains(inHome(home, name), path)
		})
	})
}

// withoutWritable is an environment whose PATH has no folder in which agents write: a link there is none of the
// person's.
func (p *Project) withoutWritable(env []string) []string {
	writable := append(p.SharedFolders(), p.WorktreeRoot())
	folders := slices.DeleteFunc(filepath.SplitList(run.Variable(env, "PATH")), func(folder string) bool {
		return slices.ContainsFunc(writable, func(w string) bool { return sandbox.Contains(w, folder) })
	})
	return append([]string{"PATH=" + strings.Join(folders, string(os.PathListSeparator))}, env...)
}

// Folders are the folders of the repository, those whose objects it borrows, and the programs of its filters.
func (p *Project) Folders(ctx context.Context) ([]string, error) {
	hooks, err := p.Repo.HooksPath(ctx)
	if err != nil {
		return nil, err
	}
	filters, err := p.Repo.Filters(ctx)
	if err != nil {
		return nil, err
	}
	all, err := git.Borrowed(filepath.Join(p.Repo.CommonDir, "objects"))
	home, _ := os.UserHomeDir() // without one there is nothing below it
	for _, commands := range filters {
		for _, command := range commands {
			all = append(all, agent.ProgramFiles(home, words(command))...)
		}
	}
	return append(all, p.Repo.CommonDir, hooks), err
}

// lookFiles are what git reads when it looks at a worktree.
func (p *Project) lookFiles(ctx context.Context) ([]string, error) {
	if p.Config.Sandbox.Read != config.ReadByList {
		return nil, nil
	}
	settings, err := p.Repo.SettingsFiles(ctx)
	if err != nil {
		return nil, err
	}
	repository, err := p.Folders(ctx)
	return append(settings, repository...), err
}

// readable are the places that the configuration opens.
func (p *Project) readable() []string {
	home, _ := os.UserHomeDir() // without one there is nothing below it
	var all []string
	for _, name := range p.Config.Sandbox.Readable {
		all = append(all, filepath.Clean(inHome(home, name)))
	}
	return all
}

// Readable are the places of the person's home that agents read where they read by a list, as ~/…, sorted, without
// those in one another.
func (p *Project) Readable() []string {
	home, _ := os.UserHomeDir() // without one there is nothing below it
	var all []string
	for _, path := range slices.Concat(p.toolFolders(home, agent.Environ(nil)), p.readable(),
		[]string{p.Repo.CommonDir}, p.SharedFolders()) {
		if _, err := os.Stat(path); err == nil && home != "" && sandbox.Contains(home, path) {
			all = append(all, "~"+strings.TrimPrefix(path, home))
		}
	}
	slices.Sort(all)
	outer := []string{}
	for _, path := range slices.Compact(all) {
		if !slices.ContainsFunc(outer, func(o string) bool { return sandbox.Contains(o, path) }) {
			outer = append(outer, path)
		}
	}
	return outer
}
