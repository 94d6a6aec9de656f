// Package cleanup finds what sessions and agents left, and removes it.
//
// It has one rule. What something uses now stays, with the reason. What no branch holds, commits as well as changed and
// new files, is kept under a reference. Then it goes. Each thing is judged again at the moment of its removal.
package cleanup

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/git"
	"delegate/internal/land/journal"
	"delegate/internal/plan/setup"
	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/registry"
)

// search is one search for leftovers.
type search struct {
	p        *project.Project
	repo     *git.Repo // without the filters that an agent could have written
	state    registry.State
	trees    []git.Worktree
	refs     map[string]string         // all of this program's own
	sessions map[string]registry.State // that ended; empty for those without a record
	cut      string                    // the session whose end was interrupted, "" for none
	ending   bool                      // the caller ends the session, whose supervisor may still be there
	spend    bool                      // a person was shown the ignored files, and lets them go
	found    []Item
}

func newSearch(ctx context.Context, p *project.Project) (*search, error) {
	l := &search{p: p, sessions: map[string]registry.State{}}
	var err error
	if l.state, err = p.Store.View(ctx); err != nil {
		return nil, err
	}
	if l.repo, err = p.Unfiltered(ctx); err != nil {
		return nil, err
	}
	if l.trees, err = p.Repo.Worktrees(ctx); err != nil {
		return nil, err
	}
	l.refs, err = p.Repo.RefsUnder(ctx, "refs/delegate/")
	return l, err
}

// Find lists what sessions that ended left, what agents left that the active session is done with, and what an
// interrupted command left. It changes nothing.
func Find(ctx context.Context, p *project.Project) ([]Item, error) {
	l, err := newSearch(ctx, p)
	if err != nil {
		return nil, err
	}
	err = l.find(ctx)
	return l.found, err
}

func (l *search) find(ctx context.Context) error {
	if half, _, cut := journal.CutShort(ctx, l.p); cut {
		l.cut = half.Session.ID
	}
	for _, look := range []func(context.Context) error{l.worktrees, l.branches, l.folders, l.references, l.private,
		l.outputs} {
		if err := look(ctx); err != nil {
			return err
		}
	}
	for i := range l.found { // a program reads a list where there is none
		it := &l.found[i]
		it.Changed = it.Changed.UTC().Truncate(time.Second)
		for _, list := range []*[]string{&it.Files, &it.Edits, &it.Ignored, &it.Refs} {
			if *list == nil {
				*list = []string{}
			}
		}
	}
	return nil
}

func (l *search) add(it Item) { l.found = append(l.found, it) }

// isOurs reports whether a path is in the folder of the worktrees.
func (l *search) isOurs(path string) bool {
	return strings.HasPrefix(path, l.p.WorktreeRoot()+string(filepath.Separator))
}

// worktrees looks at those that are on no branch of an agent, and at those without their folder.
func (l *search) worktrees(ctx context.Context) error {
	for i, t := range l.trees {
		branch := strings.TrimPrefix(t.Branch, "refs/heads/")
		name := filepath.Base(t.Path)
		switch {
		case i == 0 || !l.isOurs(t.Path):
		case t.Prunable:
			l.missing(ctx, t, branch)
		case filepath.Dir(t.Path) == l.p.WorktreeRoot() && l.p.IsScratch(name) && branch == "":
			if l.idle(name) {
				l.add(Item{Kind: Checkout, Content: Landed, Path: t.Path, Head: t.Head, Changed: modified(t.Path)})
			}
		case l.atWork(t.Path):
		default:
			if _, ours := l.owner(ctx, branch); ours {
				continue // reported with its branch
			}
			l.add(Item{Kind: Worktree, Content: Unlanded, Path: t.Path, Branch: branch, Head: t.Head,
				Changed: modified(t.Path), is: "a worktree that is on " + cmp.Or(branch, "no branch"),
				Refusal: &Refusal{Reason: "no agent works on what it is on", Next: fmt.Sprintf("git log -p %.12s; "+
					"if it is not wanted: git worktree remove %s", t.Head, run.Quote(t.Path))}})
		}
	}
	return nil
}

