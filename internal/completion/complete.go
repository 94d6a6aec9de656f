// Package completion ends a session: the last verification, the progress file, the registry's archive, and last the
// worktrees and branches whose work has landed.
package completion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/agentdir"
	"delegate/internal/atomicfile"
	"delegate/internal/audit"
	"delegate/internal/git"
	"delegate/internal/journal"
	"delegate/internal/land"
	"delegate/internal/project"
	"delegate/registry"
)

// Ending is what completing a session did, for the summary.
type Ending struct {
	Session string
	Agents  []registry.Agent // as they ended
	Merged  []string
	Files   int
	Tests   project.Outcome
	Removed []string // worktrees that went
	Kept    []string // worktrees that stay, each with the reason
	// what could not be removed for a technical reason, with it; Complete takes it up where it is called again
	Left        []string
	Uncollected []string // agents whose last result nobody ever fetched

	Took                time.Duration // since the session began
	Conflicts, Resolved int           // found while the agents worked, and decided on
}

// NotOverError lists what keeps a session from being complete.
type NotOverError struct{ Reasons []string }

func (e *NotOverError) Error() string {
	return "the session is not over:\n  - " + strings.Join(e.Reasons, "\n  - ")
}

// CheckOver says whether every agent has ended and every result was decided on; *NotOverError if not.
func CheckOver(state registry.State) error {
	var open []string
	for _, a := range state.Agents {
		switch a.Status {
		case registry.Pending, registry.Spawning, registry.Running:
			open = append(open, fmt.Sprintf("%s is %s: wait for it, or delegate abort %s", a.Name, a.Status.Word(),
				a.Name))
		case registry.Checkpoint:
			open = append(open, fmt.Sprintf("%s is waiting for your answer: delegate continue %s, or delegate abort %s",
				a.Name, a.Name, a.Name))
		case registry.Complete:
			open = append(open, fmt.Sprintf("%s is ready and not merged: delegate sync merge %s, or delegate abort %s",
				a.Name, a.Name, a.Name))
		}
	}
	if len(open) > 0 {
		return &NotOverError{Reasons: open}
	}
	return nil
}

// VerifyFinal runs the verify commands on the target as it stands at the end; the closing has no Who yet.
func VerifyFinal(ctx context.Context, p *project.Project, state registry.State) (Closing, error) {
	tip, err := p.Target(ctx, *state.Session)
	if err != nil {
		return Closing{}, err
	}
	if err := allThere(ctx, p, state, tip); err != nil {
		return Closing{}, err
	}
	tests, err := p.Verify(ctx, tip)
	return Closing{State: state, Tip: tip, Tests: tests}, err
}

// allThere is a *LostError if the landing of an agent is not in the target.
func allThere(ctx context.Context, p *project.Project, state registry.State, tip string) error {
	lost, err := audit.LostWork(ctx, p, state, tip)
	if err == nil && len(lost) > 0 {
		err = &LostError{Landings: lost}
	}
	return err
}

// LostError says that agents are MERGED in the registry, and what they landed is not in the target:
// the session must not end as if it were.
type LostError struct{ Landings []audit.Disagreement }

func (e *LostError) Error() string {
	text := "the session cannot be completed as it is:"
	for _, l := range e.Landings {
		text += "\n  - " + l.Text + "\n    → " + strings.Join(l.Next, "\n    or ")
	}
	return text
}

// Closing is what a person was shown when they closed the session.
type Closing struct {
	State registry.State
	Tip   string // the target's commit that was verified
	Tests project.Outcome
	Who   string
}

// Complete ends the session: the progress file first, then the registry, the context file, last the
// worktrees and branches whose work has landed. It may be called again after a crash. What changed
// since it was shown is refused: *NotOverError, *LostError, or ErrRefused where the target moved.
func Complete(ctx context.Context, p *project.Project, closing Closing) (Ending, error) {
	lock, err := land.Lock(ctx, p) // against a landing, and another terminal that completes the session as well
	if err != nil {
		return Ending{}, err
	}
	defer lock.Unlock()
	return complete(ctx, p, closing)
}

