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
	History   []row // of conflicts: what was found and what was resolved
	Matrix    matrix
	Time      timeline
}

// totals are the numbers at the head of the page.
type totals struct {
	Agents                       int
	States                       []count
	Files, Insertions, Deletions int
	Conflicts                    int    // found up to now, those that are resolved as well
	Worst                        string // of the open findings' severities, "" for none
}

type count struct {
	Name string
	N    int
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
		switch r.Kind {
		case registry.EventViolation:
			v.Breaches = append(v.Breaches, r)
		case registry.EventConflict, registry.EventResolved:
			v.History = append(v.History, r)
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
		changed := extentOf(a)
		t.Insertions += changed.Insertions
		t.Deletions += changed.Deletions
		for _, f := range a.Files {
			files[f.Path] = true
		}
		if len(a.Files) == 0 {
			for _, path := range a.ChangedFiles() {
				files[path] = true
			}
		}
	}
	t.Files = len(files)
	// a comparison found what the supervisor has not recorded
	t.Conflicts = max(registry.CountConflicts(d.Events, nil).Found, len(d.Findings))
	for _, s := range order {
		if n[s] > 0 {
			t.States = append(t.States, count{s.Word(), n[s]})
		}
	}
	for _, s := range []conflict.Severity{conflict.Error, conflict.Warning, conflict.Info} {
		if t.Worst == "" && slices.ContainsFunc(d.Findings, func(f conflict.Finding) bool { return f.Severity == s }) {
			t.Worst = string(s)
		}
	}
	return t
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
				if (r.Agent == "" || r.Agent == a.ID) && len(l.Digest) >= 7 &&
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
		registry.EventExtended: "gave more time", registry.EventMerged: "merged",
		registry.EventSalvaged: "merged after a failure", registry.EventRejected: "rejected",
		registry.EventSentBack: "sent back", registry.EventAborted: "aborted", registry.EventRolledBack: "rolled back",
		registry.EventMessage:     "wrote to it",
		registry.EventInterrupted: "interrupted", registry.EventResumed: "let it go on",
		registry.EventScopeChanged: "changed the scope",
		registry.EventResolved:     "resolved a conflict", registry.EventOverridden: "overrode",
		registry.EventSessionComplete: "closed the session",
		registry.EventSessionAborted:  "aborted the session",
	}[k]
	if said == "" {
		return strings.ToLower(strings.ReplaceAll(string(k), "_", " "))
	}
	return said
}
