package doctor

import (
	"context"
	"slices"

	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/registry"
)

func sorted(refs map[string]string) []string {
	names := make([]string, 0, len(refs))
	for name := range refs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

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

// search is one search for leftovers.
type search struct {
	p     *project.Project
	repo  *git.Repo // without the filters that an agent could have written
	state registry.State
	trees []git.Worktree
	// states of sessions that ended; empty for those without a record
	sessions map[string]registry.State
	found    []Leftover
}

func (l *search) add(kind, text, next string) {
	l.found = append(l.found, Leftover{Kind: kind, Text: text, Next: next})
}

func (l *search) active(session string) bool {
	return l.state.Session != nil && l.state.Session.ID == session
}

// session is the state of a session by the registry and its archive; its Session is nil if they know none.
func (l *search) session(ctx context.Context, id string) registry.State {
	known, asked := l.sessions[id]
	if !asked {
		known, _ = l.p.Store.History(ctx, id) // without a record the branches speak for themselves
		l.sessions[id] = known
	}
	return known
}
