package supervise

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

	"delegate/internal/run"
	"delegate/internal/scopemonitor"
	"delegate/internal/session"
	"delegate/internal/takeover"
	"delegate/registry"
	"delegate/scope"
)

// A patrol looks after one turn while it runs: which processes it started, and what it changed outside of its scope.
//
// It goes from what costs nothing to what is certain, and stops where there is no reason to go on:
// which paths were written (an ear, where the system has one), which of these could be outside of the scope (by name),
// which files differ from the base at all (git, by names), and only then what a look at the work
// finds, as at the end of the turn.
// What it misses is found there, and by the check before a landing.
type patrol struct {
	due      time.Duration // by the supervisor's clock
	wholeDue time.Duration // when all names are asked for, whatever was heard
	earDue   time.Duration // when listening is tried again
	ear      *scopemonitor.Watcher
	suspects []string              // paths that may be outside of the scope, by the last look at all names
	seen     uint64                // what was last held against the scope
	known    map[run.Identity]bool // agent programs that stand in the registry
	counted  int                   // violations of the agent when its repeats were counted last
}

const (
	patrolFirst = 2 * time.Second // of a turn: most are not over before, and those that are have their end looked at
	patrolEvery = 3 * time.Second
	patrolWhole = time.Minute
	patrolLimit = time.Minute // for one look
	// patrolRest is how many times as long as it took a patrol rests: a large repository is looked at less often.
	patrolRest = 2
)

// patrol begins to look after a running turn if it is time to, and reports whether it did.
func (s *supervisor) patrol(ctx context.Context, a registry.Agent, w *watch) bool {
	now := s.mono()
	if w.patrol.due == 0 {
		w.patrol.due = now + patrolFirst
	}
	if s.busy[a.ID] != nil || now < w.patrol.due {
		return false
	}
	within, cancel := context.WithTimeout(ctx, patrolLimit)
	op := s.begin(a, "look after", func(s *supervisor) error {
		defer cancel()
		scopemonitor.LowerPriority()
		// A fault here must not keep the agent's other steps waiting: it is said, and tried again later.
		pause := patrolEvery
		err := errors.Join(s.findPrograms(within, a, w), s.findOutside(within, a, w))
		if err != nil && !errors.Is(err, context.Canceled) {
			s.note("look after "+a.ID, err)
			pause = patrolWhole
		}
		w.patrol.due = s.mono() + max(pause, patrolRest*(s.mono()-now))
		return s.sayUnwatched(ctx, a, errors.Is(err, context.DeadlineExceeded))
	})
	op.silent, op.cancel = true, cancel
	return true
}

// sayUnwatched sets the flag, or takes it back.
func (s *supervisor) sayUnwatched(ctx context.Context, a registry.Agent, is bool) error {
	if is == a.Flags.Has(registry.FlagUnwatched) {
		return nil
	}
	_, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error {
		return tx.Edit(a.ID, func(a *registry.Agent) {
			a.Flags = a.Flags.Without(registry.FlagUnwatched)
			if is {
				a.Flags = append(a.Flags, registry.Flag{Kind: registry.FlagUnwatched,
					Text: fmt.Sprintf("a look at its work took more than %s", patrolLimit)})
			}
		})
	})
	return err
}