// missing reports a worktree without its folder. Only this one is to be forgotten: a pruning would take others with it,
// such as those on a disk that is away.
func (l *search) missing(ctx context.Context, t git.Worktree, branch string) {
	it := Item{Kind: Worktree, Content: Landed, Path: t.Path, Branch: branch, Head: t.Head, Changed: l.p.Now(),
		is: "a worktree that is registered with git and not there any more"}
	if admin, err := l.repo.OpenWorktree(t.Path); err == nil {
		it.Changed = modified(admin.GitDir)
	}
	if t.Branch == "" && t.Head != "" {
		if held, err := l.repo.Held(ctx, t.Head); err != nil || !held {
			it.Content, it.KeptAs = Unlanded, l.keeping(strings.ReplaceAll(filepath.Base(t.Path), ".", "-"))
		}
	}
	if _, err := os.Stat(l.p.WorktreeRoot()); err != nil {
		it.Refusal = &Refusal{Reason: "the folder of all worktrees is away, and may come back",
			Next: "git worktree remove " + run.Quote(t.Path)}
	}
	l.add(it)
}

// atWork reports whether a path is in the active session's folder, or the worktree of one of its agents.
func (l *search) atWork(path string) bool {
	return l.state.Session != nil && strings.HasPrefix(path,
		l.p.SessionDir(l.state.Session.ID)+string(filepath.Separator)) ||
		slices.ContainsFunc(l.state.Agents, func(a registry.Agent) bool { return a.Worktree == path })
}

// branches looks at the branches of agents, each with its worktree.
func (l *search) branches(ctx context.Context) error {
	all, err := l.p.Repo.RefsUnder(ctx, "refs/heads/delegate/")
	if err != nil {
		return err
	}
	for _, ref := range slices.Sorted(maps.Keys(all)) {
		w, ours := l.owner(ctx, strings.TrimPrefix(ref, "refs/heads/"))
		if !ours || l.active(w.session) && !w.record.Status.Ended() {
			continue
		}
		it, err := l.examine(ctx, l.at(ctx, w, all[ref]))
		if err == nil && it.of.tree != "" {
			err = l.compare(ctx, &it)
		}
		if err != nil {
			return err
		}
		if !l.active(w.session) || w.record.Status != registry.Merged || it.Content == Landed {
			l.add(it)
		}
	}
	return nil
}

// folders looks at what lies in the folder of the worktrees and is none of them.
func (l *search) folders(ctx context.Context) error {
	root := l.p.WorktreeRoot()
	for _, name := range entries(root) {
		path := filepath.Join(root, name)
		scratch := strings.Replace(name, "scratch-home", "scratch", 1)
		var err error
		switch {
		case registry.ValidSessionID(name) && !l.active(name):
			for _, agent := range entries(path) {
				if err := l.agentFolders(ctx, name, agent); err != nil {
					return err
				}
			}
		case l.p.IsScratch(name) && name != scratch && !l.registered(filepath.Join(root, scratch)) && l.idle(scratch):
			err = l.folder(ctx, Item{Path: path, is: "a folder of commands that verified"})
		case git.IsOrphaned(path, "") && !l.registered(path):
			err = l.folder(ctx, Item{Path: path, is: "a folder that was a worktree, which git does not know any more",
				Refusal: &Refusal{Reason: "nobody can say what in it is in a commit",
					Next: "look at it first: ls -A " + run.Quote(path)}})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// agentFolders reports what an agent had next to its worktree, once that is gone.
func (l *search) agentFolders(ctx context.Context, session, agent string) error {
	path := l.p.AgentRoot(session, agent)
	if l.registered(path) || len(l.treesOf(ctx, session, agent)) > 0 {
		return nil
	}
	it := Item{Session: session, Agent: agent, Path: path,
		is: "what " + agent + " of " + session + " had next to its worktree, which is gone"}
	if record, err := l.session(ctx, session).Agent(agent); err == nil {
		it.Name, it.Status = record.Name, record.Status
	}
	for _, name := range entries(path) {
		if strings.HasPrefix(name, "work") {
			it.Refusal = &Refusal{Reason: "it has a folder " + name + ", which git does not know as a worktree",
				Next: "look at it first: ls -A " + run.Quote(filepath.Join(path, name))}
		}
	}
	return l.folder(ctx, it)
}

func (l *search) folder(ctx context.Context, it Item) error {
	size, err := setup.Measure(ctx, it.Path)
	it.Kind, it.Content, it.Bytes, it.Changed = Folder, Landed, size.Bytes, modified(it.Path)
	l.add(it)
	return err
}

// registered reports whether git knows a worktree at the path or below it.
func (l *search) registered(path string) bool {
	return slices.ContainsFunc(l.trees, func(t git.Worktree) bool {
		return !t.Prunable && (t.Path == path || strings.HasPrefix(t.Path, path+string(filepath.Separator)))
	})
}