func complete(ctx context.Context, p *project.Project, closing Closing) (Ending, error) {
	state, tests := closing.State, closing.Tests
	now, err := p.Store.View(ctx)
	if err != nil {
		return Ending{}, err
	}
	if !journal.Ended(now, state.Session.ID) {
		if err := stillOver(ctx, p, now, closing); err != nil {
			return Ending{}, err
		}
		state = now
	}
	if journal.Unfinished(p) {
		return Ending{}, journal.ErrUnfinished
	}
	e, err := summary(ctx, p, state, tests)
	if err != nil {
		return e, err
	}
	if err := updateProgress(p, state, e.Merged); err != nil {
		return e, err
	}
	if err := (journal.Completion{State: state, Tests: tests}).Write(p); err != nil {
		return e, err
	}
	_, err = p.Store.Update(ctx, func(tx *registry.Tx) error {
		if journal.Ended(tx.State(), e.Session) {
			return nil // before a crash
		}
		if err := CheckOver(tx.State()); err != nil {
			return err
		}
		return tx.EndSession(registry.SessionComplete,
			registry.Event{Kind: registry.EventSessionComplete,
				Details: fmt.Sprintf("%d merged, tests %s", len(e.Merged), tests.Result), By: closing.Who})
	})
	if err != nil {
		return e, err
	}
	if err := logContext(p, e); err != nil {
		return e, err
	}
	cleanUp(ctx, p, state, &e)
	if len(e.Left) > 0 {
		return e, nil
	}
	return e, journal.RemoveCompletion(p)
}

// summary is what an ending reports, before anything is done.
func summary(ctx context.Context, p *project.Project, state registry.State, tests project.Outcome) (Ending, error) {
	e := Ending{Session: state.Session.ID, Agents: state.Agents, Tests: tests}
	tip, err := p.Target(ctx, *state.Session)
	if err != nil {
		return e, err
	}
	lost, err := audit.LostWork(ctx, p, state, tip)
	if err != nil {
		return e, err
	}
	files := map[string]bool{}
	for _, a := range state.Agents {
		switch {
		// set back behind the registry's end: its worktree and branch stay
		case slices.ContainsFunc(lost, func(d audit.Disagreement) bool { return d.Agent == a.ID }):
		case a.Status == registry.Merged:
			e.Merged = append(e.Merged, a.ID)
			for _, f := range a.FilesModified {
				files[f] = true
			}
		default:
			if !p.Collected(e.Session, a) {
				e.Uncollected = append(e.Uncollected, a.ID)
			}
		}
	}
	e.Files = len(files)
	e.Took = p.Now().Sub(state.Session.Created).Truncate(time.Second)
	history, err := p.Store.History(ctx, e.Session) // with the rows that moved to the archive
	if err != nil {
		history = state
	}
	e.Conflicts, e.Resolved = registry.ConflictCounts(history.Events)
	return e, nil
}

// stillOver refuses a session that is not as it was shown.
func stillOver(ctx context.Context, p *project.Project, now registry.State, shown Closing) error {
	if now.Session == nil || now.Session.ID != shown.State.Session.ID {
		return project.ErrNoSession
	}
	if err := CheckOver(now); err != nil {
		return err
	}
	tip, err := p.Target(ctx, *now.Session)
	if err != nil {
		return err
	}
	if tip != shown.Tip {
		return fmt.Errorf("%w: %s moved from %.12s, which was verified, to %.12s; type it again", land.ErrRefused,
			now.Session.Target, shown.Tip, tip)
	}
	return allThere(ctx, p, now, tip)
}

