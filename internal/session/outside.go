package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/change"
	"delegate/internal/atomicfile"
	"delegate/internal/project"
	"delegate/internal/takeover"
	"delegate/registry"
)

// openBreach is a breach that stands in the registry and still is in the agent's work.
type openBreach struct {
	Turn      int       `json:"turn"`  // in which its last row was written
	State     string    `json:"state"` // what the path has, by mode and id
	Reason    string    `json:"reason"`
	Allowable bool      `json:"allowable"`
	Since     time.Time `json:"since"`
	Told      bool      `json:"told"` // a person sent it back to the agent
}

// readOpen are the open breaches of an agent's attempt by their paths. If they are lost, they are
// found and recorded again.
func readOpen(p *project.Project, session string, a registry.Agent) (map[string]openBreach, error) {
	open := map[string]openBreach{}
	data, err := os.ReadFile(openFile(p, session, a))
	if errors.Is(err, fs.ErrNotExist) {
		return open, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &open)
	}
	if err != nil {
		return nil, fmt.Errorf("read open violations of %s: %w", a.ID, err)
	}
	return open, nil
}

func openFile(p *project.Project, session string, a registry.Agent) string {
	return filepath.Join(p.AgentState(session, a.ID), fmt.Sprintf("violations-%d.json", a.Attempt))
}

// changeOpen changes them under their lock: the supervisor and a person's commands do.
func changeOpen(ctx context.Context, p *project.Project, session string, a registry.Agent, change func(map[string]openBreach)) error {
	path := openFile(p, session, a)
	lock, err := atomicfile.Lock(ctx, path+".lock")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	open, err := readOpen(p, session, a)
	if err != nil {
		return err
	}
	before := len(open)
	change(open)
	if before+len(open) == 0 {
		return nil
	}
	data, err := json.Marshal(open)
	if err != nil {
		return fmt.Errorf("note open violations of %s: %w", a.ID, err)
	}
	return atomicfile.WriteFile(path, data, 0o600)
}

// sighting is what one look at an agent's work found outside of its scope.
type sighting struct {
	breaches []project.Breach
	states   map[string]string
	where    string // the layer that looked
}

