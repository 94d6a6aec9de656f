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

	"delegate/internal/control/session"
	"delegate/internal/intake/takeover"
	"delegate/internal/land"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/record/audit"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/tidy/cleanup"
	"delegate/internal/view/status"
	"delegate/registry"
)

// Ending is what completing a session did, for the summary.
type Ending struct {
	Session string
	Agents  []registry.Agent // as they ended
	Merged  []string
	Files   int
	Tests   project.Outcome
	Tested  string   // as Closing.Tested
	Removed []string // worktrees that went, or the branches that were left of them
	Kept    []string // worktrees that stay, each with the reason
	// what could not be removed for a technical reason, with it; Complete takes it up where it is called again
	Left        []string
	Uncollected []string // agents whose last result nobody ever fetched
	Progress    string   // which file of progress changed, and from what to what; "" if none did
	Context     string   // the file with an entry for each session

	Took      time.Duration // since the session began
	Conflicts registry.ConflictCount
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
			open = append(open, fmt.Sprintf("%s %s: delegate review %s, or delegate abort %s", a.Name,
				status.NeedOf(a).Line(), a.Name, a.Name))
		case registry.Complete:
			state, next := "ready and not merged", "delegate sync merge "+a.Name
			switch {
			case a.HasNoChanges():
				state, next = "done without changes", `delegate message `+a.Name+` "WHAT TO DO"`
			case a.InReview():
				state, next = "in review at "+a.PullRequest.String(), "when it is merged there, delegate sync"
			}
			open = append(open, fmt.Sprintf("%s is %s: %s, or delegate abort %s", a.Name, state, next, a.Name))
		}
	}
	if len(open) > 0 {
		return &NotOverError{Reasons: open}
	}
	return nil
}

// VerifyFinal runs the verify commands on the target as it stands at the end, or in its remote where others merged
// work that the target here lacks; the closing has no Who yet.
func VerifyFinal(ctx context.Context, p *project.Project, state registry.State) (Closing, error) {
	tip, err := p.Target(ctx, *state.Session)
	if err != nil {
		return Closing{}, err
	}
	if err := allThere(ctx, p, state, tip); err != nil {
		return Closing{}, err
	}
	missing, err := session.FindUnpulled(ctx, p, state, tip)
	if err != nil {
		return Closing{}, err
	}
	closing := Closing{State: state, Tip: tip, Unpulled: missing, Tested: state.Session.Target}
	final := tip
	switch {
	case missing.Behind:
		final, closing.Tested = missing.Tip, missing.Place
	case !missing.None():
		closing.Tested += ", which does not have what is merged as " + missing.Place
	}
	closing.Tests, err = p.Verify(ctx, final)
	return closing, err
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
	Tip   string // the target's commit
	Tests project.Outcome
	// Tested is the branch that the tests ran on, "" where an earlier process ran them.
	Tested   string
	Unpulled session.Unpulled // what the target here lacks
	Who      string
	// Unattended says that nobody was shown what goes with the worktrees: one with files that git ignores stays.
	Unattended bool
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
	e.Tested = closing.Tested
	if err != nil {
		return e, err
	}
	if e.Progress, err = updateProgress(p, state, e.Merged); err != nil {
		return e, err
	}
	if err := (journal.Completion{State: state, Tests: tests}).Write(p); err != nil {
		return e, err
	}
	tested := project.Tested(string(tests.Result), tests.Commands)
	_, err = p.Store.Update(ctx, func(tx *registry.Tx) error {
		if journal.Ended(tx.State(), e.Session) {
			return nil // before a crash
		}
		if err := CheckOver(tx.State()); err != nil {
			return err
		}
		if err := tx.EditSession(func(s *registry.Session) { s.FinalTests = string(tests.Result) }); err != nil {
			return err
		}
		return tx.EndSession(registry.SessionComplete,
			registry.Event{Kind: registry.EventSessionComplete,
				Details: fmt.Sprintf("%d merged, %s", len(e.Merged), tested), By: closing.Who})
	})
	if err != nil {
		return e, err
	}
	if err := session.WriteLastState(ctx, p, e.Session); err != nil {
		return e, err
	}
	e.Context = p.RecordPath(contextName)
	if err := logContext(ctx, p, e); err != nil {
		return e, err
	}
	cleanUp(ctx, p, state, closing.Unattended, &e)
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
			for _, f := range a.ChangedFiles() {
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
	e.Conflicts = registry.CountConflicts(history.Events, history.Agents)
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
		return fmt.Errorf("%w: %s moved from %.12s, as it was shown, to %.12s; type it again", land.ErrRefused,
			now.Session.Target, shown.Tip, tip)
	}
	return allThere(ctx, p, now, tip)
}

