// Package cleanup finds what sessions and agents left that nobody needs who is at work, and takes it away: worktrees,
// branches, references, folders, private state and last outputs.
//
// It owns the decision what of that is in the target already. Work that landed nowhere is never called worthless, and
// its commits stay under a reference when its worktree goes. Each removal is decided again in the moment in which it
// is carried out.
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
	"delegate/internal/journal"
	"delegate/internal/project"
	"delegate/internal/run"
	"delegate/internal/setup"
	"delegate/internal/ui"
	"delegate/registry"
)

// Find lists what sessions that ended left, what agents left that the active session is done with, and what a command
// left that was cut short. It changes nothing. The error says that git or a folder could not be read.
func Find(ctx context.Context, p *project.Project, state registry.State) ([]Item, error) {
	l := &search{}
	err := l.find(ctx, p, state)
	return l.found, err
}

// find looks for everything, or for the one thing that is looked for again.
func (l *search) find(ctx context.Context, p *project.Project, state registry.State) error {
	l.p, l.state, l.sessions = p, state, map[string]registry.State{}
	var err error
	if l.repo, err = p.Unfiltered(ctx); err != nil {
		return err
	}
	if l.trees, err = p.Repo.Worktrees(ctx); err != nil {
		return err
	}
	if l.refs, err = p.Repo.RefsUnder(ctx, "refs/delegate/"); err != nil {
		return err
	}
	if half, _, cut := journal.CutShort(ctx, p); cut && !l.ending {
		l.cut = half.Session.ID
	}
	branches, err := p.Repo.RefsUnder(ctx, "refs/heads/delegate/")
	if err != nil {
		return err
	}
	l.goneTrees(ctx) // before their branches: without its branch a worktree is not as it was shown
	for _, ref := range slices.Sorted(maps.Keys(branches)) {
		if err := l.branch(ctx, strings.TrimPrefix(ref, "refs/heads/"), branches[ref]); err != nil {
			return err
		}
	}
	for _, look := range []func(context.Context) error{l.otherTrees, l.folders, l.references, l.private} {
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

// isOurs says whether a path is in the folder of the worktrees.
func isOurs(p *project.Project, path string) bool {
	return strings.HasPrefix(path, p.WorktreeRoot()+string(filepath.Separator))
}

// goneTrees looks at the worktrees whose folder is gone.
func (l *search) goneTrees(ctx context.Context) {
	for i, t := range l.trees {
		if i > 0 && t.Prunable && isOurs(l.p, t.Path) && !l.skips(t.Path, Worktree, Checkout) {
			l.gone(ctx, t, strings.TrimPrefix(t.Branch, "refs/heads/"))
		}
	}
}

// otherTrees looks at worktrees that are there and on no branch of an agent: those for verification among them.
func (l *search) otherTrees(ctx context.Context) error {
	for i, t := range l.trees {
		name, inside := strings.CutPrefix(t.Path, l.p.WorktreeRoot()+string(filepath.Separator))
		branch := strings.TrimPrefix(t.Branch, "refs/heads/")
		switch {
		case i == 0 || !inside || t.Prunable || l.skips(t.Path, Worktree, Checkout):
		case l.p.IsScratch(name) && branch == "":
			if l.idle(name) {
				l.add(Item{Kind: Checkout, Content: Landed, Path: t.Path, Head: t.Head, Changed: modified(t.Path)})
			}
		case !l.atWork(t.Path):
			if strings.HasPrefix(branch, "delegate/") {
				if _, ours := l.owner(ctx, branch); ours {
					continue // told with its branch
				}
			}
			if err := l.strange(ctx, t, branch); err != nil {
				return err
			}
		}
	}
	return nil
}

// strange tells of a worktree among those of agents that is on a person's branch, or on none.
func (l *search) strange(ctx context.Context, t git.Worktree, branch string) error {
	w := work{branch: branch, head: t.Head, tree: t.Path}
	edits, compared, err := l.edits(ctx, w)
	if err != nil {
		return err
	}
	on := cmp.Or(branch, fmt.Sprintf("no branch, at %.12s", t.Head))
	it := Item{Kind: Worktree, Content: Unlanded, Path: t.Path, Branch: branch, Head: t.Head, Edits: edits,
		Changed: modified(t.Path), is: "a worktree that is on " + on}
	reason := "no agent works on what it is on"
	if !compared {
		reason += ", and files in it may have changed since its last commit"
	} else if len(edits) > 0 {
		reason += ", and files in it changed since its last commit: " + ui.Some(edits, mostNames)
	}
	it.Refusal = &Refusal{Reason: reason,
		Next: fmt.Sprintf("git log -p %.12s; if it is not wanted: git worktree remove %s", t.Head, run.Quote(t.Path))}
	l.add(it)
	return nil
}

// gone tells of a worktree without its folder. Only this one is to be forgotten: a pruning would
// take others with it, such as those on a disk that is away. A reference keeps commits that nothing but its head
// holds.
func (l *search) gone(ctx context.Context, t git.Worktree, branch string) {
	it := Item{Kind: Worktree, Content: Landed, Path: t.Path, Branch: branch, Head: t.Head, Changed: l.p.Now(),
		is: "a worktree that is registered with git and not there any more"}
	if admin, err := l.repo.OpenWorktree(t.Path); err == nil {
		it.Changed = modified(admin.GitDir)
	}
	if t.Branch == "" && t.Head != "" {
		if held, err := l.repo.Held(ctx, t.Head); err != nil || !held {
			it.Content = Unlanded
			it.KeptAs = keeping(l.p, strings.ReplaceAll(filepath.Base(t.Path), ".", "-"))
		}
	}
	if _, err := os.Stat(l.p.WorktreeRoot()); err != nil {
		it.Refusal = &Refusal{Reason: "the folder of all worktrees is away, and may come back",
			Next: "git worktree remove " + run.Quote(t.Path)}
	}
	l.add(it)
}

// atWork says whether a path is in the active session's folder, or the worktree of one of its agents.
func (l *search) atWork(path string) bool {
	return l.state.Session != nil && strings.HasPrefix(path,
		l.p.SessionDir(l.state.Session.ID)+string(filepath.Separator)) ||
		slices.ContainsFunc(l.state.Agents, func(a registry.Agent) bool { return a.Worktree == path })
}

// folders looks at what lies in the folder of the worktrees and is none of them.
func (l *search) folders(ctx context.Context) error {
	root := l.p.WorktreeRoot()
	for _, name := range entries(root) {
		path := filepath.Join(root, name)
		switch {
		case l.p.IsScratch(name) && strings.HasPrefix(name, "scratch-home"):
			scratch := strings.Replace(name, "scratch-home", "scratch", 1)
			if l.skips(path, Folder) || l.registered(filepath.Join(root, scratch)) || !l.idle(scratch) {
				continue
			}
			if err := l.folder(ctx, Item{Path: path, is: "a folder of commands that verified"}); err != nil {
				return err
			}
		case registry.ValidSessionID(name) && !l.active(name):
			for _, agent := range entries(path) {
				if err := l.agentFolders(ctx, name, agent); err != nil {
					return err
				}
			}
		case git.IsOrphaned(path, "") && !l.registered(path):
			it := Item{Path: path, is: "a folder that was a worktree, which git does not know any more"}
			it.Refusal = &Refusal{Reason: "nobody can say what in it is in a commit", Next: "look at it first: ls -A " +
				run.Quote(path)}
			if err := l.folder(ctx, it); err != nil {
				return err
			}
		}
	}
	return nil
}

// agentFolders tells of what an agent had beside its worktree, once that is gone: with it these folders go as well.
func (l *search) agentFolders(ctx context.Context, session, agent string) error {
	path := l.p.AgentRoot(session, agent)
	if l.skips(path, Folder) || l.registered(path) || len(l.treesOf(ctx, session, agent)) > 0 {
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

// registered says whether git knows a worktree at the path or below it.
func (l *search) registered(path string) bool {
	return slices.ContainsFunc(l.trees, func(t git.Worktree) bool {
		return !t.Prunable && (t.Path == path || strings.HasPrefix(t.Path, path+string(filepath.Separator)))
	})
}
