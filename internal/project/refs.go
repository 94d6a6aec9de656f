package project

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"delegate/internal/git"
	"delegate/registry"
)

// Refs are the references of a repository that no agent of a session may move, and HEAD of the main checkout:
// full name to object, or to "ref: " and a name.
type Refs map[string]string

// SnapshotRefs reads all references but those of the session itself and this program's own.
func (p *Project) SnapshotRefs(ctx context.Context, session string) (Refs, error) {
	all, err := p.Repo.References(ctx)
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(all, func(ref, _ string) bool {
		return strings.HasPrefix(ref, "refs/delegate/") || strings.HasPrefix(ref, "refs/heads/delegate/"+session+"/")
	})
	return all, nil
}

// MovedRef is a reference that was at From and is at To. An empty From means that it was made, an
// empty To that it was deleted.
type MovedRef struct{ Ref, From, To string }

// Moved lists what is different now, by name.
func (r Refs) Moved(now Refs) []MovedRef {
	var moved []MovedRef
	for ref, to := range now {
		if from := r[ref]; from != to {
			moved = append(moved, MovedRef{Ref: ref, From: from, To: to})
		}
	}
	for ref, from := range r {
		if _, there := now[ref]; !there {
			moved = append(moved, MovedRef{Ref: ref, From: from})
		}
	}
	slices.SortFunc(moved, func(a, b MovedRef) int { return strings.Compare(a.Ref, b.Ref) })
	return moved
}

// Intrusion is a reference that moved while agents worked, and not as a person's daily work moves it.
type Intrusion struct {
	MovedRef
	// Agent is whose commits the reference took in though nobody landed them, or whose stash it holds: a sure sign.
	// It is empty where somebody moved the reference and nobody can tell who: a note for the person, not a violation.
	Agent string
	// Commit is one of those commits.
	Commit string
	// Why is the clause that says what was found.
	Why string
}

// String is one line for people.
func (i Intrusion) String() string { return i.Ref + " " + i.Why }

// Intruded looks through what moved between two snapshots for what agents must not have done.
//
// People commit, fetch and make branches all the time, so a reference that only went forward is no
// sign. Sure is one that took in commits which were made in an agent's checkout, by git's own
// record of it: it does not count what the agent itself took in, so an agent that merged the moved
// target is not accused of moving it. Work that is MERGED may be anywhere; an agent whose landing
// is under way must be left out by the caller. An agent that wrote a commit beside its checkout, or
// wiped the record, leaves no sure sign; a reference that lost history, a replaced object and a
// moved HEAD are told as notes.
func (p *Project) Intruded(ctx context.Context, before, now Refs, agents []registry.Agent) ([]Intrusion, error) {
	moved := before.Moved(now)
	if len(moved) == 0 {
		return nil, nil
	}
	makers, err := p.makers(ctx, agents)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, id := range before {
		if !strings.HasPrefix(id, symbolic) {
			known = append(known, id)
		}
	}
	var found []Intrusion
	for _, m := range moved {
		sign, err := p.intrusion(ctx, m, known, makers)
		if err == nil && sign.Why == "" {
			sign, err = p.stashed(ctx, m, agents)
		}
		if err == nil && sign.Why == "" {
			sign.Why, err = p.oddity(ctx, m)
		}
		if err != nil {
			return nil, fmt.Errorf("look into %q, which moved: %w", m.Ref, err)
		}
		if sign.Why != "" {
			sign.MovedRef = m
			found = append(found, sign)
		}
	}
	return found, nil
}

const (
	symbolic = "ref: "
	stashRef = "refs/stash"
)

