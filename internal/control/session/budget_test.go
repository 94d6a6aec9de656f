package session_test

import (
	"testing"

	"delegate/internal/control/session"
	"delegate/registry"
)

// TestPausedByAPerson holds that the name of who paused a session does not decide how it goes on.
func TestPausedByAPerson(t *testing.T) {
	s := registry.Session{Paused: "its budget officer, 2026-01-02T15:04:05Z"}
	if next := session.ResumeNext(s); next != "delegate resume" {
		t.Errorf("paused by a person: %q", next)
	}
	s.BudgetUsedUp = true
	if next := session.ResumeNext(s); next != session.BudgetNext {
		t.Errorf("paused by its budget: %q", next)
	}
}
