package report

import (
	"fmt"
	"slices"
	"strings"

	"delegate/registry"
)

// anchor names an agent's part of the page by its place, since ids are what agents and people wrote.
func anchor(agents []Agent, id string) string {
	if i := slices.IndexFunc(agents, func(a Agent) bool { return a.ID == id }); i >= 0 {
		return fmt.Sprintf("agent-%d", i+1)
	}
	return ""
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
