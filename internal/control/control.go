package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/fence/guard"
	"delegate/internal/git"
	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/internal/turn/agent"
	"delegate/registry"
	"delegate/scope"
)

// Control is a person's hand on the agents of the active session. Each call writes the registry;
// the supervisor acts on it.
type Control struct {
	P       *project.Project
	Who     string // the person, as the registry names them
	Session string // the one that the person was shown and means; "" is whichever is active
	// Below says why no person is there to decide, nil where one may be: then no limit of theirs is lifted.
	Below error
}

// Current is the state of the session that the person means; *OtherSessionError if another one has taken its place.
func (c Control) Current(ctx context.Context) (registry.State, error) {
	state, err := c.P.Active(ctx)
	if err == nil && c.Session != "" && state.Session.ID != c.Session {
		err = &OtherSessionError{Meant: c.Session, Active: state.Session.ID}
	}
	return state, err
}

// OtherSessionError says that the session that a person was asked about has ended, and another one is active.
type OtherSessionError struct{ Meant, Active string }

func (e *OtherSessionError) Error() string {
	return fmt.Sprintf("session %q has ended meanwhile; %q is active now, and nothing of it was changed", e.Meant,
		e.Active)
}

// SendBack returns finished work to its agent with what is to be fixed, which must not be empty.
// Work that failed is resumed with it.
func (c Control) SendBack(ctx context.Context, id, message string) (registry.Agent, error) {
	if strings.TrimSpace(message) == "" {
		return registry.Agent{}, fmt.Errorf("send %s back: say what is to be fixed", id)
	}
	a, _, err := c.find(ctx, id)
	if err == nil && a.Status == registry.Failed {
		return c.Message(ctx, id, message)
	}
	if err == nil {
		err = c.MayResume(ctx, a)
	}
	if err != nil {
		return a, err
	}
	return c.nextTurn(ctx, id, message, registry.EventSentBack)
}

// Retry starts a failed agent anew: a fresh attempt on a fresh branch with the same scope; the old branch is kept. Its
// time begins anew where a person decides.
func (c Control) Retry(ctx context.Context, id string) (registry.Agent, error) {
	a, _, err := c.find(ctx, id)
	if err != nil {
		return a, err
	}
	err = errors.Join(c.lifts(a, registry.FlagTimeout, registry.FlagViolationLimit), c.affords(ctx, a))
	if err != nil {
		return a, err
	}
	return c.update(ctx, a.ID, func(tx *registry.Tx) error {
		e := registry.Event{Kind: registry.EventRetried, Agent: a.ID,
			Details: fmt.Sprintf("attempt %d; %s is kept", a.Attempt+1, a.Branch), By: c.Who}
		return tx.Transition(a.ID, e, registry.Person, func(a *registry.Agent) {
			session.Place(c.P, a, a.Attempt+1)
			if c.Below == nil {
				a.RunTime = 0
			}
			session.StartOver(a)
		})
	})
}

// ForceComplete declares an agent finished by a person's decision; what it left is taken into its head.
func (c Control) ForceComplete(ctx context.Context, id, reason string) (registry.Agent, error) {
	a, sessionID, err := c.find(ctx, id)
	if err != nil {
		return a, err
	}
	if err := allowed(a, registry.EventForced); err != nil {
		return a, err
	}
	if a.Turns == 0 {
		return a, fmt.Errorf("force %s complete: it never ran, there is nothing to take", a.ID)
	}
	target, err := c.target(ctx)
	if err != nil {
		return a, err
	}
	work, err := c.P.Work(ctx, sessionID, a, target)
	if err != nil {
		return a, err
	}
	return c.update(ctx, a.ID, func(tx *registry.Tx) error {
		e := registry.Event{Kind: registry.EventForced, Agent: a.ID, By: c.Who,
			Details: cmp.Or(strings.TrimSpace(reason), "declared complete")}
		return tx.Transition(a.ID, e, registry.Person, func(a *registry.Agent) {
			session.SetWork(a, work)
			a.Flags = a.Flags.With(registry.FlagForced.Flag())
			if work.ChangedNothing() {
				a.Flags = a.Flags.With(registry.FlagNoChanges.Flag())
			}
		})
	})
}

// ScopeChange is a person's answer to what an agent may write.
type ScopeChange struct {
	Allow    []string // globs to add
	Disallow []string // globs to take out again
	Drop     []string // paths whose changes are taken back in the agent's worktree
	Why      string   // the person's reason, "" for none
}

