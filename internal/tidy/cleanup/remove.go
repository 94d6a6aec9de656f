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

	"delegate/internal/git"
	"delegate/internal/intake/takeover"
	"delegate/internal/land"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/turn/agentdir"
	"delegate/registry"
)

// Outcome is what became of something that was to be removed.
type Outcome string

// The outcomes.
const (
	Removed Outcome = "removed"
	Gone    Outcome = "gone" // it was not there any more
	Refused Outcome = "refused"
	Failed  Outcome = "failed"
)

// Result is what became of an item that was to be removed.
type Result struct {
	Item
	Outcome Outcome `json:"outcome"`
	Error   string  `json:"error"` // why it is Failed, else ""
}

// Remove removes items that a search found, one after the other. What is not as it was shown stays. It may be called
// again after it was interrupted anywhere. The error says that nothing can be removed now, or that ctx ended: the
// results are those up to then.
func Remove(ctx context.Context, p *project.Project, items []Item) (results []Result, err error) {
	lock, err := land.Lock(ctx, p) // against a landing, and a completion, which removes as well
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if journal.Unfinished(p) {
		return nil, journal.ErrUnfinished
	}
	l, err := newSearch(ctx, p)
	if err == nil {
		err = l.find(ctx)
	}
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		if ctx.Err() != nil {
			return results, context.Cause(ctx)
		}
		results = append(results, l.removeShown(ctx, it))
		p.Step("clean:" + string(it.Kind))
	}
	return results, l.removeEmpty(ctx, items)
}

// removeShown removes an item if it is as it was shown.
func (l *search) removeShown(ctx context.Context, shown Item) Result {
	i := slices.IndexFunc(l.found, func(now Item) bool { return now.key() == shown.key() })
	if i < 0 {
		_, branch, err := l.p.Repo.Ref(ctx, "refs/heads/"+shown.Branch)
		if _, statErr := os.Lstat(shown.Path); err != nil || branch || shown.Path != "" &&
			!errors.Is(statErr, fs.ErrNotExist) {
			shown.Refusal = changed()
			return Result{Item: shown, Outcome: Refused}
		}
		return Result{Item: shown, Outcome: Gone}
	}
	now := l.found[i]
	if now.Refusal == nil && !now.isAs(shown) {
		now.Refusal = changed()
	}
	if path.Dir(now.KeptAs) == path.Dir(shown.KeptAs) {
		now.KeptAs = shown.KeptAs // the name that a person was shown, whatever the time is now
	}
	return l.attempt(ctx, now)
}

// isAs reports whether an item holds what another one held.
func (it Item) isAs(other Item) bool {
	return it.Head == other.Head && it.of.tip == other.of.tip && slices.Equal(it.Edits, other.Edits) &&
		maps.Equal(it.refs, other.refs)
}

// attempt removes an item, unless something keeps it.
func (l *search) attempt(ctx context.Context, it Item) Result {
	for _, tree := range it.needs {
		if _, err := os.Lstat(tree); err == nil {
			it.Refusal = &Refusal{Reason: "its worktree " + tree + " is still there", Next: "delegate clean --all"}
		}
	}
	if it.Refusal != nil {
		return Result{Item: it, Outcome: Refused}
	}
	outcome, err := l.remove(ctx, &it)
	if err != nil {
		return Result{it, Failed, project.OneLine(err.Error())}
	}
	return Result{Item: it, Outcome: outcome}
}