// sight holds together what a look found, with what is wrong in the agent's git and in the files
// that tie the worktree to the repository.
func sight(p *project.Project, a registry.Agent, work project.Work, where string) sighting {
	g := sighting{breaches: work.Breaches, states: map[string]string{}, where: where}
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
	if err := checkout.CheckPointers(); err != nil {
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

// isFresh reports whether a breach is worth a row: one that is not open, or was changed again in a
// later turn than that of its row.
// A file that is written on and on in one turn is one breach.
func (g sighting) isFresh(open map[string]openBreach, path string, turn int) bool {
	known, is := open[path]
	return !is || known.Turn != turn && known.State != g.states[path]
}

func (g sighting) fresh(open map[string]openBreach, turn int) []project.Breach {
	return slices.DeleteFunc(slices.Clone(g.breaches), func(b project.Breach) bool {
		return !g.isFresh(open, b.Path, turn)
	})
}

// mostRows bounds what one look writes into the registry: a tool that formats everything is one mistake.
const mostRows = 50

// record writes a row for each of the breaches.
func (g sighting) record(tx *registry.Tx, id string, fresh []project.Breach) error {
	var rows []string
	for _, b := range fresh[:min(len(fresh), mostRows)] {
		rows = append(rows, b.String())
	}
	if more := len(fresh) - len(rows); more > 0 {
		rows = append(rows, fmt.Sprintf("%d more paths, which delegate review lists", more))
	}
	for _, row := range rows {
		e := registry.Event{Kind: registry.EventViolation, Agent: id, By: bySupervisor,
			Details: fmt.Sprintf("changed outside its scope (%s): %s", g.where, row)}
		if err := tx.Record(e, func(a *registry.Agent) { a.Violations++ }); err != nil {
			return err
		}
	}
	return nil
}

// remember notes which breaches are open now. Those that are no more are forgotten, so that one
// that comes back is a new one.
func (g sighting) remember(ctx context.Context, p *project.Project, session string, a registry.Agent) error {
	return changeOpen(ctx, p, session, a, func(open map[string]openBreach) {
		g.forget(open)
		for _, b := range g.breaches {
			o := open[b.Path]
			if g.isFresh(open, b.Path, a.Turns) {
				o = openBreach{Turn: a.Turns, Since: p.Now().UTC()}
			}
			o.State, o.Reason, o.Allowable = g.states[b.Path], b.Reason, b.Allowable
			open[b.Path] = o
		}
	})
}

// forget drops what was not found any more.
func (g sighting) forget(open map[string]openBreach) {
	for path := range open {
		if !slices.ContainsFunc(g.breaches, func(b project.Breach) bool { return b.Path == path }) {
			delete(open, path)
		}
	}
}

// pastBreaches is a text for each path outside of the agent's scope that its commits have and its
// head does not: such a commit went past the hook.
// A path that a row names already is not told again. Of a rewritten history nothing is known but
// that, which is flagged.
func (s *supervisor) pastBreaches(ctx context.Context, a registry.Agent, work project.Work) ([]string, error) {
	if work.Rewritten {
		return nil, nil
	}
	all, err := s.p.PastBreaches(ctx, a, project.Span{From: work.Fork, To: work.Head, Changes: work.Files})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(past project.PastBreach) bool {
		return slices.ContainsFunc(s.state.Events, func(e registry.Event) bool {
			return e.Agent == a.ID && e.Kind == registry.EventViolation && strings.Contains(e.Details, past.Path)
		})
	})
	var texts []string
	for _, past := range all[:min(len(all), mostRows)] {
		texts = append(texts, fmt.Sprintf(
			"committed outside its scope (commit %.12s, %q): its head does not have it, its history does", past.Commit,
			past.Path))
	}
	return texts, nil
}

// mostOccasions is on how many occasions an agent may do in one turn what it may not.
// What is found at the same time is one occasion, however many paths it is.
const mostOccasions = 50

const stoppedViolations = "violations"

// repeats reports whether the agent went on and on doing what it may not, whichever layer refused or found it.
func (s *supervisor) repeats(a registry.Agent, w *watch) bool {
	if a.Violations == w.patrol.counted {
		return false
	}
	w.patrol.counted = a.Violations
	record, err := w.turn.Record()
	if err != nil {
		return false
	}
	return occasions(s.state.Events, a.ID, record.Started.Truncate(time.Second)) > mostOccasions
}

// occasions counts the moments since then at which rows of violations were written for the agent.
func occasions(events []registry.Event, id string, since time.Time) int {
	moments := map[time.Time]bool{}
	for _, e := range events {
		if e.Agent == id && e.Kind == registry.EventViolation && !e.Time.Before(since) {
			moments[e.Time.UTC()] = true
		}
	}
	return len(moments)
}

// Outside is a change outside of an agent's scope that a person has not answered.
type Outside struct {
	Path, Reason string
	Allowable    bool // the scope can be widened by it
}

func (o Outside) String() string { return project.Breach{Path: o.Path, Reason: o.Reason}.String() }

// violationPoints are the agents whose work holds such changes, also while they go on.
func violationPoints(p *project.Project, state registry.State) []Point {
	var all []Point
	for _, a := range state.Agents {
		if a.Turns == 0 || a.Status.Ended() {
			continue
		}
		open, err := readOpen(p, state.Session.ID, a)
		if err != nil {
			continue // a landing finds them again
		}
		point := Point{Kind: ViolationPoint, Agent: a.ID, Next: "delegate review"}
		for path, o := range open {
			if o.Told {
				continue
			}
			point.Outside = append(point.Outside, Outside{Path: path, Reason: o.Reason, Allowable: o.Allowable})
			if point.Since.IsZero() || o.Since.Before(point.Since) {
				point.Since = o.Since
			}
		}
		if len(point.Outside) == 0 {
			continue
		}
		slices.SortFunc(point.Outside, func(x, y Outside) int { return strings.Compare(x.Path, y.Path) })
		point.Text = "changed outside its scope: " + point.Outside[0].String()
		if more := len(point.Outside) - 1; more > 0 {
			point.Text += fmt.Sprintf(" (and %d more)", more)
		}
		all = append(all, point)
	}
	return all
}
