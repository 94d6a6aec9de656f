package scopemonitor

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/internal/turn/keeper"
	"delegate/registry"
	"delegate/scope"
)

// Monitor watches one turn while it runs: which programs it started, and what it changed outside of its scope.
//
// It goes from what costs nothing to what is certain, and stops where there is no reason to go on: which paths were
// written (a file watcher, where the system has one), which of these could be outside of the scope (by name), which
// files differ from the base at all (git, by names), and only then what a look at the work finds, as at the end of the
// turn. What it misses is found there, and by the check before a landing.
type Monitor struct {
	mono       func() time.Duration
	due        time.Duration // by mono
	fullDue    time.Duration // when all names are asked for, whatever was written
	watcherDue time.Duration // when watching is tried again
	watcher    *watcher
	suspects   []string              // paths that may be outside of the scope, by the last look at all names
	seen       uint64                // what was last held against the scope
	known      map[run.Identity]bool // agent programs that stand in the registry
	processes  *Processes
}

const (
	firstLook = 2 * time.Second // of a turn: most are not over before, and those that are have their end looked at
	lookEvery = 3 * time.Second
	fullEvery = time.Minute
	// Limit bounds one look.
	Limit = time.Minute
	// restFactor is how many times as long as a look took the monitor rests: a large repository is looked at less.
	restFactor = 2
)

// New begins to watch a turn. mono is a clock that only goes forward, processes what all monitors of a session share.
func New(mono func() time.Duration, processes *Processes) *Monitor {
	return &Monitor{mono: mono, due: mono() + firstLook, processes: processes}
}

// Due reports whether it is time for a look.
func (m *Monitor) Due() bool { return m.mono() >= m.due }

// Look records what the agent's last turn does outside of its scope and did not before. It rests
// for many times as long as it took, and longer after a fault.
func (m *Monitor) Look(ctx context.Context, p *project.Project, record registry.Session, a registry.Agent) error {
	begun, pause := m.mono(), lookEvery
	turn := keeper.Turn{Dir: p.TurnDir(record.ID, a.ID, a.Turns)}
	err := errors.Join(m.findPrograms(ctx, p, a, turn), m.findChanges(ctx, p, record, a))
	if err != nil && !errors.Is(err, context.Canceled) {
		pause = fullEvery
	}
	m.due = m.mono() + max(pause, restFactor*(m.mono()-begun))
	return err
}

// findChanges records what lies outside of the agent's scope now and did not before.
func (m *Monitor) findChanges(ctx context.Context, p *project.Project, record registry.Session,
	a registry.Agent) error {
	limits, err := p.Scope(a)
	if err != nil {
		return err
	}
	checkout, err := takeover.Open(p.Repo, a.Worktree, a.Branch)
	if errors.Is(err, takeover.ErrGone) {
		return nil // the end of the turn says so
	}
	if err != nil {
		return err
	}
	filter := pathFilter{limits: limits, worktree: a.Worktree}
	if m.needsFullScan(filter) {
		names, err := checkout.Repo.Differing(ctx, session.MonitorIndex(p, record.ID, a), a.Base)
		if err != nil {
			m.fullDue = 0
			return err
		}
		m.suspects = slices.DeleteFunc(names, func(name string) bool { return !filter.suspects(name) })
	}
	open, err := session.ReadBreaches(p, record.ID, a)
	if err != nil {
		return err
	}
	sum := filter.sum(m.suspects, refs(p, record.ID, a, checkout))
	if sum == m.seen {
		return nil
	}
	if m.seen == 0 && len(m.suspects)+len(open) == 0 && checkout.Repo.CheckPointers() == nil {
		m.seen = sum // the turn has just begun
		return nil
	}
	target, err := p.Target(ctx, record)
	if err != nil {
		return err
	}
	work, err := p.Preview(ctx, record.ID, a, target)
	if err != nil {
		return err
	}
	found := Scan(p, a, work, fmt.Sprintf("watch, turn %d", a.Turns))
	fresh := found.NewSince(open, a.Turns)
	if len(fresh) > 0 {
		_, err := p.Store.Update(ctx, func(tx *registry.Tx) error { return found.Record(tx, p, a, fresh) })
		if err != nil {
			return err
		}
	}
	m.seen = sum
	return found.Remember(ctx, p, record.ID, a, fresh)
}

// refs changes with the agent's commits, which can hold files that git ignores, and with what ties its worktree to the
// repository.
func refs(p *project.Project, sessionID string, a registry.Agent, checkout *takeover.Checkout) string {
	branch := filepath.Join(p.Repo.CommonDir, "refs", "heads", filepath.FromSlash(a.Branch))
	own := filepath.Join(takeover.Quarantine{Folder: p.Quarantine(sessionID, a)}.Refs(), path.Base(a.Branch))
	return fmt.Sprint(session.SignatureOf(branch), session.SignatureOf(own), checkout.Repo.CheckPointers())
}

// needsFullScan reports whether all names have to be looked at, and not only those that were written.
func (m *Monitor) needsFullScan(filter pathFilter) bool {
	now := m.mono()
	if m.watcher == nil && now >= m.watcherDue {
		m.watcher, m.watcherDue, m.fullDue = newWatcher(filter.worktree), now+fullEvery, 0
	}
	needed := m.watcher == nil || now >= m.fullDue
	if m.watcher != nil {
		paths, all, err := m.watcher.events()
		if err != nil {
			m.watcher = nil
		}
		needed = needed || !all || slices.ContainsFunc(paths, filter.matters)
	}
	if needed {
		m.fullDue = now + fullEvery
	}
	return needed
}

// pathFilter says by a path alone what is worth a closer look.
type pathFilter struct {
	limits   *scope.Scope
	worktree string
}

// suspects reports whether a change of the path may be a breach: outside of the scope, a link, or a
// file that tells git what to do. Names that other systems take for another file are left to the
// end of the turn.
func (f pathFilter) suspects(name string) bool {
	if strings.HasSuffix(name, "/") || !f.limits.Check(name).Allowed {
		return true
	}
	if base := path.Base(name); base == ".gitattributes" || base == ".gitmodules" {
		return true
	}
	info, err := os.Lstat(filepath.Join(f.worktree, filepath.FromSlash(name)))
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// matters reports whether a path that was written can have changed which files are suspect.
// A file that says what is ignored can, and so can a folder: what came with it was not told.
func (f pathFilter) matters(name string) bool {
	if path.Base(name) == ".gitignore" || f.suspects(name) {
		return true
	}
	info, err := os.Lstat(filepath.Join(f.worktree, filepath.FromSlash(name)))
	return err == nil && info.IsDir()
}

// sum is another one as soon as a closer look may find something else.
func (f pathFilter) sum(names []string, refs string) uint64 {
	sum := fnv.New64a()
	fmt.Fprintln(sum, f.limits.Allowed(), f.limits.Forbidden(), refs)
	for _, name := range names {
		fmt.Fprintf(sum, "%s\x00", name)
		if info, err := os.Lstat(filepath.Join(f.worktree, filepath.FromSlash(name))); err == nil {
			fmt.Fprintln(sum, info.Size(), info.Mode(), info.ModTime().UnixNano())
		}
	}
	return sum.Sum64()
}