// of is what an agent may write with the change.
func (s ScopeChange) of(a registry.Agent) ([]string, error) {
	allowed := slices.Clone(a.Allowed)
	for _, glob := range s.Allow {
		if !slices.Contains(allowed, glob) {
			allowed = append(allowed, glob)
		}
	}
	for _, glob := range s.Disallow {
		at := slices.Index(allowed, glob)
		if at < 0 {
			return nil, fmt.Errorf("disallow %q: only a whole glob can be removed, and %s may write: %s", glob, a.ID,
				strings.Join(allowed, ", "))
		}
		if allowed = slices.Delete(allowed, at, at+1); len(allowed) == 0 {
			return nil, fmt.Errorf("disallow %q: %s may write nothing else; allow it something first", glob, a.ID)
		}
	}
	return allowed, nil
}

// String is the change in the words of the record.
func (s ScopeChange) String() string {
	var words []string
	for _, part := range []struct {
		done  string
		names []string
	}{{"allowed ", s.Allow}, {"no longer allowed ", s.Disallow}, {"dropped changes to ", s.Drop}} {
		if len(part.names) > 0 {
			words = append(words, part.done+strings.Join(part.names, ", "))
		}
	}
	return strings.Join(words, "; ")
}

// Overlap is another agent that a widened scope can meet, with a path that both may write.
type Overlap struct{ Agent, Witness string }

// ChangeScope widens or narrows a scope or drops changes, records it, and answers with the overlaps that it has then.
func (c Control) ChangeScope(ctx context.Context, id string, change ScopeChange) (registry.Agent, []Overlap, error) {
	a, sessionID, err := c.find(ctx, id)
	if err != nil {
		return a, nil, err
	}
	if a.Status.Ended() {
		return a, nil, fmt.Errorf("change the scope of %s: it is %s and can no longer be changed", a.ID,
			a.Status.Word())
	}
	change.Allow = slices.DeleteFunc(slices.Clone(change.Allow), func(glob string) bool {
		return slices.Contains(a.Allowed, glob)
	})
	wanted := a
	if wanted.Allowed, err = change.of(a); err != nil {
		return a, nil, err
	}
	limits, err := c.P.Scope(wanted)
	if err != nil {
		return a, nil, err
	}
	for _, w := range limits.Warnings() {
		if w.Kind == scope.WhollyForbidden && slices.Contains(change.Allow, w.Pattern) {
			return a, nil, &ForbiddenGlobError{Glob: w.Pattern, Why: w.Message}
		}
	}
	overlaps, err := c.overlaps(ctx, a.ID, limits)
	if err != nil || change.String() == "" {
		return a, overlaps, err
	}
	withoutDropped := func(*registry.Agent) {}
	if len(change.Drop) > 0 {
		if a.Status == registry.Running || a.Status == registry.Spawning {
			return a, nil, fmt.Errorf("drop changes of %s: it is %s; wait until its turn is over", a.ID,
				a.Status.Word())
		}
		if withoutDropped, err = c.drop(ctx, sessionID, a, change.Drop); err != nil {
			return a, nil, err
		}
	}
	a, err = c.update(ctx, a.ID, func(tx *registry.Tx) error {
		e := registry.Event{Kind: registry.EventScopeChanged, Agent: a.ID, Details: change.String(), By: c.Who}
		if why := strings.TrimSpace(change.Why); why != "" {
			e.Details += ": " + rowText(why)
		}
		var refused error // of what another change made of the scope meanwhile
		err := tx.Record(e, func(a *registry.Agent) {
			a.Allowed, refused = change.of(*a)
			a.Refused = slices.DeleteFunc(a.Refused, func(path string) bool { return c.P.Allows(limits, path) })
			withoutDropped(a)
		})
		return errors.Join(err, refused)
	})
	if err != nil {
		return a, nil, err
	}
	return a, overlaps, errors.Join(tellHook(c.P.TurnDir(sessionID, a.ID, a.Turns), a.Allowed),
		c.forgetMended(ctx, sessionID, a))
}

// ForbiddenGlobError refuses a glob that would allow nothing, since what it matches is forbidden.
type ForbiddenGlobError struct{ Glob, Why string }

