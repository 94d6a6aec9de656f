package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/transcript"
	"delegate/registry"
)

// Settle ends what still runs of an agent that was given up, and has its head and its reference hold what it wrote
// until then: the head that was taken before its process ended lacks the rest. Its last head is taken also where a
// process does not end.
func Settle(ctx context.Context, p *project.Project, sessionID string, a registry.Agent) (registry.Agent, error) {
	stopped := StopTurns(p, sessionID, a)
	if stopped != nil {
		stopped = fmt.Errorf("end what runs of %s, whose work until now is kept: %w", a.ID, stopped)
	}
	a, err := keepLast(ctx, p, sessionID, a)
	return a, errors.Join(stopped, err)
}

// keepLast takes the head of an agent that was given up and writes it down, where it is another one than is known.
func keepLast(ctx context.Context, p *project.Project, sessionID string, a registry.Agent) (registry.Agent, error) {
	lock, err := LockQueue(ctx, p, sessionID, a.ID) // a command and the supervisor both do this
	if err != nil {
		return a, err
	}
	defer lock.Unlock()
	state, err := p.Store.View(ctx)
	if err != nil || state.Session == nil || state.Session.ID != sessionID {
		return a, err
	}
	if a, err = state.Agent(a.ID); err != nil || a.Status != registry.Aborted || a.Base == "" {
		return a, err
	}
	target, err := p.Target(ctx, *state.Session)
	if err != nil {
		target = a.Base // it is gone, and the work is not
	}
	work, err := p.Work(ctx, sessionID, a, target)
	if errors.Is(err, takeover.ErrGone) || err == nil && work.Head == a.Base && a.Turns == 0 {
		return a, nil // it never had anything
	}
	if err != nil {
		return a, fmt.Errorf("take the last work of %s, which is in %q: %w", a.ID, a.Worktree, err)
	}
	changed := a
	SetWork(&changed, work)
	if changed.Head == a.Head && changed.Insertions == a.Insertions && changed.Deletions == a.Deletions &&
		slices.Equal(changed.FilesModified, a.FilesModified) && slices.Equal(changed.Flags, a.Flags) {
		return a, nil
	}
	ref := GivenUpRef(sessionID, a, registry.EventRejected)
	if _, found, err := p.Repo.Ref(ctx, ref); err != nil {
		return a, err
	} else if !found {
		ref = GivenUpRef(sessionID, a, registry.EventAborted)
	}
	if err := Pin(ctx, p, ref, work.Head); err != nil {
		return a, fmt.Errorf("keep the work of %s: %w", a.ID, err)
	}
	state, err = p.Store.Update(ctx, func(tx *registry.Tx) error {
		return tx.Edit(a.ID, func(a *registry.Agent) { SetWork(a, work) })
	})
	if err != nil {
		return a, err
	}
	return state.Agent(a.ID)
}

// SetWork notes what an agent's work is, and whether all of it is saved.
func SetWork(a *registry.Agent, work project.Work) {
	a.Flags = a.Flags.Without(registry.FlagSnapshotIncomplete)
	if work.Incomplete != "" {
		a.Flags = a.Flags.With(registry.Flag{Kind: registry.FlagSnapshotIncomplete,
			Text: transcript.FirstLine(work.Incomplete)})
	}
	a.Head, a.FilesModified, a.RenamedFrom = work.Head, work.Paths(), change.Set{Files: work.Files}.RenamedFrom()
	a.Insertions, a.Deletions = work.Lines()
}

// GivenUpRef is the reference that holds the work of an agent that was given up.
func GivenUpRef(sessionID string, a registry.Agent, kind registry.Kind) string {
	return fmt.Sprintf("refs/delegate/%s/%s/%s", sessionID, a.ID, strings.ToLower(string(kind)))
}

// Pin has a reference of this program hold a commit. What it held before is held by the reference of a turn as well.
func Pin(ctx context.Context, p *project.Project, ref, commit string) error {
	old, _, err := p.Repo.Ref(ctx, ref)
	if err != nil || old == commit {
		return err
	}
	err = p.Repo.UpdateRefs(ctx, "delegate: keep", git.RefUpdate{Ref: ref, Old: old, New: commit})
	var moved *git.MovedError
	if errors.As(err, &moved) && moved.Found == commit {
		return nil // by somebody who asked for the same
	}
	return err
}

// StopTurns ends every process of an agent's turns, also of one that is being started, the last turn first: it is the
// one that can be at work.
func StopTurns(p *project.Project, sessionID string, a registry.Agent) (err error) {
	for n := a.Turns + 1; n > 0; n-- {
		turn := keeper.Turn{Dir: p.TurnDir(sessionID, a.ID, n)}
		current, unknown := turn.State()
		if err = errors.Join(err, unknown); unknown != nil || current == keeper.Ended ||
			current == keeper.Prepared && !turn.Whole() {
			continue
		}
		err = errors.Join(err, turn.Stop(p.Config.StopGrace.Value()))
	}
	return err
}
