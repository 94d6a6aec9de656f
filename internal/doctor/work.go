package doctor

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/internal/run"
	"delegate/internal/ui"
	"delegate/registry"
)

// The kinds of a Leftover.
const (
	Worktree  = "worktree"
	Branch    = "branch"
	Checkout  = "checkout"
	Folder    = "folder"
	Reference = "references"
)

// Leftover is one thing that is still there and that no session needs.
type Leftover struct {
	Kind string
	Text string // what it is, and whose
	Next string // how to look at it, and how to take it away
	Kept bool   // it is kept on purpose, and costs next to nothing
}

// search is one search for leftovers.
type search struct {
	p     *project.Project
	repo  *git.Repo // without the filters that an agent could have written
	state registry.State
	trees []git.Worktree
	// states of sessions that ended; empty for those without a record
	sessions map[string]registry.State
	found    []Leftover
}

func (l *search) add(kind, text, next string) {
	l.found = append(l.found, Leftover{Kind: kind, Text: text, Next: next})
}

func (l *search) active(session string) bool {
	return l.state.Session != nil && l.state.Session.ID == session
}

// session is the state of a session by the registry and its archive; its Session is nil if they know none.
func (l *search) session(ctx context.Context, id string) registry.State {
	known, asked := l.sessions[id]
	if !asked {
		known, _ = l.p.Store.History(ctx, id) // without a record the branches speak for themselves
		l.sessions[id] = known
	}
	return known
}

// work is an agent's branch with what is known of it.
type work struct {
	session, agent, branch string
	// its work: with what it did not commit, as far as that is recorded, else the branch's tip
	head   string
	tree   string // its worktree, "" if it has none
	record registry.Agent
	target string // the branch that it was meant for
}

// title names it for people.
func (w work) title() string {
	name := strings.TrimSpace(w.agent + " of " + w.session)
	if w.record.Subtask != "" {
		name += fmt.Sprintf(" (%s, %s)", w.record.Name, w.record.Status.Word())
	}
	return name
}

// branch looks at one branch below delegate/, and at its worktree.
func (l *search) branch(ctx context.Context, name, tip string) error {
	parts := strings.Split(name, "/")
	if len(parts) < 3 || l.active(parts[1]) {
		return nil
	}
	w := work{session: parts[1], agent: parts[2], branch: name, head: tip}
	known := l.session(ctx, w.session)
	if record, err := known.Agent(w.agent); err == nil {
		w.record = record
		if l.contains(ctx, record, tip) && record.Branch == name {
			w.head = record.Head
		}
	}
	if known.Session != nil {
		w.target = known.Session.Target
	}
	for _, t := range l.trees {
		if t.Branch == "refs/heads/"+name && !t.Prunable {
			w.tree = t.Path
		}
	}
	landed, where, err := l.landed(ctx, w)
	if err != nil {
		return err
	}
	edits := 0
	if w.tree != "" {
		if edits, err = l.edits(ctx, w.tree, w.head); err != nil {
			return err
		}
	}
	if landed {
		return l.landedWork(ctx, w, where, edits)
	}
	return l.openWork(ctx, w, where, edits)
}

// contains says whether the head that is recorded for an agent has the commit in it.
func (l *search) contains(ctx context.Context, record registry.Agent, commit string) bool {
	if record.Head == "" {
		return false
	}
	inside, err := l.p.Repo.IsAncestor(ctx, commit, record.Head)
	return err == nil && inside
}

func (l *search) landedWork(ctx context.Context, w work, where string, edits int) error {
	remove, done := "git branch -d "+w.branch, "its work is in "+where
	if w.record.Status != registry.Merged {
		done = "it has nothing that " + where + " has not"
	}
	inside, err := l.submodule(ctx, w)
	switch {
	case err != nil:
		return err
	case w.tree == "":
		l.add(Branch, fmt.Sprintf("%s: %s, its branch %s is still there", w.title(), done, w.branch), remove)
	case inside != "":
		l.add(Worktree, fmt.Sprintf("%s: %s; its worktree %s%s", w.title(), done, w.tree, inside),
			"look there first; if nothing in it is wanted: git worktree remove --force "+run.Quote(w.tree)+" && "+
				remove)
	case edits == 0:
		l.add(Worktree, fmt.Sprintf("%s: %s, its worktree %s is still there", w.title(), done, w.tree),
			"git worktree remove --force "+run.Quote(w.tree)+" && "+remove)
	default:
		l.add(Worktree, fmt.Sprintf("%s: %s; in its worktree %s %s since", w.title(), done, w.tree, files(edits)),
			fmt.Sprintf("look at the folder, or at what differs: git --work-tree=%s diff %.12s", run.Quote(w.tree),
				w.head))
	}
	return nil
}

