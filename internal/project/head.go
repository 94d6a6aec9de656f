package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/intake/takeover"
	"delegate/internal/project/config"
	"delegate/internal/sys/atomicfile"
	"delegate/registry"
	"delegate/scope"
)

// TakeHead makes one commit of everything the agent did so far and keeps it under a reference of its own:
// that of its turn for good, or one that every later look takes over.
// A worktree that was removed is no fault while a head is known: that head is answered.
func (p *Project) TakeHead(ctx context.Context, session string, a registry.Agent,
	hold takeover.Hold) (takeover.Snapshot, error) {
	checkout, request, err := p.snapshotOf(ctx, session, a, hold)
	if errors.Is(err, takeover.ErrGone) && a.Head != "" {
		return takeover.Snapshot{Head: a.Head}, nil
	}
	if err != nil {
		return takeover.Snapshot{}, err
	}
	snap, err := checkout.Snapshot(ctx, request)
	if err != nil && a.Head != "" && p.Gone(a) { // removed meanwhile
		return takeover.Snapshot{Head: a.Head}, nil
	}
	return snap, err
}

// Gone reports whether the worktree of an agent is missing, or git's entry for it; delegate restore makes it again.
func (p *Project) Gone(a registry.Agent) bool {
	if a.Worktree == "" {
		return false
	}
	_, err := takeover.Open(p.Repo, a.Worktree, a.Branch)
	return errors.Is(err, takeover.ErrGone)
}

// Lost reports whether an agent that ran has no worktree any more, or one that is cut off from git.
func (p *Project) Lost(a registry.Agent) bool {
	_, err := os.Lstat(filepath.Join(a.Worktree, ".git"))
	return a.Turns > 0 && a.Worktree != "" && (errors.Is(err, fs.ErrNotExist) || p.Gone(a))
}

// snapshotOf is an agent's checkout and how its head is taken there; takeover.ErrGone (wrapped) if
// the worktree is not there any more.
func (p *Project) snapshotOf(ctx context.Context, session string, a registry.Agent,
	hold takeover.Hold) (*takeover.Checkout, takeover.SnapshotRequest, error) {
	repo, err := p.Unfiltered(ctx)
	if err != nil {
		return nil, takeover.SnapshotRequest{}, err
	}
	checkout, err := takeover.Open(repo.Bounded(p.Bounds()), a.Worktree, a.Branch)
	if err != nil {
		return nil, takeover.SnapshotRequest{}, err
	}
	copied, err := p.Copied(session, a)
	if err != nil {
		return nil, takeover.SnapshotRequest{}, err
	}
	ref := HeadRef(session, a.ID, a.Turns)
	if hold == takeover.ForALook {
		ref = LookRef(session, a.ID)
	}
	checkout.Repo = p.fenceLook(ctx, session, a, checkout.Repo)
	return checkout, takeover.SnapshotRequest{
		Index:      p.LookIndex(session, a),
		Ref:        ref,
		Hold:       hold,
		Base:       a.Base,
		Previous:   a.Head,
		Message:    Subject(a) + "\n",
		Copied:     copied,
		Quarantine: p.Quarantine(session, a),
	}, nil
}

// lookFolder is the private folder that a look at an agent's worktree writes in.
func (p *Project) lookFolder(session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), "look")
}

// LookIndex is the index of the looks at one attempt's worktree.
func (p *Project) LookIndex(session string, a registry.Agent) string {
	return filepath.Join(p.lookFolder(session, a), fmt.Sprintf("index-%d", a.Attempt))
}

// FilesSeen is how many files the last look at an agent's worktree found, 0 where nobody has looked.
func (p *Project) FilesSeen(session string, a registry.Agent) int {
	n, err := git.IndexEntries(p.LookIndex(session, a))
	if err != nil {
		return 0
	}
	return n
}

func (p *Project) copiedFile(session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), fmt.Sprintf("copied-%d.json", a.Attempt))
}

// Copied are the files that were put into the agent's worktree for it.
func (p *Project) Copied(session string, a registry.Agent) ([]takeover.Copied, error) {
	var copied []takeover.Copied
	if err := atomicfile.ReadJSON(p.copiedFile(session, a), &copied); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read copied files of %s: %w", a.ID, err)
	}
	return copied, nil
}

// RememberCopied notes what was put into the agent's worktree, by no file where that is nothing.
func (p *Project) RememberCopied(session string, a registry.Agent, copied []takeover.Copied) error {
	if len(copied) == 0 {
		return atomicfile.RemoveFile(p.copiedFile(session, a))
	}
	return atomicfile.WriteJSON(p.copiedFile(session, a), copied)
}