func (l *search) remove(ctx context.Context, it *Item) (Outcome, error) {
	switch {
	case it.of.branch != "":
		return l.removeWork(ctx, it)
	case it.Kind == Worktree: // one whose folder is gone
		if err := l.keep(ctx, it); err != nil {
			return Failed, err
		}
		return Removed, l.p.Repo.RemoveWorktree(ctx, it.Path)
	case it.Kind == Folder && it.Session != "":
		return Removed, removeFolders(ctx, l.p, it.Session, registry.Agent{ID: it.Agent})
	case it.Kind == Checkout:
		if err := l.p.DropScratch(ctx); err != nil {
			return Failed, err
		}
		if _, err := os.Lstat(it.Path); !errors.Is(err, fs.ErrNotExist) {
			it.Refusal = &Refusal{Reason: "a command verifies in it", Next: "delegate clean, when that has ended"}
			return Refused, nil
		}
		return Removed, nil
	case it.Kind == References:
		return Removed, l.removeRefs(ctx, it.refs)
	case it.Kind == Folder, it.Kind == Private:
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

// removeRefs removes references that are as they were found; some may have gone with a worktree meanwhile.
func (l *search) removeRefs(ctx context.Context, refs map[string]string) error {
	var updates []git.RefUpdate
	for ref, id := range refs {
		_, found, err := l.p.Repo.Ref(ctx, ref)
		if err != nil {
			return err
		}
		if found {
			updates = append(updates, git.RefUpdate{Ref: ref, Old: id})
		}
	}
	if len(updates) == 0 {
		return nil
	}
	return l.p.Repo.UpdateRefs(ctx, "delegate: clean", updates...)
}

// removeWork removes a branch with its worktree, where nothing uses them and a reference holds all that is in them.
func (l *search) removeWork(ctx context.Context, it *Item) (_ Outcome, err error) {
	if l.trees, err = l.p.Repo.Worktrees(ctx); err != nil {
		return Failed, err
	}
	w := l.at(ctx, it.of, it.of.tip)
	now, err := l.examine(ctx, w)
	if it.Refusal = now.Refusal; it.Refusal == nil && now.in != it.in {
		it.Refusal = changed()
	}
	if err == nil && it.Refusal == nil && w.tree != "" {
		it.Refusal, err = l.takeHead(ctx, w, it)
	}
	if err != nil || it.Refusal != nil {
		return Refused, err
	}
	if err := l.keep(ctx, it); err != nil {
		return Failed, err
	}
	if w.tree != "" {
		if err := l.p.Repo.RemoveWorktree(ctx, w.tree); err != nil {
			return Failed, err
		}
	}
	l.p.Step("clean:worktree")
	goes, err := l.landedRefs(ctx, w, *it)
	if err != nil {
		return Failed, err
	}
	goes["refs/heads/"+w.branch] = w.tip
	if err := l.removeRefs(ctx, goes); err != nil {
		return Failed, err
	}
	l.p.Step("clean:references")
	l.trees, err = l.p.Repo.Worktrees(ctx)
	if err == nil && (w.isLast() || len(l.treesOf(ctx, w.session, w.agent)) == 0) {
		err = removeFolders(ctx, l.p, w.session, w.registered())
	}
	return Removed, err
}

// takeHead takes the head of a worktree once more, with what the agent's git wrote, and refuses where that is not what
// was shown. Files that were shown as changed are in the new head, which is what is kept then.
func (l *search) takeHead(ctx context.Context, w work, it *Item) (*Refusal, error) {
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

// keep has a reference hold the commits of what is removed, which one may do already since an interrupted removal.
func (l *search) keep(ctx context.Context, it *Item) error {
	if it.KeptAs == "" {
		return nil
	}
	old := l.refs[it.KeptAs]
	if folder := path.Dir(it.KeptAs) + "/"; strings.HasPrefix(folder, removedRef) {
		for _, ref := range slices.Sorted(maps.Keys(l.refs)) {
			if strings.HasPrefix(ref, folder) && l.refs[ref] == it.Head {
				it.KeptAs = ref
				return nil
			}
		}
		for at := l.p.Now().UTC(); l.refs[it.KeptAs] != ""; at = at.Add(time.Second) { // with other files
			it.KeptAs = folder + at.Format(keptTime)
		}
		old = ""
	}
	if old != it.Head {
		err := l.p.Repo.UpdateRefs(ctx, "delegate: kept when it was removed", git.RefUpdate{Ref: it.KeptAs, Old: old,
			New: it.Head})
		if err != nil {
			return err
		}
		l.refs[it.KeptAs] = it.Head
	}
	err := l.p.Repo.Sync()
	l.p.Step("clean:kept")
	return err
}

// landedRefs are the references of an agent whose work landed that hold nothing else: a branch has their commits, they
// hold what was pushed for a pull request, or an earlier look at the worktree, whose head was taken once more.
func (l *search) landedRefs(ctx context.Context, w work, it Item) (map[string]string, error) {
	goes := map[string]string{}
	if it.Content != Landed || !w.isLast() || w.record.Status != registry.Merged {
		return goes, nil
	}
	in, err := l.places(ctx, w.session, w.target)
	if err != nil {
		return nil, err
	}
	refs, err := l.p.Repo.RefsUnder(ctx, fmt.Sprintf("refs/delegate/%s/%s/", w.session, w.agent))
	for ref, id := range refs {
		name, _, landErr := l.landing(ctx, w, id, in)
		past := ref == project.RequestRef(w.session, w.agent) ||
			w.tree != "" && ref == project.LookRef(w.session, w.agent)
		if err = errors.Join(err, landErr); name != "" && ref != it.KeptAs || past {
			goes[ref] = id
		}
	}
	return goes, err
}

// removeEmpty removes folders that held what was removed, and hold nothing else.
func (l *search) removeEmpty(ctx context.Context, items []Item) error {
	for _, it := range items {
		if it.Session == "" || l.active(it.Session) {
			continue
		}
		_ = os.Remove(l.p.SessionDir(it.Session))
		if it.Branch == "" || path.Dir(it.Branch) == "delegate" && l.state.Session != nil { // agents that work need it
			continue
		}
		if err := takeover.ReleaseRefFolder(l.p.Repo, it.Branch); err != nil {
			return err
		}
	}
	var err error
	// Without the folder a worktree that git lists in it would be away, not gone.
	if l.trees, err = l.p.Repo.Worktrees(ctx); err == nil &&
		!slices.ContainsFunc(l.trees, func(t git.Worktree) bool { return l.isOurs(t.Path) }) {
		_ = os.Remove(l.p.WorktreeRoot())
	}
	return err
}

// removeFolders removes an agent's home and temporary folder, and its desk once what it wrote there is kept in the
// session's logs.
func removeFolders(ctx context.Context, p *project.Project, session string, a registry.Agent) error {
	if err := keepInbox(ctx, p, session, a.ID); err != nil {
		return err
	}
	folder := p.AgentRoot(session, a.ID)
	all, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed before a crash
	}
	if err != nil {
		return fmt.Errorf("tidy %q: %w", folder, err)
	}
	for _, e := range all {
		if strings.HasPrefix(e.Name(), "work") {
			continue // an earlier attempt's worktree
		}
		if err := atomicfile.RemoveTree(filepath.Join(folder, e.Name())); err != nil {
			return fmt.Errorf("tidy %q: %w", folder, err)
		}
	}
	_ = os.Remove(folder) // only if it is empty
	if err := atomicfile.RemoveTree(p.Quarantine(session, a)); err != nil {
		return fmt.Errorf("tidy %q: %w", p.Quarantine(session, a), err)
	}
	return nil
}

// keepInbox copies what the agent wrote for others to the session's logs.
func keepInbox(ctx context.Context, p *project.Project, session, agent string) error {
	const mostKept, largestKept = 100_000, 1 << 30
	agentDir := agentdir.Dir(p.AgentDir(session, agent))
	all, err := agentDir.List("inbox", mostKept)
	if err != nil {
		return nil // no folder of the desk, so nothing that the agent left for others
	}
	for _, e := range all {
		if !e.Type().IsRegular() {
			continue
		}
		data, err := agentDir.Read("inbox/"+e.Name(), largestKept)
		if err != nil {
			return fmt.Errorf("keep inbox of %s: %w", agent, err)
		}
		if err := p.PlaceRecordFile(ctx, session, agent, "inbox", e.Name()); err != nil {
			return err
		}
		file := p.RecordFile(session, agent, "inbox", e.Name())
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("keep inbox of %s: %w", agent, err)
		}
		if err := atomicfile.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