// submodule says that a submodule is checked out in a worktree, "" for none. No branch and no
// reference holds its commits.
func (l *search) submodule(ctx context.Context, w work) (string, error) {
	if w.tree == "" {
		return "", nil
	}
	path, err := l.p.Submodule(ctx, w.head, w.tree)
	if err != nil || path == "" {
		return "", err
	}
	return fmt.Sprintf(" has the submodule %q checked out, whose files and commits are nowhere else", path), nil
}

// openWork is told of with its size and with how to look at it first.
func (l *search) openWork(ctx context.Context, w work, where string, edits int) error {
	show, commits := "git log -p "+w.branch, 0
	if where != "" {
		own, err := l.p.Repo.OwnCommits(ctx, "refs/heads/"+where, w.head)
		if err != nil {
			own = nil // the head is gone; the branch is what there is
		}
		if commits = len(own); err == nil {
			show = fmt.Sprintf("git diff %s...%.12s", where, w.head)
		}
	}
	text := fmt.Sprintf("%s: did not land; branch %s", w.title(), w.branch)
	if commits > 0 {
		text += fmt.Sprintf(" has %s that %s has not", ui.Plural(commits, "commit"), where)
	}
	if w.tree == "" {
		l.add(Branch, text, show+"; if nothing of it is wanted: git branch -D "+w.branch)
		return nil
	}
	text += ", worktree " + w.tree
	kept, err := l.kept(ctx, w)
	if err != nil {
		return err
	}
	inside, err := l.submodule(ctx, w)
	if err != nil {
		return err
	}
	remove := "if the folder is not wanted: git worktree remove "
	switch {
	case inside != "":
		text += ", which" + inside
		remove = "look into that too; " + remove + "--force "
	case edits != 0:
		text += ", in which " + files(edits) + " since"
		remove = "look at the folder too; " + remove
	case kept != "":
		remove += "--force "
	}
	remove += run.Quote(w.tree)
	if kept != "" {
		remove += " (its work stays as " + kept + ")"
	}
	l.add(Worktree, text, show+"; "+remove)
	return nil
}

// kept is a reference that holds the work when its folder is gone, "" if there is none.
func (l *search) kept(ctx context.Context, w work) (string, error) {
	refs, err := l.p.Repo.RefsUnder(ctx, "refs/delegate/"+w.session+"/"+w.agent+"/")
	if err != nil {
		return "", err
	}
	for _, ref := range slices.Sorted(maps.Keys(refs)) { // one that a decision made comes before those of turns
		if refs[ref] == w.head {
			return ref, nil
		}
	}
	if tip, found, err := l.p.Repo.Ref(ctx, "refs/heads/"+w.branch); err == nil && found && tip == w.head {
		return w.branch, nil
	}
	return "", nil
}

func files(n int) string {
	switch n {
	case unknown:
		return "files may have changed"
	case 1:
		return "1 file changed"
	}
	return fmt.Sprintf("%d files changed", n)
}

// landed says whether the work is in its target, or in the branch of the person's checkout, and names that branch:
// as itself, or by what a squash or rebase made of it.
func (l *search) landed(ctx context.Context, w work) (bool, string, error) {
	head, _, err := l.p.Repo.Head(ctx)
	if err != nil {
		head = "" // detached, or without a commit
	}
	where := ""
	for _, branch := range []string{w.target, head} {
		tip, found, err := l.p.Repo.Ref(ctx, "refs/heads/"+branch)
		if err != nil {
			return false, "", err
		}
		if branch == "" || !found || strings.HasPrefix(branch, "delegate/") {
			continue
		}
		if where == "" {
			where = branch
		}
		inside, err := l.p.Repo.IsAncestor(ctx, w.head, tip)
		if err != nil || inside {
			return inside, branch, err
		}
		if w.record.Status == registry.Merged && w.record.MergeCommit != "" && w.head == w.record.Head {
			if inside, err := l.p.Repo.IsAncestor(ctx, w.record.MergeCommit, tip); err == nil && inside {
				return true, branch, nil
			}
		}
	}
	return false, where, nil
}

// unknown stands for a number of files where they could not be compared, as on a full disk.
const unknown = -1

// edits counts the files of a worktree that are not as a commit has them. It needs an index for
// that, which it makes elsewhere and takes away. The error is that ctx ended.
func (l *search) edits(ctx context.Context, path, commit string) (int, error) {
	tree, err := l.repo.OpenWorktree(path)
	if err != nil {
		return unknown, context.Cause(ctx)
	}
	folder, err := os.MkdirTemp("", "delegate-look-")
	if err != nil {
		return unknown, context.Cause(ctx)
	}
	defer os.RemoveAll(folder)
	all, err := tree.Differing(ctx, filepath.Join(folder, "index"), commit)
	if err != nil {
		return unknown, context.Cause(ctx)
	}
	return len(all), nil
}
