package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"delegate/conflict"
	"delegate/registry"
)

// view is a page's data in the order and form in which the templates print it.
type view struct {
	Data
	Style     template.CSS
	End       time.Time // of the time that the page is about
	Over      bool
	Totals    totals
	Plan      planView
	Agents    []agentView
	Rows      []row
	Unlisted  int // rows that are left out
	Decisions []decision
	Breaches  []row
	Matrix    matrix
	Time      timeline
}

// totals are the numbers at the head of the page.
type totals struct {
	Agents                       int
	States                       []count
	Files, Insertions, Deletions int
	Worst                        string // of the findings' severities, "" for none
	Tokens                       int
}

type count struct {
	Name string
	N    int
}

// agentView is an agent with its anchor and what belongs to it elsewhere on the page.
type agentView struct {
	Agent
	Anchor  string
	Changed extent
	Files   []fileView
	Hidden  int // lines of its patches that are not on the page
	Rows    []row
}

// extent is how much an agent changed.
type extent struct{ N, Insertions, Deletions int }

// extentOf counts the files that are at hand, and takes the registry's word where none are.
func extentOf(a Agent) extent {
	if len(a.Files) == 0 {
		return extent{len(a.FilesModified), a.Insertions, a.Deletions}
	}
	e := extent{N: len(a.Files)}
	for _, f := range a.Files {
		e.Insertions += f.Insertions
		e.Deletions += f.Deletions
	}
	return e
}

// fileView is a file with its anchor.
type fileView struct {
	File
	Anchor string
	Open   bool
}

// row is an event with its anchor and the classes it is filtered by.
type row struct {
	registry.Event
	Anchor string
	Day    string // if it is the first of its day
	Person bool
	Sort   string // trouble, turn or info
	Link   string // to the agent
}

// decision is an event by a person.
type decision struct {
	row
	Did    string
	Digest string // of what was approved, whole, if git tells
	Commit string // whose trailer has that digest
}

func newView(d Data) view {
	v := view{Data: d, End: d.Made}
	v.Over = d.Session.Status == registry.SessionComplete || d.Session.Status == registry.SessionAborted
	if n := len(d.Events); n > 0 && v.Over {
		v.End = d.Events[n-1].Time
	}
	v.Rows = rowsOf(d)
	for _, r := range v.Rows {
		if r.Kind == registry.EventViolation {
			v.Breaches = append(v.Breaches, r)
		}
	}
	v.agents()
	v.Totals = totalsOf(d)
	v.Plan = newPlan(d.Agents)
	v.Matrix = newMatrix(d, v.Agents)
	v.Time = newTimeline(d, v.Rows, v.End)
	v.Decisions = decisionsOf(d, v.Rows)
	if len(v.Rows) > mostListed {
		v.Unlisted = len(v.Rows) - mostListed
		v.Rows = v.Rows[v.Unlisted:]
	}
	return v
}

// anchor names an agent's part of the page by its place, since ids are what agents and people wrote.
func anchor(agents []Agent, id string) string {
	if i := slices.IndexFunc(agents, func(a Agent) bool { return a.ID == id }); i >= 0 {
		return fmt.Sprintf("agent-%d", i+1)
	}
	return ""
}

func (v *view) agents() {
	full, open := 0, 0
	for _, a := range v.Data.Agents {
		one := agentView{Agent: a, Anchor: anchor(v.Data.Agents, a.ID), Changed: extentOf(a)}
		one.Tail = lastLines(a.Tail)
		for i, f := range a.Files {
			if full += f.bytes(); full > mostOfAll {
				f.withhold()
			}
			shown := fileView{File: f, Anchor: fmt.Sprintf("%s-file-%d", one.Anchor, i+1)}
			if n := len(f.Lines); n > 0 && n <= mostOpen && open+n <= mostOpenAll {
				shown.Open, open = true, open+n
			}
			one.Hidden += f.Cut
			one.Files = append(one.Files, shown)
		}
		for _, r := range v.Rows {
			if r.Agent == a.ID {
				one.Rows = append(one.Rows, r)
			}
		}
		v.Agents = append(v.Agents, one)
	}
	for i, t := range v.Tests {
		v.Tests[i].Output = lastLines(t.Output)
	}
}

