package main

import (
	"strings"
	"testing"

	"delegate/conflict"
	"delegate/internal/land/candidate"
)

// TestRequest holds that an agent that is sent back is told what to edit for what is sure and for what is suspected,
// and nothing of what a checker refuted.
func TestRequest(t *testing.T) {
	finding := func(severity conflict.Severity, edit string) conflict.Finding {
		return conflict.Finding{Type: conflict.APIConflict, Severity: severity, Blocking: severity == conflict.Error,
			Message: "It is so.", Edit: edit}
	}
	r := &resolver{app: &app{}, target: "main", member: candidate.Member{Findings: []conflict.Finding{
		finding(conflict.Error, "Call b in place of a."), finding(conflict.Warning, "Write c in place of d."),
		finding(conflict.Info, "Do without e.")}}}
	got := r.request("")
	for _, edit := range []string{"Call b in place of a.", "Write c in place of d."} {
		if !strings.Contains(got, "It is so. "+edit) {
			t.Errorf("%q is missing in %q", edit, got)
		}
	}
	if strings.Contains(got, "Do without e.") {
		t.Errorf("what was refuted is told in %q", got)
	}
}