// cleanUp removes what has landed and nothing else. What is not certain to be needed by nobody is
// kept, what could not be removed is left, each with its reason.
func cleanUp(ctx context.Context, p *project.Project, state registry.State, unattended bool, e *Ending) {
	shown := cleanup.IgnoredFiles
	if unattended {
		shown = cleanup.Nothing
	}
	results, err := cleanup.RemoveEnded(ctx, p, *state.Session, state.Agents, shown)
	if err != nil {
		e.Left = append(e.Left, "worktrees ("+project.OneLine(err.Error())+")")
	}
	for _, r := range results {
		switch r.Outcome {
		case cleanup.Removed:
			e.Removed = append(e.Removed, cmp.Or(r.Path, "branch "+r.Branch))
		case cleanup.Refused:
			reason := r.Refusal.Reason
			if r.Refusal.Next != "" {
				reason += "; " + r.Refusal.Next
			}
			e.Kept = append(e.Kept, cmp.Or(r.Path, "the commits of "+r.Name)+" ("+reason+")")
		case cleanup.Failed:
			e.Left = append(e.Left, cmp.Or(r.Path, "branch "+r.Branch)+" ("+r.Error+")")
		}
	}
	switch err := cleanup.DropIntegration(ctx, p, *state.Session); {
	case errors.Is(err, land.ErrRefused):
		e.Kept = append(e.Kept, "branch "+state.Session.Integration+" ("+err.Error()+")")
	case err != nil:
		e.Left = append(e.Left, "branch "+state.Session.Integration+" ("+project.OneLine(err.Error())+")")
	}
	for _, a := range state.Agents { // none of them runs any more
		if a.Branch == "" {
			continue
		}
		if err := takeover.ReleaseRefFolder(p.Repo, a.Branch); err != nil {
			e.Left = append(e.Left, "folder of the branch "+a.Branch+" ("+project.OneLine(err.Error())+")")
		}
	}
	if len(e.Left) == 0 { // what is left is judged by it
		switch kept, err := cleanup.DropRemote(ctx, p, *state.Session); {
		case err != nil:
			e.Left = append(e.Left, "reference "+project.RemoteRef(e.Session)+" ("+project.OneLine(err.Error())+")")
		case kept:
			e.Kept = append(e.Kept, project.RemoteRef(e.Session)+
				" (nothing else here has what is merged in the remote: git pull)")
		}
	}
	_ = os.Remove(p.SessionDir(e.Session)) // only an empty folder goes
	if err := p.DropScratch(ctx); err != nil {
		e.Left = append(e.Left, p.Scratch()+" ("+project.OneLine(err.Error())+")")
	}
	_ = os.Remove(p.WorktreeRoot())
}

const contextName = "session_context.md"

// logContext adds the session's entry to docs/logs/session_context.md, once.
func logContext(ctx context.Context, p *project.Project, e Ending) error {
	if err := p.PlaceRecordFile(ctx, contextName); err != nil {
		return err
	}
	path := p.RecordFile(contextName)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read session context: %w", err)
	}
	if strings.Contains(string(old), "- Session: "+e.Session+"\n") {
		return nil
	}
	text := cmp.Or(string(old), "# Session Context\n")
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	merged := strings.Join(e.Merged, ", ")
	text += fmt.Sprintf("\n### Delegation Sync: %s\n\n- Session: %s\n- Agents Merged: %s\n- Files Changed: %d\n- "+
		"Conflicts: %d resolved\n- Tests: %s\n",
		p.Now().UTC().Format("2006-01-02T15:04:05Z"), e.Session, cmp.Or(merged, "none"), e.Files, e.Conflicts.Resolved,
		e.Tests.Result)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write session context: %w", err)
	}
	return atomicfile.Replacer{}.Replace(path, old, []byte(text))
}
