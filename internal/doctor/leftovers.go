// Package doctor looks at all that delegation needs on a machine and in a repository, and at what it leaves there:
// worktrees, branches and folders of sessions that ended, checkouts for verification that are idle, and what all of it
// takes of the disk. It says for each what to type.
//
// It owns the decision what of that is in the target already, and which words a person is told
// before they take anything away. It changes nothing, and it never calls work worthless that did
// not land.
package doctor

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"delegate/internal/atomicfile"
	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/internal/run"
	"delegate/internal/setup"
	"delegate/internal/ui"
	"delegate/registry"
)

// Leftovers lists what sessions that ended left, and what a command left that was cut short.
// Of the active session it lists nothing. The error says that git or a folder could not be read.
func Leftovers(ctx context.Context, p *project.Project, state registry.State) ([]Leftover, error) {
	l := &search{p: p, state: state, sessions: map[string]registry.State{}}
	var err error
	if l.repo, err = p.Unfiltered(ctx); err != nil {
		return nil, err
	}
	if l.trees, err = p.Repo.Worktrees(ctx); err != nil {
		return nil, err
	}
	branches, err := p.Repo.RefsUnder(ctx, "refs/heads/delegate/")
	if err != nil {
		return nil, err
	}
	for _, ref := range slices.Sorted(maps.Keys(branches)) {
		if err := l.branch(ctx, strings.TrimPrefix(ref, "refs/heads/"), branches[ref]); err != nil {
			return nil, err
		}
	}
	if err := l.otherTrees(ctx); err != nil {
		return nil, err
	}
	if err := l.folders(ctx); err != nil {
		return nil, err
	}
	return l.found, l.references(ctx)
}

// otherTrees looks at worktrees that are on no branch of an agent: those for verification, and
// those whose folder is gone.
func (l *search) otherTrees(ctx context.Context) error {
	for i, t := range l.trees {
		name, inside := strings.CutPrefix(t.Path, l.p.WorktreeRoot()+string(filepath.Separator))
		switch {
		case i == 0 || !inside:
		case t.Prunable:
			if err := l.gone(ctx, t); err != nil {
				return err
			}
		case isScratch(name):
			if l.idle(name) {
				l.add(Checkout, "a checkout for verification, in which nobody verifies and no work is kept: "+t.Path,
					"git worktree remove --force "+run.Quote(t.Path))
			}
		case !strings.HasPrefix(t.Branch, "refs/heads/delegate/") &&
			!l.active(strings.Split(filepath.ToSlash(name), "/")[0]):
			edits, err := l.edits(ctx, t.Path, t.Head)
			if err != nil {
				return err
			}
			on := strings.TrimPrefix(t.Branch, "refs/heads/")
			if on == "" {
				on = fmt.Sprintf("no branch, at %.12s", t.Head)
			}
			l.add(Worktree, fmt.Sprintf("a worktree that is on %s, in which %s since its last commit: %s", on,
				files(edits), t.Path), fmt.Sprintf("git log -p %.12s", t.Head))
		}
	}
	return nil
}

// gone tells of a worktree without its folder. Only this one is to be forgotten: a pruning would
// take others with it, such as those on a disk that is away. Commits that nothing but its head
// holds would be lost with it, so a branch comes first.
func (l *search) gone(ctx context.Context, t git.Worktree) error {
	text, next := "registered with git and not there any more: "+t.Path, "git worktree remove "+run.Quote(t.Path)
	if t.Branch == "" && t.Head != "" {
		held, err := l.repo.Held(ctx, t.Head)
		if err != nil || !held {
			text += fmt.Sprintf("; it was on no branch, at %.12s, which no reference may hold", t.Head)
			next = fmt.Sprintf("git branch kept-%.12s %.12s && %s", t.Head, t.Head, next)
		}
	}
	l.add(Worktree, text, next)
	return context.Cause(ctx)
}

// isScratch tells the checkouts for verification by their names.
func isScratch(name string) bool {
	return name == "scratch" || strings.HasPrefix(name, "scratch-") && !strings.HasPrefix(name, "scratch-home")
}