func (e *ForbiddenGlobError) Error() string { return fmt.Sprintf("allow %q: it %s", e.Glob, e.Why) }

// tellHook lets the pre-tool hook of a turn that goes on decide by the new scope. A turn without a hook has no policy.
func tellHook(turn string, allowed []string) error {
	path := filepath.Join(turn, agent.PolicyFile)
	policy, err := guard.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	policy.Allowed = allowed
	return policy.Write(path)
}

func (c Control) overlaps(ctx context.Context, id string, limits *scope.Scope) ([]Overlap, error) {
	state, err := c.Current(ctx)
	if err != nil {
		return nil, err
	}
	var found []Overlap
	for _, other := range state.Agents {
		if other.ID == id || other.Status == registry.Merged || other.Status == registry.Aborted {
			continue
		}
		theirs, err := c.P.Scope(other)
		if err != nil {
			return nil, err
		}
		if witness, ok := scope.Overlap(limits, theirs); ok {
			found = append(found, Overlap{Agent: other.Name, Witness: witness})
		}
	}
	return found, nil
}

// drop takes changes to the paths back to what the agent's work began with, which is the newest
// commit of the target that it has, and answers with the new head. The head before gets a reference
// of its own first, so nothing is lost.
func (c Control) drop(ctx context.Context, session string, a registry.Agent, paths []string) (func(*registry.Agent),
	error) {
	for _, p := range paths {
		if _, err := scope.CleanPath(p); err != nil {
			return nil, err
		}
	}
	repo, err := c.P.Unfiltered(ctx)
	if err != nil {
		return nil, err
	}
	checkout, err := takeover.Open(repo, a.Worktree, a.Branch)
	if err != nil {
		return nil, err
	}
	target, err := c.target(ctx)
	if err != nil {
		return nil, err
	}
	before, err := c.P.Work(ctx, session, a, target)
	if err != nil {
		return nil, err
	}
	files, nothing := changedAt(before, paths)
	if len(nothing) > 0 {
		return nil, &NothingToDropError{Agent: a.ID, Paths: nothing}
	}
	if lost, err := checkout.Unkept(ctx, before.Head, files); err != nil {
		return nil, err
	} else if len(lost) > 0 {
		return nil, &OnlyCopyError{Agent: a.ID, Worktree: a.Worktree, Paths: lost}
	}
	kept := fmt.Sprintf("refs/delegate/%s/%s/before-drop-%.12s", session, a.ID, before.Head)
	if _, found, err := c.P.Repo.Ref(ctx, kept); err != nil {
		return nil, err
	} else if !found {
		if err := c.P.Repo.UpdateRefs(ctx, "delegate: before dropping changes",
			git.RefUpdate{Ref: kept, New: before.Head}); err != nil {
			return nil, err
		}
	}
	if err := c.P.Repo.Sync(); err != nil { // before files go that it alone may have
		return nil, err
	}
	if checkout, err = takeover.Open(c.P.Repo, a.Worktree, a.Branch); err != nil { // files come with their filters
		return nil, err
	}
	if err := checkout.Repo.TakeBack(ctx, checkout.Branch, before.Fork, files); err != nil {
		return nil, err
	}
	a.Head = before.Head
	after, err := c.P.Work(ctx, session, a, target)
	if err != nil {
		return nil, err
	}
	return c.forget(session, a, paths, after)
}

// forget has the report of an agent's last turn say nothing any more of paths that were put back, and answers what
// changes in its record: the work as it is now.
func (c Control) forget(sessionID string, a registry.Agent, paths []string,
	after project.Work) (func(*registry.Agent), error) {
	breaches := []string{}
	for _, b := range after.Breaches {
		breaches = append(breaches, b.String())
	}
	report, err := session.TakeBack(c.P, sessionID, a, paths, breaches)
	if err != nil {
		return nil, err
	}
	return func(a *registry.Agent) {
		session.SetWork(a, after)
		a.Tests = "not_run"
		if len(report.Differences) == 0 {
			a.Flags = a.Flags.Without(registry.FlagContradicted)
		}
		if after.ChangedNothing() {
			a.Flags = a.Flags.With(registry.FlagNoChanges.Flag())
		}
	}, nil
}

// NothingToDropError says that an agent changed nothing at some of the paths that were to be taken back.
type NothingToDropError struct {
	Agent string
	Paths []string
}

