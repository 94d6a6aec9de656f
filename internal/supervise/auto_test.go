//go:build linux

package supervise

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/registry"
)

// What finishes while a gathering that went wrong is not tried again is gathered at once.
func TestGatheringAfterOneThatWentWrong(t *testing.T) {
	t.Parallel()
	clock, tries, fault := time.Duration(0), 0, errors.New("not now")
	s := &supervisor{busy: map[lane]*operation{}, snapshot: snapshot{
		o:    Options{Integrate: func(context.Context) error { tries++; return fault }},
		mono: func() time.Duration { return clock }, wake: func() {},
		state: registry.State{
			Session: &registry.Session{Status: registry.SessionActive, Supervision: session.SemiAutonomous},
			Agents: []registry.Agent{{ID: "AGT-001", Status: registry.Complete, Head: "1"},
				{ID: "AGT-002", Status: registry.Running}},
		},
	}}
	look := func(what string, want int) {
		t.Helper()
		s.integrate(t.Context())
		if op := s.busy[lane{"", ofIntegration}]; op != nil {
			if err := <-op.done; err == nil {
				op.then()
			}
			delete(s.busy, lane{"", ofIntegration})
		}
		if tries != want {
			t.Errorf("%s: %d tries, want %d", what, tries, want)
		}
	}
	look("first work", 1)
	clock += time.Second
	look("a moment after it went wrong", 1)
	s.state.Agents[1] = registry.Agent{ID: "AGT-002", Status: registry.Complete, Head: "2"}
	look("more work", 2)
	clock += time.Second
	look("a moment after that went wrong", 2)
	clock, fault = clock+gatherEvery, nil
	look("later", 3)
	clock += gatherEvery
	look("when all is gathered", 3)
}

// Of many agents some are started at once, and the others when these have been.
func TestFewAreStartedAtOnce(t *testing.T) {
	t.Parallel()
	s := &supervisor{busy: map[lane]*operation{}, snapshot: snapshot{p: &project.Project{}, state: registry.State{
		Session: &registry.Session{Status: registry.SessionActive, PlanApproved: "Ada"}}}}
	for n := range startsAtOnce {
		s.busy[lane{agent: fmt.Sprint(n)}] = &operation{name: spawning}
	}
	s.step(t.Context(), registry.Agent{ID: "AGT-009", Status: registry.Pending})
	s.step(t.Context(), registry.Agent{ID: "AGT-010", Status: registry.Spawning})
	if len(s.busy) != startsAtOnce {
		t.Error("one more is started")
	}
	s.busy[lane{agent: "0"}].after = time.Now().Add(time.Hour) // it waits to be tried again
	if s.starting() != startsAtOnce-1 {
		t.Errorf("%d are started", s.starting())
	}
}

// An agent that is being started has its slot also before the registry tells of it.
func TestStartingAgentHoldsItsSlot(t *testing.T) {
	t.Parallel()
	read := func() registry.State {
		return registry.State{
			Session: &registry.Session{Status: registry.SessionActive, MaxParallel: 1, PlanApproved: "Ada"},
			Agents: []registry.Agent{{ID: "AGT-001", Status: registry.Pending},
				{ID: "AGT-002", Status: registry.Pending}},
		}
	}
	s := &supervisor{busy: map[lane]*operation{{agent: "AGT-001"}: {name: spawning}}}
	if s.takeState(read()); session.MayStart(s.state, s.state.Agents[1]) {
		t.Error("the slot is given away")
	}
	s.busy[lane{agent: "AGT-001"}].after = time.Now().Add(time.Hour) // it went wrong
	if s.takeState(read()); !session.MayStart(s.state, s.state.Agents[1]) {
		t.Error("who cannot be started keeps the slot")
	}
}
