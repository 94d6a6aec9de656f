package cleanup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/agentdir"
	"delegate/internal/atomicfile"
	"delegate/internal/git"
	"delegate/internal/land"
	"delegate/internal/project"
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

// RemoveLanded takes away what an agent of a session that ends has, where all of it is in the target: worktree, branch,
// references, folders. Refused says that it has work that is not, or that it is needed: then also *InUseError.
func RemoveLanded(ctx context.Context, p *project.Project, session registry.Session, a registry.Agent) (Outcome,
	error) {
	gone, err := isGone(ctx, p, a)
	if err != nil {
		return Failed, err
	}
	// before a crash, which may have left what lies next to the worktree, or from another terminal
	if gone && a.Status == registry.Merged {
		return Gone, removeFolders(ctx, p, session.ID, a)
	}
	if gone {
		return Gone, nil
	}
	if a.Status != registry.Merged {
		return Refused, nil
	}
	target, err := p.Target(ctx, session)
	if err != nil {
		return Failed, err
	}
	landings, err := p.Landings(ctx, session.ID, target)
	if err != nil {
		return Failed, err
	}
	in := []place{{session.Target, landings[0]}}
	for _, tip := range landings[1:] {
		in = append(in, place{session.Target + " of its remote", tip})
	}
	return removeLanded(ctx, p, session.ID, a, in)
}

// removeLanded looks at an agent's worktree once more, and removes what the agent has if it is all in one of the
// places.
func removeLanded(ctx context.Context, p *project.Project, session string, a registry.Agent, in []place) (Outcome,
	error) {
	safe, err := removable(ctx, p, session, a, in)
	if err != nil || !safe {
		return Refused, err
	}
	if err := remove(ctx, p, session, a, in); err != nil {
		return Failed, err
	}
	return Removed, nil
}

// RemoveEarlier takes away what earlier attempts of an agent left in a session that ends, where an attempt has no work.
// The error says that git could not be read, or something not be removed.
func RemoveEarlier(ctx context.Context, p *project.Project, sessionID string, a registry.Agent) (removed []string,
	err error) {
	for attempt := 1; attempt < a.Attempt; attempt++ {
		path := p.EarlierWork(sessionID, a, attempt)
		if path == "" {
			continue
		}
		state, err := p.Store.View(ctx)
		if err != nil {
			return removed, err
		}
		l := &search{ending: true, only: &Item{Kind: Worktree, Content: Landed, Session: sessionID, Agent: a.ID,
			Path: path, Branch: project.Branch(a.Name, attempt)}}
		if err := l.find(ctx, p, state); err != nil {
			return removed, err
		}
		if len(l.found) == 0 || l.found[0].Refusal != nil {
			continue
		}
		outcome, err := l.remove(ctx, &l.found[0])
		if err != nil {
			return removed, err
		}
		if outcome == Removed {
			removed = append(removed, path)
		}
	}
	return removed, nil
}

// isGone says whether neither the worktree of an agent nor its branch is there any more.
func isGone(ctx context.Context, p *project.Project, a registry.Agent) (bool, error) {
	if _, err := os.Stat(a.Worktree); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	_, found, err := p.Repo.Ref(ctx, "refs/heads/"+a.Branch)
	return !found, err
}

