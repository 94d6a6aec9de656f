package registry

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

var errNoName = errors.New("record: the event has no name")

// Tx is a transaction: a change of a copy of the registry's values by the function that is passed to Document.Change.
// If that function returns an error, the change is discarded. A Tx must not be used after the function has returned,
// and not by several goroutines at once.
type Tx struct {
	state State
	added []Event
	now   time.Time
	taken func(sessionID string) bool
	named func(name string) bool
	ended *State // the session as it ended; its archive is to be written
}

// State returns a copy of the values, with the changes of this transaction.
func (t *Tx) State() State { return t.state.clone() }

// Locate does what State.Locate does, in the values of the transaction.
func (t *Tx) Locate(at func(session string, a Agent) string) { t.state.Locate(at) }

// Ended reports whether EndSession was called.
func (t *Tx) Ended() bool { return t.ended != nil }

// Try calls fn and returns its error. If that is not nil, the changes that fn made are undone.
func (t *Tx) Try(fn func(*Tx) error) error {
	before := *t
	before.state, before.added = t.state.clone(), slices.Clone(t.added)
	err := fn(t)
	if err != nil {
		*t = before
	}
	return err
}

// Transition changes the state of the agent with that id by the event e, as Next says, and adds the event. edit changes
// other fields in the same transaction; it can be nil, and must not change ID and Status.
// The error is a *TransitionError or an *UnknownAgentError, or wraps ErrNoSession.
func (t *Tx) Transition(agent string, e Event, by Decider, edit func(*Agent)) error {
	a, err := t.agent(agent)
	if err != nil {
		return err
	}
	to, err := Next(a.Status, e.Kind, by)
	if refused := (*TransitionError)(nil); errors.As(err, &refused) {
		refused.Agent = agent
		return refused
	}
	if err := applyEdit(a, edit); err != nil {
		return err
	}
	if a.Status == Complete {
		a.Flags = a.Flags.Without(FlagIntegrated)
	}
	a.Status = to
	e.Agent = agent
	t.state.Stats.moved(e.Kind)
	return t.row(e)
}

// Record adds an event that changes no state. edit changes fields of the agent e.Agent; it can be nil, must be nil if
// e.Agent is "", and must not change ID and Status.
// The error is an *UnknownAgentError, or wraps ErrNoSession.
func (t *Tx) Record(e Event, edit func(*Agent)) error {
	if e.Agent == "" {
		if edit != nil {
			return fmt.Errorf("record %s: fields are to be set but no agent is named", e.Kind)
		}
		return t.row(e)
	}
	if e.Kind == "" {
		return errNoName
	}
	if err := t.Edit(e.Agent, edit); err != nil {
		return err
	}
	return t.row(e)
}

// Edit changes fields of the agent with that id, without an event. fn must not change ID and Status, which is an error.
// The error is an *UnknownAgentError, or wraps ErrNoSession.
func (t *Tx) Edit(agent string, fn func(*Agent)) error {
	a, err := t.agent(agent)
	if err != nil {
		return err
	}
	return applyEdit(a, fn)
}

// AddAgent adds a PENDING agent and returns its id, which is the next free one. a.ID must be empty, and a.Status
// empty or PENDING. If a.Name is empty, the agent gets a name made from its subtask. The error wraps a *NameError if
// the agent cannot have a.Name, and ErrNoSession if there is no session.
func (t *Tx) AddAgent(a Agent) (string, error) {
	if t.state.Session == nil {
		return "", fmt.Errorf("add agent: %w", ErrNoSession)
	}
	if a.ID != "" {
		return "", fmt.Errorf("add agent %q: its id is given here, leave it empty", a.ID)
	}
	return t.add(a)
}

func (t *Tx) add(a Agent) (string, error) {
	if a.Status != "" && a.Status != Pending {
		return "", fmt.Errorf("add agent %q: it is %s, an agent begins as %s", a.Subtask, a.Status, Pending)
	}
	a = a.clone()
	a.Status = Pending
	if a.Name != "" {
		if err := t.state.CheckName(a.Name, t.named); err != nil {
			return "", fmt.Errorf("add agent %q: %w", a.Subtask, err)
		}
	}
	if a.ID == "" {
		a.ID = nextID(t.state.Agents)
	}
	if !validAgentID(a.ID) {
		return "", fmt.Errorf("add agent %q: write the id like AGT-001", a.ID)
	}
	if _, err := t.state.Agent(a.ID); err == nil {
		return "", fmt.Errorf("add agent %q: the id is taken", a.ID)
	}
	t.state.Agents = append(t.state.Agents, a)
	nameAgents(t.state.Agents, t.named)
	t.state.Stats.Agents++
	return a.ID, nil
}

func nextID(agents []Agent) string {
	highest := 0
	for _, a := range agents {
		var n int
		if _, err := fmt.Sscanf(a.ID, "AGT-%d", &n); err == nil {
			highest = max(highest, n)
		}
	}
	return fmt.Sprintf("AGT-%03d", highest+1)
}

func (t *Tx) agent(id string) (*Agent, error) {
	if t.state.Session == nil {
		return nil, fmt.Errorf("agent %q: %w", id, ErrNoSession)
	}
	i := slices.IndexFunc(t.state.Agents, func(a Agent) bool { return a.ID == id })
	if i < 0 {
		return nil, t.state.unknown(id)
	}
	return &t.state.Agents[i], nil
}

// applyEdit sets nothing if the edit touched what only a transition may.
func applyEdit(a *Agent, edit func(*Agent)) error {
	if edit == nil {
		return nil
	}
	changed := a.clone()
	edit(&changed)
	if changed.ID != a.ID || changed.Status != a.Status {
		return fmt.Errorf("edit of agent %q would change its id or status to %q, %s: only an event does that", a.ID,
			changed.ID, changed.Status)
	}
	*a = changed.clone()
	return nil
}

func (t *Tx) row(e Event) error {
	if t.state.Session == nil {
		return fmt.Errorf("record %s: %w", e.Kind, ErrNoSession)
	}
	if e.Kind == "" {
		return errNoName
	}
	if e.Time.IsZero() {
		e.Time = t.now
	}
	e.Time = e.Time.UTC().Truncate(time.Second)
	t.added = append(t.added, e)
	t.state.Events = append(t.state.Events, e)
	t.state.Stats.seen(e.Kind)
	return nil
}