// Scope is what the agent may write by the registry and the configuration.
func (p *Project) Scope(a registry.Agent) (*scope.Scope, error) {
	return scope.New(scope.Config{Allowed: a.Allowed, Forbidden: slices.Concat(a.Forbidden, p.Config.Forbidden),
		Roots: p.Config.AllowedRoots})
}

// Work is an agent's own changes: from its fork point to its head.
type Work struct {
	Head       string
	Fork       string
	Files      []change.File // renames detected, for people
	Breaches   []Breach
	LeftOut    []Breach // those of Breaches that the head lacks: files that are too large, too many or held
	Incomplete string   // what could not be read into the head, without what is a breach
	Faults     []string // what its git has that was not taken over, and why
	Rewritten  bool     // the branch no longer holds its base: the agent rewrote history
	// the branch holds its base, and shares nothing with the target: that one's history was rewritten
	Unrelated bool
}

// ChangedNothing reports whether the agent changed no file, also none that its head lacks.
func (w Work) ChangedNothing() bool { return len(w.Files)+len(w.LeftOut) == 0 && w.Incomplete == "" }

// Paths are the changed files, both paths of a rename.
func (w Work) Paths() []string { return change.Set{Files: w.Files}.Paths() }

// Lines are insertions and deletions over all files.
func (w Work) Lines() (insertions, deletions int) {
	for _, f := range w.Files {
		insertions += f.Insertions
		deletions += f.Deletions
	}
	return insertions, deletions
}

// Work takes the agent's head and holds what it did against its scope. target is the commit that the work will land on.
func (p *Project) Work(ctx context.Context, session string, a registry.Agent, target string) (Work, error) {
	snap, err := p.TakeHead(ctx, session, a, takeover.ForGood)
	return p.WorkAt(ctx, a, target, Taken{snap: snap, err: err})
}

// Preview is Work for who only looks: the head it takes is kept until the next look.
func (p *Project) Preview(ctx context.Context, session string, a registry.Agent, target string) (Work, error) {
	snap, err := p.TakeHead(ctx, session, a, takeover.ForALook)
	w, err := p.WorkAt(ctx, a, target, Taken{snap: snap, err: err})
	if err != nil && snap.Head != "" { // a `git prune` may have taken objects that are remembered
		err = errors.Join(err, takeover.SnapshotRequest{Index: p.LookIndex(session, a)}.Forget(ctx))
	}
	return w, err
}

// Seen is Preview for who reads: where nothing can be written, as in a turn and on a read-only file system,
// it is the work up to the recorded head, and Incomplete says so.
func (p *Project) Seen(ctx context.Context, session string, a registry.Agent, target string) (Work, error) {
	head := cmp.Or(a.Head, a.Base)
	if !p.Inside {
		w, err := p.Preview(ctx, session, a, target)
		if err == nil || head == "" || ctx.Err() != nil || errors.Is(err, takeover.ErrGone) || p.canNote(session, a) {
			return w, err
		}
	}
	why := fmt.Sprintf("nothing can be written here, so the worktree of %s was not read; "+
		"this is its work up to %.12s", a.ID, head)
	return p.WorkAt(ctx, a, target, Taken{snap: takeover.Snapshot{Head: head, Incomplete: why}})
}

// canNote tries whether a look at the agent can leave something in the private folder.
func (p *Project) canNote(session string, a registry.Agent) bool {
	file, err := os.CreateTemp(p.AgentState(session, a.ID), ".probe-")
	if err != nil {
		return false
	}
	return errors.Join(file.Close(), os.Remove(file.Name())) == nil
}

// Landed is what an agent's landing changed on the target. It is for MERGED agents.
func (p *Project) Landed(ctx context.Context, a registry.Agent) ([]change.File, error) {
	before := cmp.Or(a.MergedOnto, a.MergeCommit+"^1")
	return p.Repo.Changes(ctx, before, a.MergeCommit, git.DetectRenames)
}