func totalsOf(d Data) totals {
	t := totals{Agents: len(d.Agents)}
	files := map[string]bool{}
	order := []registry.Status{registry.Merged, registry.Complete, registry.Running, registry.Spawning,
		registry.Checkpoint, registry.Failed, registry.Aborted, registry.Pending}
	n := map[registry.Status]int{}
	for _, a := range d.Agents {
		n[a.Status]++
		t.Tokens += a.Tokens
		changed := extentOf(a)
		t.Insertions += changed.Insertions
		t.Deletions += changed.Deletions
		for _, f := range a.Files {
			files[f.Path] = true
		}
		if len(a.Files) == 0 {
			for _, path := range a.FilesModified {
				files[path] = true
			}
		}
	}
	t.Files = len(files)
	for _, s := range order {
		if n[s] > 0 {
			t.States = append(t.States, count{string(s), n[s]})
		}
	}
	for _, s := range []conflict.Severity{conflict.Error, conflict.Warning, conflict.Info} {
		if t.Worst == "" && slices.ContainsFunc(d.Findings, func(f conflict.Finding) bool { return f.Severity == s }) {
			t.Worst = string(s)
		}
	}
	return t
}

// rowsOf are the events with their anchors.
func rowsOf(d Data) []row {
	rows := make([]row, 0, len(d.Events))
	day := ""
	for i, e := range d.Events {
		r := row{Event: e, Anchor: fmt.Sprintf("event-%d", i+1), Sort: sortOfEvent(e.Kind), Person: byPerson(e),
			Link: anchor(d.Agents, e.Agent)}
		if today := e.Time.UTC().Format("Monday, 2 January 2006"); today != day {
			r.Day, day = today, today
		}
		rows = append(rows, r)
	}
	return rows
}

// byPerson says whether a person decided. The supervisor and agents sign by what they are.
func byPerson(e registry.Event) bool {
	return e.By != "" && e.By != "supervisor" && e.By != e.Agent && !strings.HasPrefix(e.By, "AGT-")
}

func sortOfEvent(k registry.Kind) string {
	switch k {
	case registry.EventFailed, registry.EventViolation, registry.EventConflict, registry.EventEscalated,
		registry.EventNudged, registry.EventRespawned,
		registry.EventLate, registry.EventOverridden, registry.EventRolledBack, registry.EventAborted,
		registry.EventSessionAborted:
		return "trouble"
	case registry.EventSpawning, registry.EventSpawned, registry.EventCheckpoint, registry.EventComplete,
		registry.EventMerged, registry.EventSalvaged,
		registry.EventContinued, registry.EventRetried, registry.EventResumed, registry.EventExtended,
		registry.EventSentBack, registry.EventForced:
		return "turn"
	}
	return "info"
}

// decisionsOf are the rows of people, those of landings with the digest that the commit has.
func decisionsOf(d Data, rows []row) (all []decision) {
	for _, r := range rows {
		if !r.Person {
			continue
		}
		one := decision{row: r, Did: did(r.Kind)}
		for _, a := range d.Agents {
			for _, l := range a.Landings {
				if (r.Agent == "" || r.Agent == a.ID) && len(l.Digest) > 7 &&
					strings.Contains(r.Details, "digest "+l.Digest[:7]) {
					one.Digest, one.Commit = l.Digest, l.Commit
				}
			}
		}
		all = append(all, one)
	}
	return all
}

// did is a decision as a verb.
func did(k registry.Kind) string {
	said := map[registry.Kind]string{
		registry.EventApproved: "approved", registry.EventContinued: "answered",
		registry.EventForced: "declared complete", registry.EventRetried: "had it tried again",
		registry.EventExtended: "gave more time", registry.EventMerged: "landed",
		registry.EventSalvaged: "landed after a failure", registry.EventRejected: "rejected",
		registry.EventSentBack: "sent back", registry.EventAborted: "aborted", registry.EventRolledBack: "rolled back",
		registry.EventMessage:     "wrote to it",
		registry.EventInterrupted: "interrupted", registry.EventResumed: "let it go on",
		registry.EventScopeChanged: "changed the scope",
		registry.EventResolved:     "settled a conflict", registry.EventOverridden: "overrode",
		registry.EventSessionComplete: "closed the session",
		registry.EventSessionAborted:  "aborted the session",
	}[k]
	if said == "" {
		return strings.ToLower(strings.ReplaceAll(string(k), "_", " "))
	}
	return said
}