func (e *NothingToDropError) Error() string {
	return fmt.Sprintf("%s has no changes at %s: nothing was reverted", e.Agent, strings.Join(e.Paths, ", "))
}

// OnlyCopyError says that what is to be taken back is in no commit, such as a file that is too large for one, or a
// repository inside of the worktree.
type OnlyCopyError struct {
	Agent, Worktree string
	Paths           []string
}

func (e *OnlyCopyError) Error() string {
	return fmt.Sprintf("nothing but the worktree of %s holds %s: nothing was reverted", e.Agent,
		strings.Join(e.Paths, ", "))
}

// Next is what to do about it.
func (e *OnlyCopyError) Next() string {
	return "look at it in " + e.Worktree + ", and move it away or delete it there, then: delegate sync"
}

// changedAt are the files that the work changes at and below the paths, and the paths at which it changes nothing.
func changedAt(work project.Work, paths []string) (files, nothing []string) {
	changed := work.Paths()
	for _, b := range work.Breaches {
		changed = append(changed, b.Path)
	}
	for _, p := range paths {
		before := len(files)
		for _, name := range changed {
			if scope.Within(name, path.Clean(p)) {
				files = append(files, name)
			}
		}
		if len(files) == before {
			nothing = append(nothing, p)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nothing
}

// AbortSession cancels every agent. Branches, heads and worktrees are kept.
func (c Control) AbortSession(ctx context.Context, reason string) error {
	state, err := c.Current(ctx)
	if err != nil {
		return err
	}
	// Those that wait for a slot come first: an ended one would give them theirs.
	slices.SortStableFunc(state.Agents, func(x, y registry.Agent) int { return waitsFirst(x) - waitsFirst(y) })
	var aborted []registry.Agent
	for _, a := range state.Agents {
		if a.Status.Ended() {
			continue
		}
		a, err := c.abort(ctx, state.Session.ID, a, cmp.Or(strings.TrimSpace(reason), "session aborted"))
		if err != nil {
			return err
		}
		aborted = append(aborted, a)
	}
	var all []error
	for _, a := range aborted {
		_, err := session.Settle(ctx, c.P, state.Session.ID, a)
		all = append(all, err)
	}
	return errors.Join(all...)
}

func waitsFirst(a registry.Agent) int {
	if a.Status == registry.Pending {
		return 0
	}
	return 1
}

// find is the active session's agent with the id.
func (c Control) find(ctx context.Context, id string) (registry.Agent, string, error) {
	state, err := c.Current(ctx)
	if err != nil {
		return registry.Agent{}, "", err
	}
	a, err := state.Find(id)
	return a, state.Session.ID, err
}

// target is the commit of the session's target.
func (c Control) target(ctx context.Context) (string, error) {
	state, err := c.Current(ctx)
	if err != nil {
		return "", err
	}
	return c.P.Target(ctx, *state.Session)
}

func (c Control) queue(ctx context.Context, sessionID, id, text string, then func() error) error {
	return session.Enqueue(ctx, c.P, sessionID, id, session.Message{From: c.Who, Text: text, Time: c.P.Now().UTC()},
		then)
}

// queueFor is queue, and answers with the agent as it is afterwards; as it was where nothing was queued.
func (c Control) queueFor(ctx context.Context, sessionID string, a registry.Agent, text string,
	then func() error) (registry.Agent, error) {
	if err := c.queue(ctx, sessionID, a.ID, text, then); err != nil {
		return a, err
	}
	a, _, err := c.find(ctx, a.ID)
	return a, err
}

// update writes the registry and answers with the agent as it is then.
func (c Control) update(ctx context.Context, id string, fn func(*registry.Tx) error) (registry.Agent, error) {
	state, err := c.P.Store.Update(ctx, fn)
	if err != nil {
		return registry.Agent{}, err
	}
	return state.Agent(id)
}

// asked fills in what a person asked for, of which the refused transition is a part.
func asked(err error, what string) error {
	if refused, ok := errors.AsType[*registry.TransitionError](err); ok {
		refused.Asked = what
	}
	return err
}

// allowed refuses what a person cannot do to an agent in its state.
func allowed(a registry.Agent, kind registry.Kind) error {
	_, err := registry.Next(a.Status, kind, registry.Person)
	if refused, ok := errors.AsType[*registry.TransitionError](err); ok {
		refused.Agent = a.ID
	}
	return err
}
