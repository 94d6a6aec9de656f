package scopemonitor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"delegate/change"
	"delegate/internal/control/session"
	"delegate/internal/intake/takeover"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/registry"
)

// Found is what one look at an agent's work found outside of its scope.
type Found struct {
	breaches []project.Breach
	states   map[string]string
	where    string // the layer that looked
}

// Scan holds together what a look found, with what is wrong in the agent's git and in the files
// that tie the worktree to the repository.
func Scan(p *project.Project, a registry.Agent, work project.Work, where string) Found {
	g := Found{breaches: work.Breaches, states: map[string]string{}, where: where}
	for _, f := range work.Files {
		g.states[f.Path] = fmt.Sprintf("%o %s", f.NewMode, f.NewID)
		if f.Kind == change.Renamed {
			g.states[f.OldPath] = "moved away"
		}
	}
	checkout, err := takeover.Open(p.Repo, a.Worktree, a.Branch)
	if err != nil {
		return g
	}
	faults := work.Faults
	if err := checkout.Repo.CheckPointers(); err != nil {
		faults = append(slices.Clone(faults), err.Error())
	}
	if len(faults) > 0 {
		reason := strings.Join(faults, "; ")
		g.breaches = append(slices.Clone(g.breaches), project.Breach{Path: pointerPath, Reason: reason})
		g.states[pointerPath] = reason
	}
	return g
}

// pointerPath is the file of a worktree that leads git to the repository.
const pointerPath = ".git"

// isNew reports whether a breach is worth a row: one that is not open, or was changed again in a
// later turn than that of its row. A file that is written on and on in one turn is one breach.
func (g Found) isNew(open map[string]session.OpenBreach, path string, turn int) bool {
	known, is := open[path]
	return !is || known.Turn != turn && known.State != g.states[path]
}

func (g Found) NewSince(open map[string]session.OpenBreach, turn int) []project.Breach {
	return slices.DeleteFunc(slices.Clone(g.breaches), func(b project.Breach) bool {
		return !g.isNew(open, b.Path, turn)
	})
}

// MostRows bounds what one look writes into the registry: a tool that formats everything is one mistake.
const MostRows = 50

// Record writes a row for each of the breaches.
func (g Found) Record(tx *registry.Tx, p *project.Project, a registry.Agent, fresh []project.Breach) error {
	var rows []string
	for _, b := range fresh[:min(len(fresh), MostRows)] {
		rows = append(rows, b.String())
	}
	if more := len(fresh) - len(rows); more > 0 {
		rows = append(rows, ui.Plural(more, "more path")+", which delegate review lists")
	}
	count := (*registry.Agent).AddViolation
	for _, row := range rows {
		e := registry.Event{Kind: registry.EventViolation, Agent: a.ID, By: session.BySupervisor,
			Details: p.Recorded(a, fmt.Sprintf("changed outside its scope (%s): %s", g.where, row))}
		if err := tx.Record(e, count); err != nil {
			return err
		}
		count = (*registry.Agent).AddViolationPath // one look counts once for the limit of a turn
	}
	return nil
}

// Announce notes the breaches that have no row yet, before the record says that the turn is over: else the agent would
// look done for a moment. To NewSince they stay new.
func (g Found) Announce(ctx context.Context, p *project.Project, sessionID string, a registry.Agent,
	fresh []project.Breach) error {
	if len(fresh) == 0 {
		return nil
	}
	return session.ChangeBreaches(ctx, p, sessionID, a, func(open map[string]session.OpenBreach) {
		for _, b := range fresh {
			o, known := open[b.Path]
			if !known {
				o.Since = p.Now().UTC()
			}
			o.Answered, o.Reason, o.Allowable = false, b.Reason, b.Allowable
			open[b.Path] = o
		}
	})
}

// Remember notes which breaches are open now, and for which of them Record wrote rows. Those that are no more are
// forgotten, so that one that comes back is a new one.
func (g Found) Remember(ctx context.Context, p *project.Project, sessionID string, a registry.Agent,
	fresh []project.Breach) error {
	rows := map[string]int{}
	for i, b := range fresh {
		rows[b.Path] += min(1, max(0, MostRows-i))
	}
	if err := session.AddRecordedRows(ctx, p, sessionID, a, rows); err != nil {
		return err
	}
	return session.ChangeBreaches(ctx, p, sessionID, a, func(open map[string]session.OpenBreach) {
		g.Forget(open)
		for _, b := range g.breaches {
			o := open[b.Path]
			if g.isNew(open, b.Path, a.Turns) {
				o = session.OpenBreach{Turn: a.Turns, Since: p.Now().UTC()}
			}
			o.State, o.Reason, o.Allowable = g.states[b.Path], b.Reason, b.Allowable
			open[b.Path] = o
		}
	})
}

// Forget drops what was not found any more.
func (g Found) Forget(open map[string]session.OpenBreach) {
	for path := range open {
		if !slices.ContainsFunc(g.breaches, func(b project.Breach) bool { return b.Path == path }) {
			delete(open, path)
		}
	}
}