// idle says whether a checkout for verification is unused: no session is active, and no command holds its lock.
func (l *search) idle(name string) bool {
	held, err := atomicfile.Held(filepath.Join(l.p.Private, name+".lock"))
	return l.state.Session == nil && err == nil && !held
}

// folders looks at what lies in the folder of the worktrees and is none of them.
func (l *search) folders(ctx context.Context) error {
	root := l.p.WorktreeRoot()
	for _, name := range entries(root) {
		path := filepath.Join(root, name)
		switch {
		case strings.HasPrefix(name, "scratch-home"):
			scratch := strings.Replace(name, "scratch-home", "scratch", 1)
			if l.registered(filepath.Join(root, scratch)) || !l.idle(scratch) {
				continue
			}
			if err := l.folder(ctx, path, "a folder of commands that verified"); err != nil {
				return err
			}
		case strings.HasPrefix(name, "DEL-") && !l.active(name):
			for _, agent := range entries(path) {
				at := filepath.Join(path, agent)
				if l.registered(at) {
					continue
				}
				if err := l.folder(ctx, at,
					"what "+agent+" of "+name+" had beside its worktree, which is gone"); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// folder tells of one folder. One with a checkout in it that git does not know is only shown.
func (l *search) folder(ctx context.Context, path, what string) error {
	size, err := setup.Measure(ctx, path)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s (%s): %s", what, size, path)
	for _, name := range entries(path) {
		if strings.HasPrefix(name, "work") {
			l.add(Folder, text+"; it has a folder "+name+", which git does not know as a worktree",
				"look at it first: ls -A "+run.Quote(filepath.Join(path, name)))
			return nil
		}
	}
	l.add(Folder, text, "rm -r "+run.Quote(path))
	return nil
}

// registered says whether git knows a worktree at the path or below it.
func (l *search) registered(path string) bool {
	return slices.ContainsFunc(l.trees, func(t git.Worktree) bool {
		return !t.Prunable && (t.Path == path || strings.HasPrefix(t.Path, path+string(filepath.Separator)))
	})
}

// entries are the names of the folders in a folder, none if it cannot be read.
func entries(path string) (names []string) {
	all, err := os.ReadDir(path)
	if err != nil {
		return nil
	}
	for _, e := range all {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// references tells of the heads that sessions which ended keep.
func (l *search) references(ctx context.Context) error {
	refs, err := l.p.Repo.RefsUnder(ctx, "refs/delegate/")
	if err != nil {
		return err
	}
	sessions, kept := map[string]bool{}, 0
	for ref := range refs {
		parts := strings.Split(ref, "/")
		if len(parts) > 3 && !l.active(parts[2]) && !l.onTheWay(ctx, parts) {
			sessions[parts[2]] = true
			kept++
		}
	}
	if kept > 0 {
		l.found = append(l.found, Leftover{
			Kind: Reference, Kept: true, Next: "git for-each-ref refs/delegate",
			Text: fmt.Sprintf("%s for heads of %s that ended: work that was rejected, given up or replaced can be "+
				"brought back from there", ui.Plural(kept, "reference"), ui.Plural(len(sessions), "session")),
		})
	}
	return nil
}

// onTheWay reports whether a reference, by its parts, holds only what an agent had at earlier turns
// and looks of the attempt that landed. It is not worth bringing back, so it is not told. The turns
// of several attempts have one row of numbers, and those of the first did not land.
func (l *search) onTheWay(ctx context.Context, parts []string) bool {
	if len(parts) != 5 {
		return false
	}
	number, isTurn := strings.CutPrefix(parts[4], "turn-")
	if _, err := strconv.Atoi(number); parts[4] != "look" && (!isTurn || err != nil) {
		return false
	}
	return slices.ContainsFunc(l.session(ctx, parts[2]).Agents, func(a registry.Agent) bool {
		return a.ID == parts[3] && a.Status == registry.Merged && a.Attempt <= 1
	})
}