// cleanUp removes what has landed and nothing else. What is not certain to be needed by nobody is
// kept, what could not be removed is left, each with its reason.
func cleanUp(ctx context.Context, p *project.Project, state registry.State, e *Ending) {
	for _, a := range state.Agents {
		if a.Worktree == "" {
			continue
		}
		e.Kept = append(e.Kept, earlier(p, e.Session, a)...)
		removed, why, err := tidy(ctx, p, *state.Session, a)
		var submodule *SubmoduleError
		switch {
		case err == nil && removed:
			e.Removed = append(e.Removed, a.Worktree)
		case errors.As(err, &submodule):
			e.Kept = append(e.Kept, a.Worktree+" ("+err.Error()+")")
		case err != nil:
			e.Left = append(e.Left, a.Worktree+" ("+project.OneLine(err.Error())+")")
		case why != "":
			e.Kept = append(e.Kept, a.Worktree+" ("+why+")")
		}
	}
	switch err := dropIntegration(ctx, p, *state.Session); {
	case errors.Is(err, land.ErrRefused):
		e.Kept = append(e.Kept, "branch "+state.Session.Integration+" ("+err.Error()+")")
	case err != nil:
		e.Left = append(e.Left, "branch "+state.Session.Integration+" ("+project.OneLine(err.Error())+")")
	}
	_ = os.Remove(p.SessionDir(e.Session)) // only an empty folder goes
	if err := p.DropScratch(ctx); err != nil {
		e.Left = append(e.Left, p.Scratch()+" ("+project.OneLine(err.Error())+")")
	}
	_ = os.Remove(p.WorktreeRoot())
}

// tidy removes what an agent has where all of it has landed. Otherwise it says why that is kept, ""
// where nothing is there any more.
func tidy(ctx context.Context, p *project.Project, session registry.Session, a registry.Agent) (removed bool,
	why string, err error) {
	gone, err := isGone(ctx, p, a)
	if err != nil {
		return false, "", err
	}
	// before a crash, which may have left what lies next to the worktree, or from another terminal
	if gone && a.Status == registry.Merged {
		return false, "", removeFolders(p, session.ID, a)
	}
	if gone {
		return false, "", nil
	}
	safe, err := Removable(ctx, p, session, a)
	if err != nil || !safe {
		return false, keptReason(a), err
	}
	return true, "", remove(ctx, p, session, a)
}

// isGone says whether neither the worktree of an agent nor its branch is there any more.
func isGone(ctx context.Context, p *project.Project, a registry.Agent) (bool, error) {
	if _, err := os.Stat(a.Worktree); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	_, found, err := p.Repo.Ref(ctx, "refs/heads/"+a.Branch)
	return !found, err
}

// dropIntegration takes the integration branch away: every head that was gathered on it is in the
// target or kept by its agent's references. One with a person's own commits, or that is checked
// out, stays.
func dropIntegration(ctx context.Context, p *project.Project, s registry.Session) error {
	if s.Integration == "" {
		return nil
	}
	at, ours, err := land.Gathered(ctx, p, s)
	if err != nil || ours == "" {
		return err
	}
	updates := []git.RefUpdate{{Ref: project.IntegrationRef(s.ID), Old: ours}}
	if at != "" {
		updates = append(updates, git.RefUpdate{Ref: "refs/heads/" + s.Integration, Old: at})
	}
	return p.Repo.UpdateRefs(ctx, "delegate: session complete", updates...)
}

// earlier lists the worktrees of an agent's earlier attempts, whose work did not land.
func earlier(p *project.Project, session string, a registry.Agent) []string {
	var kept []string
	for attempt := 1; attempt < a.Attempt; attempt++ {
		path := p.WorkPath(session, a.ID, attempt)
		if _, err := os.Stat(path); err == nil {
			kept = append(kept, fmt.Sprintf("%s (attempt %d of %s is not merged)", path, attempt, a.Name))
		}
	}
	return kept
}

func keptReason(a registry.Agent) string {
	if a.Status == registry.Merged {
		return "it has work that is not merged"
	}
	return fmt.Sprintf("%s is %s, and its work is not merged", a.Name, a.Status.Word())
}

