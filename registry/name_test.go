package registry

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	state := State{Agents: []Agent{{ID: "AGT-001", Name: "rename-inslice"}, {ID: "AGT-012", Name: "rename-helper"},
		{ID: "AGT-1000", Name: "rename"}}}
	for word, want := range map[string]string{"1": "AGT-001", "agt-1": "AGT-001", "AGT-001": "AGT-001",
		"12": "AGT-012", "Agt-012": "AGT-012", "1000": "AGT-1000", "rename-i": "AGT-001", "Rename-Helper": "AGT-012",
		"rename": "AGT-1000"} {
		if a, err := state.Find(word); err != nil || a.ID != want {
			t.Errorf("Find(%q) = %q, %v", word, a.ID, err)
		}
	}
	for _, word := range []string{"", "2", "AGT-", "-1", "x", "AGT-AGT-1", "1 ", "rename-inslices"} {
		if a, err := state.Find(word); !is[*UnknownAgentError](err) {
			t.Errorf("Find(%q) = %q, %v", word, a.ID, err)
		}
	}
	if a, err := state.Find("rename-"); !is[*AmbiguousAgentError](err) ||
		!strings.HasSuffix(err.Error(), "rename-inslice, rename-helper") {
		t.Errorf("a beginning of two names gives %q, %v", a.ID, err)
	}
	for word, want := range map[string]string{"rename-helpers": "; did you mean rename-helper?", "other": ""} {
		_, err := state.Find(word)
		if !strings.HasSuffix(err.Error(), "is unknown; there are: rename-inslice, rename-helper, rename"+want) {
			t.Errorf("in the order of their ids, and which is meant: %v", err)
		}
	}
}

func is[E error](err error) bool {
	_, is := errors.AsType[E](err)
	return is
}

func TestNames(t *testing.T) {
	titles := []string{
		"Rename InSlice to Contains", "Rename InSlice to Contains!", "Part 1", "Ü", "12", "AGT-001",
		"del-20260102-150405",
		"Pneumonoultramicroscopicsilicovolcanoconiosis", "Look at the end of the", "  Größe & Höhe  ", "rename inslice",
	}
	want := []string{
		"rename-inslice", "rename-inslice-2", "part-1", "task-4", "task-5", "task-6", "task-7",
		"pneumonoultramicroscopics"[:24], "look-at-the-end", "gr-e-h-he", "rename-inslice-3",
	}
	var agents []Agent
	for _, title := range titles {
		agents = append(agents, Agent{Subtask: title})
	}
	state, err := changed(New(), func(tx *Tx) error { return tx.StartSession(Session{}, agents) })
	if err != nil {
		t.Fatal(err)
	}
	doc, err := Parse(state)
	if err != nil {
		t.Fatal(err)
	}
	if got := doc.state.names(); !slices.Equal(got, want) {
		t.Errorf("names are\n%q, want\n%q", got, want)
	}
	old := strings.Join(slices.DeleteFunc(strings.SplitAfter(string(state), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "- **Name**: ")
	}), "")
	before, err := Parse([]byte(old))
	if err != nil || old == string(state) || !slices.Equal(before.state.names(), want) {
		t.Errorf("a record without names is read as %q, %v", before.state.names(), err)
	}
	own := strings.Replace(string(state), "- **Name**: part-1", "- **Name**: Fred Smith", 1)
	if doc, err := Parse([]byte(own)); err != nil || doc.state.Agents[2].Name != "part-1" {
		t.Errorf("a person's own field of that name: %v", err)
	}
}

// A name that something else has is passed over, also for an agent that is added later.
func TestTakenNames(t *testing.T) {
	doc, err := Parse(New())
	if err != nil {
		t.Fatal(err)
	}
	named := func(name string) bool { return name == "limiter" || name == "limiter-2" || name == "task-3" }
	doc, _, err = doc.Change(start(), nobody, named, func(tx *Tx) error {
		err := tx.StartSession(Session{}, []Agent{{Subtask: "Limiter"}, {Subtask: "Tests"}})
		_, added := tx.AddAgent(Agent{Subtask: "Ü"})
		return errors.Join(err, added)
	})
	if want := []string{"limiter-3", "tests", "task-3-2"}; err != nil || !slices.Equal(doc.State().names(), want) {
		t.Errorf("names are %q, %v, want %q", doc.State().names(), err, want)
	}
}

func TestWithNames(t *testing.T) {
	state := State{Agents: []Agent{{ID: "AGT-001", Name: "limiter"}, {ID: "AGT-012", Name: "tests"}}}
	text := "AGT-001 breaks AGT-012's test (AGT-001); delegate/DEL-1/AGT-001/work, AGT-0012 and AGT-003 stay. AGT-012."
	want := "limiter breaks tests's test (limiter); delegate/DEL-1/AGT-001/work, AGT-0012 and AGT-003 stay. tests."
	if got := state.WithNames(text); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
