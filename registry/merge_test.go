package registry

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// FuzzHandEdits puts text and takes lines away somewhere in a version, as a person would, while the
// registry went on from that version. Nothing that the person wrote may be lost, and no row of
// either side.
func FuzzHandEdits(f *testing.F) {
	f.Add(uint16(4), "words", uint16(60), false)
	f.Add(uint16(30), "```\ncode\n```", uint16(10), true)
	f.Add(uint16(40), "- **Mood**: bad\n> quote", uint16(44), false)
	f.Add(uint16(62), "| 2026-01-02T15:04:06Z | TEA | - | mine | |", uint16(61), true)
	f.Add(uint16(49), "#### AGT-003\n- **Status**: FAILED\n", uint16(0), false)
	f.Add(uint16(57), "## Mine\n\nwords\n\n### Deeper", uint16(0), true)
	f.Add(uint16(36), "- **Subtask**: twice", uint16(33), false)
	f.Add(uint16(31), "##@ Mine\n\nwor`s\n\n### Deeper", uint16(0), true)      // cut AGT-001 off from Agents
	f.Add(uint16(46), "##@ Mine\n\nwords\n\n### Deeper", uint16(0), true)      // inside a comment
	f.Add(uint16(123), "#### AGT-000\n* **Status**:FAILED ", uint16(0), false) // an agent before the first one
	f.Fuzz(func(t *testing.T, at uint16, text string, gone uint16, unknownBase bool) {
		base, ours := wentOn(t)
		lines := strings.Split(handwritten, "\n")
		lines = slices.Insert(lines, int(at)%len(lines), strings.Split(text, "\n")...)
		lines = slices.Delete(lines, int(gone)%len(lines), int(gone)%len(lines)+1)
		theirs, err := Parse([]byte(strings.Join(lines, "\n")))
		if err != nil {
			return
		}
		from := base
		if unknownBase {
			from = nil
		}
		merged, left, err := Merge(ours, theirs, from, Archived{})
		if err != nil {
			t.Fatal(err)
		}
		if lost := Without(ours.Rows(), merged.Rows()); len(lost) > 0 {
			t.Errorf("lost our rows %q", lost)
		}
		went := func(a Agent) bool { return a.ID == "AGT-001" && a.Turns == 3 }
		if !slices.ContainsFunc(merged.state.Agents, went) || merged.agent("AGT-002") == nil {
			t.Errorf("lost our changes: %+v", merged.state.Agents)
		}
		if left && (!unknownBase || bytes.Equal(merged.Bytes(), ours.Bytes())) {
			return // they did not fit together; the caller keeps all of theirs
		}
		holdsTheirs(t, merged, theirs)
	})
}

// wentOn returns the handwritten registry and what two changes made of it.
func wentOn(t *testing.T) (base, ours *Document) {
	t.Helper()
	next := update(t, handwritten, func(tx *Tx) error {
		if err := walk("AGT-002", EventAborted)(tx); err != nil {
			return err
		}
		return tx.Record(Event{Kind: EventMessage, Agent: "AGT-001", Details: "ours"}, func(a *Agent) {
			a.Turns, a.Subtask = 3, "Ours"
		})
	})
	return parsed(t, handwritten), parsed(t, next)
}

func holdsTheirs(t *testing.T, merged, theirs *Document) {
	t.Helper()
	if lost := Without(theirs.Rows(), merged.Rows()); len(lost) > 0 {
		t.Errorf("lost their rows %q", lost)
	}
	for _, line := range Without(people(theirs), people(merged)) {
		if trim(line) != "" {
			t.Errorf("lost %q of\n%s\nin\n%s", line, theirs.Bytes(), merged.Bytes())
		}
	}
	for _, a := range theirs.state.Agents {
		if merged.agent(a.ID) == nil {
			t.Errorf("lost agent %s", a.ID)
		}
	}
}

func TestCommon(t *testing.T) {
	tests := []struct{ a, b, want string }{
		{"abc", "abc", "abc"},
		{"abc", "axc", "ac"},
		{"", "abc", ""},
		{"abcd", "bd", "bd"},
		{"xaby", "ab", "ab"},
	}
	for _, test := range tests {
		inA, inB := common(strings.Split(test.a, ""), strings.Split(test.b, ""))
		if got := picked(test.a, inA); got != test.want || picked(test.b, inB) != test.want {
			t.Errorf("common(%q, %q) = %q, %q", test.a, test.b, got, picked(test.b, inB))
		}
	}
}

func picked(s string, in []bool) string {
	var out strings.Builder
	for i, r := range s {
		if in[i] {
			out.WriteRune(r)
		}
	}
	return out.String()
}
