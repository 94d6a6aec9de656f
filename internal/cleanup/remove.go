package cleanup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/atomicfile"
	"delegate/internal/git"
	"delegate/internal/journal"
	"delegate/internal/land"
	"delegate/internal/project"
	"delegate/internal/takeover"
	"delegate/registry"
)

// Result is what became of an item that was to be removed.
type Result struct {
	Item
	Outcome Outcome `json:"outcome"`
	Error   string  `json:"error"` // why it is Failed, else ""
}

// Remove takes away items that a search found, one after the other. Each is looked for again first, and what is not as
// it was shown stays. It may be called again after it was cut off anywhere. The error says that nothing can be removed
// now, or that ctx ended: the results are those up to then.
func Remove(ctx context.Context, p *project.Project, items []Item) (results []Result, err error) {
	lock, err := land.Lock(ctx, p) // against a landing, and a completion, which removes as well
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if journal.Unfinished(p) {
		return nil, journal.ErrUnfinished
	}
	for _, it := range items {
		if ctx.Err() != nil {
			return results, context.Cause(ctx)
		}
		r, err := removeItem(ctx, p, it)
		if err != nil {
			r.Outcome, r.Error = Failed, project.OneLine(err.Error())
		}
		results = append(results, r)
		p.Step("clean:" + string(it.Kind))
	}
	return results, removeEmpty(ctx, p, items)
}

// removeEmpty takes folders away that held what was removed, and hold nothing else.
func removeEmpty(ctx context.Context, p *project.Project, items []Item) error {
	state, err := p.Store.View(ctx)
	if err != nil {
		return err
	}
	for _, it := range items {
		if it.Session == "" || state.Session != nil && it.Session == state.Session.ID {
			continue
		}
		_ = os.Remove(p.SessionDir(it.Session))
		shared := path.Dir(it.Branch) == "delegate" && state.Session != nil // agents that work need it
		if it.Branch == "" || shared {
			continue
		}
		if err := takeover.ReleaseRefFolder(p.Repo, it.Branch); err != nil {
			return err
		}
	}
	trees, err := p.Repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	// Without the folder a worktree that git lists in it would be away, not gone.
	if !slices.ContainsFunc(trees, func(t git.Worktree) bool { return isOurs(p, t.Path) }) {
		_ = os.Remove(p.WorktreeRoot())
	}
	return nil
}

// removeItem decides about one item again, and carries it out.
func removeItem(ctx context.Context, p *project.Project, it Item) (Result, error) {
	state, err := p.Store.View(ctx)
	if err != nil {
		return Result{Item: it}, err
	}
	l := &search{only: &it}
	if err := l.find(ctx, p, state); err != nil {
		return Result{Item: it}, err
	}
	if len(l.found) == 0 {
		return l.notFound(ctx, it)
	}
	now := l.found[0]
	if now.Refusal == nil && !now.isAs(it) {
		now.Refusal = changed()
	}
	if now.KeptAs != "" && path.Dir(now.KeptAs) == path.Dir(it.KeptAs) {
		now.KeptAs = it.KeptAs // the name that a person was told, whatever the time is now
	}
	if len(now.needs) > 0 {
		now.Refusal = &Refusal{Reason: "its worktree " + now.needs[0] + " is still there", Next: "delegate clean --all"}
	}
	if now.Refusal != nil {
		return Result{Item: now, Outcome: Refused}, nil
	}
	outcome, err := l.remove(ctx, &now)
	return Result{Item: now, Outcome: outcome}, err
}

// notFound is the result for an item that is not there as it was shown.
func (l *search) notFound(ctx context.Context, it Item) (Result, error) {
	branch := false
	if it.Branch != "" {
		var err error
		if _, branch, err = l.p.Repo.Ref(ctx, "refs/heads/"+it.Branch); err != nil {
			return Result{Item: it}, err
		}
	}
	if _, err := os.Lstat(it.Path); branch || it.Path != "" && !errors.Is(err, fs.ErrNotExist) {
		it.Refusal = changed()
		return Result{Item: it, Outcome: Refused}, nil
	}
	return Result{Item: it, Outcome: Gone}, nil
}

// changed is why an item stays that is not as a person was shown it.
func changed() *Refusal {
	return &Refusal{Reason: "it changed since it was shown", Next: "delegate clean"}
}

// isAs says that an item holds what another one held.
func (it Item) isAs(other Item) bool {
	return it.Head == other.Head && it.tip == other.tip && it.Content == other.Content && it.Path == other.Path &&
		slices.Equal(it.Edits, other.Edits) && maps.Equal(it.refs, other.refs)
}

func (l *search) remove(ctx context.Context, it *Item) (Outcome, error) {
	switch it.Kind {
	case Worktree, Branch:
		return l.removeWork(ctx, it)
	case Checkout:
		return l.removeScratch(ctx, it)
	case Folder:
		if it.Session == "" {
			return l.removeScratch(ctx, it)
		}
		return Removed, removeFolders(ctx, l.p, it.Session, registry.Agent{ID: it.Agent})
	case References:
		var updates []git.RefUpdate
		for ref, id := range it.refs {
			updates = append(updates, git.RefUpdate{Ref: ref, Old: id})
		}
		return Removed, l.p.Repo.UpdateRefs(ctx, "delegate: clean", updates...)
	case Private:
		return Removed, atomicfile.RemoveTree(it.Path)
	}
	for _, file := range outputsIn(it.Path) {
		if err := os.Remove(file); err != nil {
			return Failed, fmt.Errorf("remove last output: %w", err)
		}
		_ = os.Remove(filepath.Dir(file)) // only an empty folder goes
	}
	_ = os.Remove(it.Path)
	return Removed, nil
}

