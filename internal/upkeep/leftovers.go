// Package upkeep says what delegation leaves on a machine: worktrees, branches and folders of sessions that ended,
// checkouts that nobody verifies in any more, and what all of it takes of the disk.
//
// It owns the decision what of that is in the target already, and which words a person is told before they take anything away.
// It changes nothing, and it never calls work worthless that did not land.
package upkeep

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/atomicfile"
	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/internal/run"
	"delegate/internal/setup"
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

// Leftovers lists what sessions that ended left, and what a command left that was cut short.
// Of the active session it lists nothing. The error says that git or a folder could not be read.
func Leftovers(ctx context.Context, p *project.Project, state registry.State) ([]Leftover, error) {
	l := &look{p: p, state: state, sessions: map[string]registry.State{}}
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
	for _, ref := range sorted(branches) {
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

// look is one search.
type look struct {
	p        *project.Project
	repo     *git.Repo // without the filters that an agent could have written
	state    registry.State
	trees    []git.Worktree
	sessions map[string]registry.State // what is recorded of those that ended; empty of those that nothing is recorded of
	found    []Leftover
}

func (l *look) add(kind, text, next string) {
	l.found = append(l.found, Leftover{Kind: kind, Text: text, Next: next})
}

func (l *look) active(session string) bool {
	return l.state.Session != nil && l.state.Session.ID == session
}

// session is what the registry and its archive know of a session; its Session is nil if they know nothing.
func (l *look) session(ctx context.Context, id string) registry.State {
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
	head                   string // its work: with what it did not commit, as far as that is recorded, else the branch's tip
	tree                   string // its worktree, "" if it has none
	record                 registry.Agent
	target                 string // the branch that it was meant for
}

// title names it for people.
func (w work) title() string {
	name := strings.TrimSpace(w.agent + " of " + w.session)
	if w.record.Subtask != "" {
		name += fmt.Sprintf(" (%s, %s)", w.record.Subtask, w.record.Status)
	}
	return name
}

// branch looks at one branch below delegate/, and at its worktree.
func (l *look) branch(ctx context.Context, name, tip string) error {
	parts := strings.Split(name, "/")
	if len(parts) < 3 || l.active(parts[1]) {
		return nil
	}
	w := work{session: parts[1], agent: parts[2], branch: name, head: tip}
	known := l.session(ctx, w.session)
	if record, err := known.Agent(w.agent); err == nil {
		w.record = record
		if inside, err := l.p.Repo.IsAncestor(ctx, tip, record.Head); record.Branch == name && record.Head != "" && err == nil && inside {
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
		l.landedWork(w, where, edits)
		return nil
	}
	return l.openWork(ctx, w, where, edits)
}

func (l *look) landedWork(w work, where string, edits int) {
	remove := "git branch -d " + w.branch
	switch {
	case w.tree == "":
		l.add(Branch, fmt.Sprintf("%s: its work is in %s, the branch %s is still there", w.title(), where, w.branch), remove)
	case edits == 0:
		l.add(Worktree, fmt.Sprintf("%s: its work is in %s, its worktree %s is still there", w.title(), where, w.tree), "git worktree remove --force "+run.Quote(w.tree)+" && "+remove)
	default:
		l.add(Worktree, fmt.Sprintf("%s: its work is in %s; in its worktree %s %s since", w.title(), where, w.tree, files(edits)), fmt.Sprintf("look at the folder, or at what differs: git --work-tree=%s diff %.12s", run.Quote(w.tree), w.head))
	}
}

// openWork is told of with its size and with how to look at it first.
func (l *look) openWork(ctx context.Context, w work, where string, edits int) error {
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
		text += fmt.Sprintf(" has %s that %s has not", count(commits, "commit"), where)
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
	remove := "if the folder is not wanted: git worktree remove "
	switch {
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
func (l *look) kept(ctx context.Context, w work) (string, error) {
	refs, err := l.p.Repo.RefsUnder(ctx, "refs/delegate/"+w.session+"/"+w.agent+"/")
	if err != nil {
		return "", err
	}
	for _, ref := range sorted(refs) { // one that a decision made comes before those of turns
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

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// landed says whether the work is in its target, or in the branch of the person's checkout, and names that branch:
// as itself, or by what a squash or rebase made of it.
func (l *look) landed(ctx context.Context, w work) (bool, string, error) {
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

// edits counts the files of a worktree that are not as a commit has them. It needs an index for that, which it makes elsewhere and takes away.
// The error is that ctx ended.
func (l *look) edits(ctx context.Context, path, commit string) (int, error) {
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

// otherTrees looks at worktrees that are on no branch of an agent: those for verification, and those whose folder is gone.
func (l *look) otherTrees(ctx context.Context) error {
	gone := 0
	for i, t := range l.trees {
		name, inside := strings.CutPrefix(t.Path, l.p.WorktreeRoot()+string(filepath.Separator))
		switch {
		case i == 0 || !inside:
		case t.Prunable:
			gone++
		case isScratch(name):
			if l.idle(name) {
				l.add(Checkout, "a checkout for verification, in which nobody verifies and no work is kept: "+t.Path, "git worktree remove --force "+run.Quote(t.Path))
			}
		case !strings.HasPrefix(t.Branch, "refs/heads/delegate/") && !l.active(strings.Split(filepath.ToSlash(name), "/")[0]):
			edits, err := l.edits(ctx, t.Path, t.Head)
			if err != nil {
				return err
			}
			on := strings.TrimPrefix(t.Branch, "refs/heads/")
			if on == "" {
				on = fmt.Sprintf("no branch, at %.12s", t.Head)
			}
			l.add(Worktree, fmt.Sprintf("a worktree that is on %s, in which %s since its last commit: %s", on, files(edits), t.Path), fmt.Sprintf("git log -p %.12s", t.Head))
		}
	}
	if gone > 0 {
		l.add(Worktree, fmt.Sprintf("%s registered with git and not there any more", folders(gone)), "git worktree prune")
	}
	return nil
}

func folders(n int) string {
	if n == 1 {
		return "1 folder is"
	}
	return fmt.Sprintf("%d folders are", n)
}

// isScratch tells the checkouts for verification by their names.
func isScratch(name string) bool {
	return name == "scratch" || strings.HasPrefix(name, "scratch-") && !strings.HasPrefix(name, "scratch-home")
}

// idle says whether a checkout for verification belongs to nobody: no session is active, and no command holds its lock.
func (l *look) idle(name string) bool {
	held, err := atomicfile.Held(filepath.Join(l.p.Private, name+".lock"))
	return l.state.Session == nil && err == nil && !held
}

// folders looks at what lies in the folder of the worktrees and is none of them.
func (l *look) folders(ctx context.Context) error {
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
				if err := l.folder(ctx, at, "what "+agent+" of "+name+" had beside its worktree, which is gone"); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// folder tells of one folder. One with a checkout in it that git does not know is only shown.
func (l *look) folder(ctx context.Context, path, what string) error {
	size, err := setup.Measure(ctx, path)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s (%s): %s", what, size, path)
	for _, name := range entries(path) {
		if strings.HasPrefix(name, "work") {
			l.add(Folder, text+"; it has a folder "+name+", which git does not know as a worktree", "look at it first: ls -A "+run.Quote(filepath.Join(path, name)))
			return nil
		}
	}
	l.add(Folder, text, "rm -r "+run.Quote(path))
	return nil
}

// registered says whether git knows a worktree at the path or below it.
func (l *look) registered(path string) bool {
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
func (l *look) references(ctx context.Context) error {
	refs, err := l.p.Repo.RefsUnder(ctx, "refs/delegate/")
	if err != nil {
		return err
	}
	sessions, kept := map[string]bool{}, 0
	for ref := range refs {
		parts := strings.Split(ref, "/")
		if len(parts) > 3 && !l.active(parts[2]) {
			sessions[parts[2]] = true
			kept++
		}
	}
	if kept > 0 {
		l.found = append(l.found, Leftover{
			Kind: Reference, Kept: true, Next: "git for-each-ref refs/delegate",
			Text: fmt.Sprintf("%s for heads of %s that ended: work that was rejected, given up or replaced can be brought back from there", count(kept, "reference"), count(len(sessions), "session")),
		})
	}
	return nil
}

func sorted(refs map[string]string) []string {
	names := make([]string, 0, len(refs))
	for name := range refs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