// remove takes away a landed agent's worktrees, branches and head references. An earlier attempt's
// branch stays: its work did not land.
func remove(ctx context.Context, p *project.Project, session registry.Session, a registry.Agent) error {
	target, err := p.Target(ctx, session)
	if err != nil {
		return err
	}
	if _, err := os.Stat(a.Worktree); err == nil {
		if err := p.Repo.RemoveWorktree(ctx, a.Worktree); err != nil {
			return err
		}
	}
	var updates []git.RefUpdate
	refs, err := p.Repo.RefsUnder(ctx, fmt.Sprintf("refs/delegate/%s/%s/", session.ID, a.ID))
	if err != nil {
		return err
	}
	refs["refs/heads/"+a.Branch] = ""
	kept, err := keepOriginal(ctx, p, session.ID, a, target)
	if err != nil {
		return err
	}
	for ref := range refs {
		id, found, err := p.Repo.Ref(ctx, ref)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		landed, err := landedIn(ctx, p, a, id, target)
		if err != nil {
			return err
		}
		past := ref == project.LookRef(session.ID, a.ID) // a moment before the head that landed
		if (landed || past) && ref != kept {
			updates = append(updates, git.RefUpdate{Ref: ref, Old: id})
		}
	}
	if len(updates) > 0 {
		if err := p.Repo.UpdateRefs(ctx, "delegate: landed", updates...); err != nil {
			return err
		}
	}
	return removeFolders(p, session.ID, a)
}

// keepOriginal keeps the agent's own commits under a reference where the target has others in their
// place, after a squash or rebase. It answers that reference, "" if none is needed.
func keepOriginal(ctx context.Context, p *project.Project, session string, a registry.Agent, target string) (string,
	error) {
	inside, err := p.Repo.IsAncestor(ctx, a.Head, target)
	if err != nil || inside {
		return "", err
	}
	ref := fmt.Sprintf("refs/delegate/%s/%s/landed", session, a.ID)
	now, _, err := p.Repo.Ref(ctx, ref)
	if err != nil || now == a.Head {
		return ref, err
	}
	return ref, p.Repo.UpdateRefs(ctx, "delegate: kept as it was", git.RefUpdate{Ref: ref, Old: now, New: a.Head})
}

// removeFolders takes the agent's home and temporary folder, and its desk once what it wrote there
// is kept in the session's logs.
func removeFolders(p *project.Project, session string, a registry.Agent) error {
	if err := keepInbox(p, session, a); err != nil {
		return err
	}
	folder := p.AgentRoot(session, a.ID)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // taken away before a crash
	}
	if err != nil {
		return fmt.Errorf("tidy %q: %w", folder, err)
	}
	for _, e := range entries {
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
	return os.RemoveAll(filepath.Join(p.Repo.CommonDir, "refs", "heads", "delegate", session, a.ID, ".keep"))
}

// keepInbox copies what the agent wrote for others to the session's logs.
func keepInbox(p *project.Project, session string, a registry.Agent) error {
	const mostKept, largestKept = 100_000, 1 << 30
	agentDir := agentdir.Dir(p.AgentDir(session, a.ID))
	entries, err := agentDir.List("inbox", mostKept)
	if err != nil {
		return nil // no folder of the desk, so nothing that the agent left for others
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		data, err := agentDir.Read("inbox/"+e.Name(), largestKept)
		if err != nil {
			return fmt.Errorf("keep inbox of %s: %w", a.ID, err)
		}
		dir := filepath.Join(p.Logs(session), a.ID, "inbox")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("keep inbox of %s: %w", a.ID, err)
		}
		if err := atomicfile.WriteFile(filepath.Join(dir, e.Name()), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// logContext adds the session's entry to docs/logs/session_context.md, once.
func logContext(p *project.Project, e Ending) error {
	path := filepath.Join(p.RecordDir(), "session_context.md")
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read session context: %w", err)
	}
	if strings.Contains(string(old), "- Session: "+e.Session+"\n") {
		return nil
	}
	text := string(old)
	if text == "" {
		text = "# Session Context\n"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	merged := strings.Join(e.Merged, ", ")
	text += fmt.Sprintf("\n### Delegation Sync: %s\n\n- Session: %s\n- Agents Merged: %s\n- Files Changed: %d\n- "+
		"Conflicts: %d resolved\n- Tests: %s\n",
		p.Now().UTC().Format("2006-01-02T15:04:05Z"), e.Session, cmp.Or(merged, "none"), e.Files, e.Resolved,
		e.Tests.Result)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write session context: %w", err)
	}
	if len(old) == 0 {
		old = nil
	}
	return atomicfile.Replacer{}.Replace(path, old, []byte(text))
}
