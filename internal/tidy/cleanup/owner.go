package cleanup

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"delegate/registry"
)

func (l *search) active(session string) bool {
	return l.state.Session != nil && l.state.Session.ID == session
}

// session is the state of a session by the registry and its archive; its Session is nil if they know none.
func (l *search) session(ctx context.Context, id string) registry.State {
	if l.active(id) {
		return l.state
	}
	known, asked := l.sessions[id]
	if !asked {
		known, _ = l.p.Store.History(ctx, id) // without a record the branches speak for themselves
		l.sessions[id] = known
	}
	return known
}

// ended are the sessions that ended, the newest first, as far as something names them.
func (l *search) ended() []string {
	var all []string
	for _, s := range l.state.Archived {
		all = append(all, s.ID)
	}
	all = append(all, entries(filepath.Join(l.p.Private, "sessions"))...)
	all = append(all, entries(l.p.WorktreeRoot())...)
	for ref := range l.refs {
		all = append(all, strings.Split(ref, "/")[2])
	}
	all = slices.DeleteFunc(all, func(id string) bool { return !registry.ValidSessionID(id) || l.active(id) })
	slices.Sort(all)
	slices.Reverse(all)
	return slices.Compact(all)
}

// work is a branch of an agent's with what is known of it.
type work struct {
	session, agent, branch string
	attempt                int
	record                 registry.Agent
	target                 string // the branch that it was meant for

	// its work: with what it did not commit, as far as that is recorded, else the branch's tip
	head, tip string
	tree      string // its worktree, "" if it has none
	astray    bool   // that is on no branch, or on another one
	elsewhere string // another checkout that has the branch
}

// integration stands in the place of an agent in the name of the branch on which a session gathers work.
const integration = "integration"

// registered is the agent with this attempt, which need not be the one of the record.
func (w work) registered() registry.Agent {
	a := w.record
	a.ID, a.Attempt, a.Branch, a.Worktree, a.Head = w.agent, max(w.attempt, 1), w.branch, w.tree, w.head
	return a
}

// isLast reports whether it is the attempt that the record is about.
func (w work) isLast() bool { return w.record.ID != "" && w.record.Branch == w.branch }

// owner returns whose a branch is; false for one that is a person's. What the records store comes first, then the names
// that earlier attempts have.
func (l *search) owner(ctx context.Context, branch string) (work, bool) {
	parts := strings.Split(branch, "/")
	if parts[0] != "delegate" || len(parts) < 2 {
		return work{}, false
	}
	if len(parts) > 2 && registry.ValidSessionID(parts[1]) {
		w := work{session: parts[1], agent: parts[2], branch: branch}
		if len(parts) > 3 {
			w.attempt = attemptOf(parts[3], "work", "-")
		}
		return l.recorded(ctx, w), true
	}
	sessions := l.ended()
	if l.state.Session != nil {
		sessions = append([]string{l.state.Session.ID}, sessions...)
	}
	for _, id := range sessions {
		for _, a := range l.session(ctx, id).Agents {
			attempt := attemptOf(parts[1], a.Name, ".")
			isIts := a.Branch == branch || strings.HasPrefix(a.Branch, "delegate/"+a.Name) && attempt > 0 &&
				(attempt <= a.Attempt || len(parts) > 2)
			if isIts {
				return l.recorded(ctx, work{session: id, agent: a.ID, branch: branch, attempt: attempt}), true
			}
		}
	}
	return work{}, false
}

// recorded fills in what the record says of a branch.
func (l *search) recorded(ctx context.Context, w work) work {
	known := l.session(ctx, w.session)
	if record, err := known.Agent(w.agent); err == nil {
		if w.record = record; record.Branch == w.branch {
			w.attempt = record.Attempt
		}
	}
	if known.Session != nil {
		w.target = known.Session.Target
	}
	return w
}

// attemptOf reads the number of an attempt behind a name: 1 for the name itself, 0 for another name.
func attemptOf(word, name, between string) int {
	rest, begins := strings.CutPrefix(word, name)
	if !begins || rest == "" {
		return min(1, len(word)-len(rest))
	}
	number, numbered := strings.CutPrefix(rest, between)
	if n, err := strconv.Atoi(number); numbered && err == nil && n > 1 {
		return n
	}
	return 0
}

// treesOf are the worktrees of an agent of a session, of all its agents for "".
func (l *search) treesOf(ctx context.Context, session, agent string) (paths []string) {
	for _, t := range l.trees {
		if t.Prunable {
			continue
		}
		inside, its := strings.CutPrefix(t.Path, l.p.SessionDir(session)+string(filepath.Separator))
		if its = its && (agent == "" || strings.HasPrefix(inside, agent+string(filepath.Separator))); !its {
			w, known := l.owner(ctx, strings.TrimPrefix(t.Branch, "refs/heads/"))
			its = known && w.session == session && (agent == "" || w.agent == agent)
		}
		if its {
			paths = append(paths, t.Path)
		}
	}
	return paths
}

// entries are the names of the folders in a folder, none if it cannot be read.
func entries(path string) (names []string) {
	all, err := os.ReadDir(path)
	if err != nil {
		return nil
	}
	for _, e := range all {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}