// WorkAt is Work with a head that was taken before.
func (p *Project) WorkAt(ctx context.Context, a registry.Agent, target string, head Taken) (w Work, err error) {
	snap := head.snap
	if head.err != nil {
		return Work{}, head.err
	}
	w = Work{Head: snap.Head, Incomplete: snap.Incomplete, Faults: snap.Faults}
	fork, holds, err := takeover.ForkPoint(ctx, p.Repo, a.Base, target, w.Head)
	if w.Fork, w.Rewritten = fork, !holds; errors.Is(err, git.ErrNoMergeBase) {
		w.Fork, w.Unrelated = a.Base, holds
	} else if err != nil {
		return Work{}, err
	}
	if w.Files = head.changes; head.since != w.Fork {
		if w.Files, err = p.Repo.Changes(ctx, w.Fork, w.Head, git.DetectRenames); err != nil {
			return Work{}, err
		}
	}
	limits, err := p.Scope(a)
	if err != nil {
		return Work{}, err
	}
	w.Breaches, err = p.Breaches(ctx, limits, w.Fork, w.Head, w.Files)
	for _, l := range snap.Left {
		w.LeftOut = append(w.LeftOut, p.leftOut(l))
	}
	w.Breaches = append(w.Breaches, w.LeftOut...)
	return w, err
}

// leftOut is the breach of a file that is there and not in the head.
func (p *Project) leftOut(l git.Skipped) Breach {
	limits, size := p.Config.Limits, config.Size(l.Size)
	reason := map[git.SkipReason]string{
		git.BeyondFile: fmt.Sprintf("too large to be kept: %s; limits.file_size is %s", size, limits.FileSize),
		git.BeyondWork: fmt.Sprintf("too large to be kept: %s; limits.work_size, for all new and changed files "+
			"together, is %s", size, limits.WorkSize),
		git.BeyondEntries: fmt.Sprintf("too many new and changed files to be kept; limits.entries is %d",
			limits.Entries.Value()),
		git.Leased: "cannot be read: another process holds a lease on it",
	}[l.Why]
	return Breach{Path: l.Path, Reason: reason}
}

// Bounds are those of everything that is read of what agents made.
func (p *Project) Bounds() git.Bounds {
	c := p.Config.Limits
	return git.Bounds{File: int64(c.FileSize), Work: int64(c.WorkSize), Entries: c.Entries.Value()}
}

// Advance takes an agent that has no process from its head to a commit that has the head in its
// history, as takeover.Checkout.Advance does. Until EndMove, TakeHead says of the agent's work what
// the move owes.
func (p *Project) Advance(ctx context.Context, session string, a registry.Agent, m takeover.Move) error {
	checkout, request, err := p.snapshotOf(ctx, session, a, takeover.ForGood)
	if err != nil {
		return err
	}
	return checkout.Advance(ctx, request, m, p.Step)
}

// Moved is the move of the agent's checkout that was begun and not ended.
func (p *Project) Moved(session string, a registry.Agent) (takeover.Move, bool, error) {
	return takeover.SnapshotRequest{Index: p.LookIndex(session, a)}.Moved()
}

// EndMove ends a move.
func (p *Project) EndMove(session string, a registry.Agent) error {
	return takeover.SnapshotRequest{Index: p.LookIndex(session, a)}.EndMove()
}

func (p *Project) collectedFile(session, agent string) string {
	return filepath.Join(p.AgentState(session, agent), "collected")
}

// result names the end of a turn whose result can be fetched.
func result(a registry.Agent) string { return fmt.Sprintf("attempt %d, turn %d", a.Attempt, a.Turns) }

// Collect notes that somebody was given the agent's last result. It is comfort and never fails a reading command.
func (p *Project) Collect(session string, a registry.Agent) {
	if a.Turns > 0 && !p.Collected(session, a) {
		_ = atomicfile.WriteUnsynced(p.collectedFile(session, a.ID), []byte(result(a)), 0o600)
	}
}

// Collected reports whether somebody was given the agent's last result, or decided on it: an agent
// that is MERGED was reviewed. An agent that never ran has no result.
func (p *Project) Collected(session string, a registry.Agent) bool {
	if a.Turns == 0 || a.Status == registry.Merged {
		return true
	}
	data, err := os.ReadFile(p.collectedFile(session, a.ID))
	return err == nil && string(data) == result(a)
}

// Submodule is the first submodule of a commit whose folder in a worktree is not empty, "" if there
// is none. What is in it, files as well as commits and stashes, is in nothing that this program
// keeps, and goes with the worktree. Nothing in it is asked: its settings could name programs.
func (p *Project) Submodule(ctx context.Context, commit, worktree string) (string, error) {
	entries, err := p.Repo.Entries(ctx, commit)
	if err != nil {
		return "", err
	}
	const link = 0o160000
	for _, e := range entries {
		if e.Mode != link {
			continue
		}
		inside, err := os.ReadDir(filepath.Join(worktree, filepath.FromSlash(e.Path)))
		switch {
		case len(inside) > 0:
			return e.Path, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("look for submodules in %q: %w", worktree, err)
		}
	}
	return "", nil
}