// makers says which agent made a commit, of those agents whose work has not landed.
func (p *Project) makers(ctx context.Context, agents []registry.Agent) (map[string]string, error) {
	makers := map[string]string{}
	for _, a := range agents {
		if a.Status == registry.Merged || a.Worktree == "" {
			continue
		}
		checkout, err := p.Repo.OpenWorktree(a.Worktree)
		if errors.Is(err, git.ErrNoWorktree) {
			continue // it is gone, and its record with it
		}
		if err != nil {
			return nil, err
		}
		made, err := checkout.MadeHere(ctx)
		if err != nil {
			return nil, err
		}
		for _, id := range made {
			makers[id] = a.ID
		}
	}
	return makers, nil
}

// intrusion looks for agents' commits that are new in a reference and were in none before.
func (p *Project) intrusion(ctx context.Context, m MovedRef, known []string, makers map[string]string) (Intrusion,
	error) {
	var found Intrusion
	if m.To == "" || m.Ref == "HEAD" || strings.HasPrefix(m.To, symbolic) || len(makers) == 0 {
		return found, nil // a person may look at an agent's work in the main checkout
	}
	err := p.Repo.Beyond(ctx, []string{m.To}, known, func(commit string) {
		if agent := makers[commit]; agent != "" && found.Agent == "" {
			found = Intrusion{Agent: agent, Commit: commit,
				Why: fmt.Sprintf("took in commit %.12s of %s, which nobody landed", commit, agent)}
		}
	})
	return found, err
}

// stashed looks whether the newest stash is an agent's: stashes are shared by all checkouts and
// name the branch they were made on.
func (p *Project) stashed(ctx context.Context, m MovedRef, agents []registry.Agent) (Intrusion, error) {
	if m.Ref != stashRef || m.To == "" {
		return Intrusion{}, nil
	}
	blobs, err := p.Repo.OpenBlobs(ctx)
	if err != nil {
		return Intrusion{}, err
	}
	defer blobs.Close()
	commit, data, err := blobs.Commit(m.To)
	if err != nil {
		return Intrusion{}, err
	}
	_, message, _ := strings.Cut(string(data), "\n\n")
	for _, a := range agents {
		if strings.HasPrefix(message, "WIP on "+a.Branch+": ") || strings.HasPrefix(message, "On "+a.Branch+": ") {
			return Intrusion{Agent: a.ID, Commit: commit,
				Why: fmt.Sprintf("holds a stash of %s; the person's own are below it", a.ID)}, nil
		}
	}
	return Intrusion{}, nil
}

// oddity says what is unusual about the move of a reference by an unknown hand, "" if nothing is.
func (p *Project) oddity(ctx context.Context, m MovedRef) (string, error) {
	switch {
	case strings.HasPrefix(m.Ref, "refs/remotes/") || strings.HasPrefix(m.Ref, "refs/prefetch/"):
		return "", nil // fetching moves these in every direction
	case strings.HasPrefix(m.Ref, "refs/replace/") && m.To != "":
		return "replaces an object by another one for everybody who reads this repository", nil
	case m.From == "":
		return "", nil
	case m.To == "":
		return fmt.Sprintf("was deleted (it was at %.12s)", strings.TrimPrefix(m.From, symbolic)), nil
	case strings.HasPrefix(m.From, symbolic) || strings.HasPrefix(m.To, symbolic):
		return fmt.Sprintf("was switched from %q to %q", strings.TrimPrefix(m.From, symbolic),
			strings.TrimPrefix(m.To, symbolic)), nil
	case strings.HasPrefix(m.Ref, "refs/tags/"):
		return fmt.Sprintf("was moved to another object (it was at %.12s)", m.From), nil
	case m.Ref == stashRef || m.Ref == "HEAD":
		return "", nil // each stash stands for itself, and a detached HEAD keeps nothing
	}
	lost := 0
	if err := p.Repo.Beyond(ctx, []string{m.From}, []string{m.To}, func(string) { lost++ }); err != nil {
		return "", err
	}
	if lost > 0 {
		return fmt.Sprintf("does not hold %d of its commits any more (it was at %.12s)", lost, m.From), nil
	}
	return "", nil
}
