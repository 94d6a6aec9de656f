package registry

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The requirement's table: every pair of states that may follow one another, and who decides it.
const lifeTable = `
PENDING SPAWNING supervisor
SPAWNING RUNNING supervisor
SPAWNING FAILED supervisor
RUNNING CHECKPOINT supervisor
RUNNING COMPLETE supervisor
RUNNING FAILED supervisor
CHECKPOINT RUNNING person semi
CHECKPOINT COMPLETE person
CHECKPOINT FAILED supervisor
COMPLETE MERGED person
COMPLETE RUNNING person
COMPLETE ABORTED person
FAILED SPAWNING person supervisor
FAILED RUNNING person
FAILED COMPLETE person
FAILED MERGED person
MERGED COMPLETE person
PENDING ABORTED person
SPAWNING ABORTED person
RUNNING ABORTED person
CHECKPOINT ABORTED person
FAILED ABORTED person
`

func allKinds() []Kind {
	return []Kind{
		EventSessionStarted, EventApproved, EventSpawning, EventSpawned, EventCheckpoint, EventContinued, EventComplete,
		EventForced, EventFailed, EventRetried, EventExtended, EventMerged, EventSalvaged, EventRejected, EventSentBack,
		EventAborted, EventRolledBack, EventNudged, EventRespawned, EventEscalated, EventMessage, EventInterrupted,
		EventResumed, EventViolation, EventScopeChanged, EventConflict, EventResolved, EventOverridden, EventLate,
		EventIntegrated,
		EventSessionComplete, EventSessionAborted,
	}
}

func TestTableIsTheRequirement(t *testing.T) {
	want := map[string]bool{}
	for line := range strings.SplitSeq(strings.TrimSpace(lifeTable), "\n") {
		words := strings.Fields(line)
		for _, who := range words[2:] {
			want[words[0]+" "+words[1]+" "+who] = true
			if who == "supervisor" {
				want[words[0]+" "+words[1]+" semi"] = true
			}
		}
	}
	names := map[Decider]string{Supervisor: "supervisor", Person: "person", SemiAutonomous: "semi"}
	got := map[string]bool{}
	for _, from := range statuses() {
		for _, k := range allKinds() {
			for by, name := range names {
				to, err := Next(from, k, by)
				if err == nil {
					got[string(from)+" "+string(to)+" "+name] = true
					continue
				}
				refused := as[*TransitionError](t, err)
				if refused.From != from || refused.Event != k || refused.By != by {
					t.Errorf("error %+v of %s %s", refused, from, k)
				}
			}
		}
	}
	for pair := range want {
		if !got[pair] {
			t.Errorf("%s is required and not possible", pair)
		}
	}
	for pair := range got {
		if !want[pair] {
			t.Errorf("%s is possible and not required", pair)
		}
	}
}

// An event leads to one state only, so that an error can name it.
func TestEventHasOneDestination(t *testing.T) {
	to := map[Kind]Status{}
	for _, tr := range Transitions() {
		if was, ok := to[tr.Event]; ok && was != tr.To {
			t.Errorf("%s leads to %s and %s", tr.Event, was, tr.To)
		}
		to[tr.Event] = tr.To
	}
}

func TestTransitionErrorNamesAll(t *testing.T) {
	_, err := changed([]byte(update(t, string(New()), twoAgents)), func(tx *Tx) error {
		return tx.Transition("AGT-002", Event{Kind: EventMerged}, Supervisor, nil)
	})
	as[*TransitionError](t, err)
	for _, word := range []string{"AGT-002 is queued and cannot be merged by the supervisor",
		"it can be spawning (to starting) by the supervisor, aborted by the person"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not name %q", err, word)
		}
	}
}

// TestAPersonIsToldCommands: of what is possible a person reads what can be typed, not what the supervisor may do.
func TestAPersonIsToldCommands(t *testing.T) {
	for from, want := range map[Status]string{
		Checkpoint: "needs you and cannot be rolled back (to ready); you can type for it: delegate continue, " +
			"delegate force-complete, delegate takeover, delegate abort",
		Pending: "is queued and cannot be rolled back (to ready); you can type for it: delegate abort",
		Running: "is working and cannot be rolled back (to ready); you can type for it: delegate message, " +
			"delegate interrupt, delegate abort",
		Failed: "is failed and cannot be rolled back (to ready); you can type for it: delegate force-complete, " +
			"delegate takeover, delegate retry, delegate extend, delegate message, delegate sync merge, delegate abort",
		Aborted: "is aborted and cannot be rolled back (to ready); no command changes it any more",
	} {
		_, err := Next(from, EventRolledBack, Person)
		if got := fmt.Sprint(err); got != " "+want {
			t.Errorf("%s:\n got%s\nwant %s", from, got, want)
		}
	}
	for _, tr := range Transitions() {
		if command := commandOf(tr.Event); command == "" && tr.By == Person || command != "" && tr.By == Supervisor {
			t.Errorf("%s by the %s: command %q", tr.Event, tr.By, command)
		}
	}
}

func TestSessionTransitions(t *testing.T) {
	all := []SessionStatus{SessionActive, SessionMerging, SessionComplete, SessionAborted}
	want := "ACTIVE>MERGING ACTIVE>COMPLETE ACTIVE>ABORTED MERGING>ACTIVE"
	var got []string
	for _, from := range all {
		for _, to := range all {
			if nextSession("DEL-20260102-150405", from, to) == nil {
				got = append(got, fmt.Sprintf("%s>%s", from, to))
			}
		}
	}
	if strings.Join(got, " ") != want {
		t.Errorf("got %q", got)
	}
}

// FuzzTransitions runs random events through documents and holds what must always be true.
func FuzzTransitions(f *testing.F) {
	f.Add(uint64(1), uint8(20))
	f.Add(uint64(99), uint8(200))
	f.Fuzz(func(t *testing.T, seed uint64, steps uint8) {
		random := rand.New(rand.NewPCG(seed, 0))
		data := []byte(update(t, string(New()), twoAgents))
		rows := 1
		for range steps % 150 {
			doc, err := Parse(data)
			if err != nil {
				t.Fatalf("%v in\n%s", err, data)
			}
			agent := doc.state.Agents[random.IntN(2)]
			kinds := allKinds()
			e := Event{Kind: kinds[random.IntN(len(kinds))], Details: "d", By: "jane"}
			by := []Decider{Supervisor, Person, SemiAutonomous}[random.IntN(3)]
			next, err := changed(data, func(tx *Tx) error { return tx.Transition(agent.ID, e, by, nil) })
			if err != nil {
				as[*TransitionError](t, err)
				continue
			}
			rows++
			data = next
			invariants(t, data, rows)
		}
	})
}

func invariants(t *testing.T, data []byte, rows int) {
	t.Helper()
	doc, err := Parse(data)
	if err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	if len(doc.state.Events) != rows {
		t.Fatalf("%d rows, want %d", len(doc.state.Events), rows)
	}
	var pending []string
	for _, a := range doc.state.Agents {
		if doc.agent(a.ID).older != a.Status.Ended() {
			t.Errorf("%s is %s and stands in the wrong section", a.ID, a.Status)
		}
		if a.Status == Complete {
			pending = append(pending, "- "+a.ID)
		}
	}
	var listed []string
	for _, n := range doc.section(pendingRole).nodes(pendingLine) {
		listed = append(listed, n.text)
	}
	if !slices.Equal(pending, listed) {
		t.Errorf("pending merges %q, want %q", listed, pending)
	}
}