// removeScratch removes what commands verified in, unless one does.
func (l *search) removeScratch(ctx context.Context, it *Item) (Outcome, error) {
	if err := l.p.DropScratch(ctx); err != nil {
		return Failed, err
	}
	if _, err := os.Lstat(it.Path); !errors.Is(err, fs.ErrNotExist) {
		it.Refusal = &Refusal{Reason: "a command verifies in it", Next: "delegate clean, when that has ended"}
		return Refused, nil
	}
	return Removed, nil
}

// removeWork removes a worktree with its branch, or one of them.
func (l *search) removeWork(ctx context.Context, it *Item) (Outcome, error) {
	if it.Session == "" {
		return l.removeEntry(ctx, it)
	}
	w := l.looked
	if w.agent == "integration" {
		return Removed, DropIntegration(ctx, l.p, *l.session(ctx, w.session).Session)
	}
	a := w.registered()
	if it.Content == Landed && w.isLast() && a.Status == registry.Merged {
		in, err := l.places(ctx, w.session, w.target)
		if err != nil {
			return Failed, err
		}
		outcome, err := removeLanded(ctx, l.p, w.session, a, in)
		if outcome == Refused && err == nil {
			it.Refusal = &Refusal{Reason: "something was added to it that did not land", Next: "delegate clean"}
		}
		return outcome, err
	}
	if refusal, err := l.lookAgain(ctx, w, it); err != nil || refusal != nil {
		it.Refusal = refusal
		return Refused, err
	}
	if it.Content == Unlanded {
		if err := l.keep(ctx, it); err != nil {
			return Failed, err
		}
	}
	if w.tree != "" {
		if err := l.p.Repo.RemoveWorktree(ctx, w.tree); err != nil {
			return Failed, err
		}
	}
	l.p.Step("clean:worktree")
	if err := l.p.Repo.UpdateRefs(ctx, "delegate: clean", git.RefUpdate{Ref: "refs/heads/" + w.branch,
		Old: w.tip}); err != nil {
		return Failed, err
	}
	l.p.Step("clean:branch")
	return Removed, l.removeFolders(ctx, w)
}

// lookAgain takes the head of an agent's worktree once more, with what its git wrote, and refuses where that is another
// one. Files that a person was told of as changed are in the new head, which is what is kept then.
func (l *search) lookAgain(ctx context.Context, w work, it *Item) (*Refusal, error) {
	if w.tree == "" {
		return nil, nil
	}
	snap, err := l.p.TakeHead(ctx, w.session, w.registered(), takeover.ForALook)
	switch {
	case err != nil:
		return nil, err
	case snap.Incomplete != "":
		return &Refusal{Reason: "not all in it could be read: " + project.OneLine(snap.Incomplete),
			Next: byHand(w.tree)}, nil
	case snap.Head != it.Head && len(it.Edits) == 0:
		return changed(), nil
	}
	it.Head = snap.Head
	return nil, nil
}

// keep has a reference hold the commits of work that is removed, which one may do already since a removal that was cut
// off.
func (l *search) keep(ctx context.Context, it *Item) error {
	folder := it.KeptAs[:strings.LastIndex(it.KeptAs, "/")+1]
	for _, ref := range slices.Sorted(maps.Keys(l.refs)) {
		if strings.HasPrefix(ref, folder) && l.refs[ref] == it.Head {
			it.KeptAs = ref
			return nil
		}
	}
	for at := l.p.Now().UTC(); l.refs[it.KeptAs] != ""; at = at.Add(time.Second) { // with more files, before a cut
		it.KeptAs = folder + at.Format(keptTime)
	}
	err := l.p.Repo.UpdateRefs(ctx, "delegate: kept when it was removed", git.RefUpdate{Ref: it.KeptAs, New: it.Head})
	if err == nil {
		err = l.p.Repo.Sync()
	}
	l.p.Step("clean:kept")
	return err
}

// removeFolders removes what an agent had beside its worktrees, once it has none any more.
func (l *search) removeFolders(ctx context.Context, w work) error {
	var err error
	if l.trees, err = l.p.Repo.Worktrees(ctx); err != nil || len(l.treesOf(ctx, w.session, w.agent)) > 0 {
		return err
	}
	return removeFolders(ctx, l.p, w.session, w.registered())
}

// removeEntry has git forget a worktree whose folder is gone.
func (l *search) removeEntry(ctx context.Context, it *Item) (Outcome, error) {
	if it.Content == Unlanded {
		if err := l.keep(ctx, it); err != nil {
			return Failed, err
		}
	}
	return Removed, l.p.Repo.RemoveWorktree(ctx, it.Path)
}