// DropIntegration takes the integration branch away: every head that was gathered on it is in the
// target or kept by its agent's references. One with a person's own commits, or that is checked
// out, stays: land.ErrRefused.
func DropIntegration(ctx context.Context, p *project.Project, s registry.Session) error {
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

// DropRemote takes the reference away that says what the target was in its remote, by which landed work was judged.
// It is kept where neither the target nor a remote-tracking branch has its commit.
func DropRemote(ctx context.Context, p *project.Project, s registry.Session) (kept bool, err error) {
	ref := project.RemoteRef(s.ID)
	now, found, err := p.Repo.Ref(ctx, ref)
	if err != nil || !found {
		return false, err
	}
	if elsewhere, err := isElsewhere(ctx, p, s.Target, now); err != nil || !elsewhere {
		return err == nil, err
	}
	return false, p.Repo.UpdateRefs(ctx, "delegate: session complete", git.RefUpdate{Ref: ref, Old: now})
}

// isElsewhere says whether a target, or a branch of its name that git follows in a remote, has a commit.
func isElsewhere(ctx context.Context, p *project.Project, target, commit string) (bool, error) {
	refs, err := p.Repo.RefsUnder(ctx, "refs/remotes/")
	if err != nil {
		return false, err
	}
	tip, found, err := p.Repo.Ref(ctx, "refs/heads/"+target)
	if err != nil {
		return false, err
	}
	var tips []string
	if found {
		tips = append(tips, tip)
	}
	for ref, tip := range refs {
		if _, branch, _ := strings.Cut(strings.TrimPrefix(ref, "refs/remotes/"), "/"); branch == target {
			tips = append(tips, tip)
		}
	}
	for _, tip := range tips {
		if has, err := p.Repo.IsAncestor(ctx, commit, tip); err != nil || has {
			return has, err
		}
	}
	return false, nil
}

// remove takes away a landed agent's worktree, branch and head references. An earlier attempt's
// branch stays: its work did not land.
func remove(ctx context.Context, p *project.Project, session string, a registry.Agent, in []place) error {
	if _, err := os.Stat(a.Worktree); err == nil {
		if err := p.Repo.RemoveWorktree(ctx, a.Worktree); err != nil {
			return err
		}
	}
	p.Step("clean:worktree")
	var updates []git.RefUpdate
	refs, err := p.Repo.RefsUnder(ctx, fmt.Sprintf("refs/delegate/%s/%s/", session, a.ID))
	if err != nil {
		return err
	}
	refs["refs/heads/"+a.Branch] = ""
	kept, err := original(ctx, p, session, a, in)
	if err != nil {
		return err
	}
	if kept.Old != kept.New {
		updates = append(updates, kept)
	}
	for ref := range refs {
		id, found, err := p.Repo.Ref(ctx, ref)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		landed, err := landedIn(ctx, p, a, id, in)
		its := landed != ""
		if err == nil && !its && strings.HasPrefix(ref, "refs/delegate/") {
			its, err = sawTheHead(ctx, p, a, id)
		}
		if err != nil {
			return err
		}
		// a moment before the head that landed, and what was pushed of it
		past := ref == project.LookRef(session, a.ID) || ref == project.RequestRef(session, a.ID)
		if (its || past) && ref != kept.Ref {
			updates = append(updates, git.RefUpdate{Ref: ref, Old: id})
		}
	}
	if len(updates) > 0 {
		if err := p.Repo.UpdateRefs(ctx, "delegate: landed", updates...); err != nil {
			return err
		}
	}
	p.Step("clean:references")
	return removeFolders(ctx, p, session, a)
}

// original has a reference keep the agent's own commits where a landing has others in their place, after a squash or
// rebase. Where none is needed it is no reference.
func original(ctx context.Context, p *project.Project, session string, a registry.Agent, in []place) (git.RefUpdate,
	error) {
	for _, at := range in {
		if inside, err := p.Repo.IsAncestor(ctx, a.Head, at.tip); err != nil || inside {
			return git.RefUpdate{}, err
		}
	}
	ref := fmt.Sprintf("refs/delegate/%s/%s/landed", session, a.ID)
	now, _, err := p.Repo.Ref(ctx, ref)
	return git.RefUpdate{Ref: ref, Old: now, New: a.Head}, err
}

// removeFolders takes the agent's home and temporary folder, and its desk once what it wrote there
// is kept in the session's logs.
func removeFolders(ctx context.Context, p *project.Project, session string, a registry.Agent) error {
	if err := keepInbox(ctx, p, session, a.ID); err != nil {
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
	return nil
}

// keepInbox copies what the agent wrote for others to the session's logs.
func keepInbox(ctx context.Context, p *project.Project, session, agent string) error {
	const mostKept, largestKept = 100_000, 1 << 30
	agentDir := agentdir.Dir(p.AgentDir(session, agent))
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
			return fmt.Errorf("keep inbox of %s: %w", agent, err)
		}
		if err := p.PlaceRecordFile(ctx, session, agent, "inbox", e.Name()); err != nil {
			return err
		}
		path := p.RecordFile(session, agent, "inbox", e.Name())
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("keep inbox of %s: %w", agent, err)
		}
		if err := atomicfile.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