// findOutside records what lies outside of the agent's scope now and did not before.
func (s *supervisor) findOutside(ctx context.Context, a registry.Agent, w *watch) error {
	limits, err := s.p.Scope(a)
	if err != nil {
		return err
	}
	checkout, err := takeover.Open(s.p.Repo, a.Worktree, a.Branch)
	if errors.Is(err, takeover.ErrGone) {
		return nil // the end of the turn says so
	}
	if err != nil {
		return err
	}
	look := outlook{limits: limits, worktree: a.Worktree}
	if w.patrol.asksAll(s.mono(), look) {
		names, err := checkout.Repo.Differing(ctx, session.MonitorIndex(s.p, s.state.Session.ID, a), a.Base)
		if err != nil {
			w.patrol.wholeDue = 0
			return err
		}
		w.patrol.suspects = slices.DeleteFunc(names, func(name string) bool { return !look.suspects(name) })
	}
	open, err := session.ReadBreaches(s.p, s.state.Session.ID, a)
	if err != nil {
		return err
	}
	sum := look.sum(w.patrol.suspects, s.standing(a, checkout))
	if sum == w.patrol.seen {
		return nil
	}
	if w.patrol.seen == 0 && len(w.patrol.suspects)+len(open) == 0 && checkout.CheckPointers() == nil {
		w.patrol.seen = sum // the turn has just begun
		return nil
	}
	target, err := s.p.Target(ctx, *s.state.Session)
	if err != nil {
		return err
	}
	work, err := s.p.Glance(ctx, s.state.Session.ID, a, target)
	if err != nil {
		return err
	}
	found := scopemonitor.Scan(s.p, a, work, fmt.Sprintf("watch, turn %d", a.Turns))
	if fresh := found.NewSince(open, a.Turns); len(fresh) > 0 {
		_, err := s.p.Store.Update(ctx, func(tx *registry.Tx) error { return found.Record(tx, a.ID, fresh) })
		if err != nil {
			return err
		}
	}
	w.patrol.seen = sum
	return found.Remember(ctx, s.p, s.state.Session.ID, a)
}

// standing changes with the agent's commits, which can hold files that git ignores, and with what
// ties its worktree to the repository.
func (s *supervisor) standing(a registry.Agent, checkout *takeover.Checkout) string {
	refs := filepath.Join(s.p.Repo.CommonDir, "refs", "heads", filepath.FromSlash(a.Branch))
	own := filepath.Join(
		takeover.Quarantine{Folder: s.p.Quarantine(s.state.Session.ID, a)}.Refs(),
		path.Base(a.Branch),
	)
	return fmt.Sprint(session.SignatureOf(refs), session.SignatureOf(own), checkout.CheckPointers())
}

// asksAll reports whether all names have to be looked at, and not only those that were heard of.
func (p *patrol) asksAll(now time.Duration, look outlook) bool {
	if p.ear == nil && now >= p.earDue {
		p.ear, p.earDue, p.wholeDue = scopemonitor.NewWatcher(look.worktree), now+patrolWhole, 0
	}
	needed := p.ear == nil || now >= p.wholeDue
	if p.ear != nil {
		paths, all, err := p.ear.Events()
		if err != nil {
			p.ear = nil
		}
		needed = needed || !all || slices.ContainsFunc(paths, look.matters)
	}
	if needed {
		p.wholeDue = now + patrolWhole
	}
	return needed
}

// outlook says by a path alone what is worth a closer look.
type outlook struct {
	limits   *scope.Scope
	worktree string
}

// suspects reports whether a change of the path may be a breach: outside of the scope, a link, or a
// file that tells git what to do.
// Names that other systems take for another file are left to the end of the turn.
func (o outlook) suspects(name string) bool {
	if strings.HasSuffix(name, "/") || !o.limits.Check(name).Allowed {
		return true
	}
	if base := path.Base(name); base == ".gitattributes" || base == ".gitmodules" {
		return true
	}
	info, err := os.Lstat(filepath.Join(o.worktree, filepath.FromSlash(name)))
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// matters reports whether a path that was written can have changed which files are suspect.
// A file that says what is ignored can, and so can a folder: what came with it was not heard.
func (o outlook) matters(name string) bool {
	if path.Base(name) == ".gitignore" || o.suspects(name) {
		return true
	}
	info, err := os.Lstat(filepath.Join(o.worktree, filepath.FromSlash(name)))
	return err == nil && info.IsDir()
}

// sum is another one as soon as a closer look may find something else.
func (o outlook) sum(names []string, standing string) uint64 {
	sum := fnv.New64a()
	fmt.Fprintln(sum, o.limits.Allowed(), o.limits.Forbidden(), standing)
	for _, name := range names {
		fmt.Fprintf(sum, "%s\x00", name)
		if info, err := os.Lstat(filepath.Join(o.worktree, filepath.FromSlash(name))); err == nil {
			fmt.Fprintln(sum, info.Size(), info.Mode(), info.ModTime().UnixNano())
		}
	}
	return sum.Sum64()
}
