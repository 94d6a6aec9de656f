package registry

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func start() time.Time { return time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC) }

// changed makes one change of a registry in memory and returns its new text.
func changed(data []byte, fn func(*Tx) error) ([]byte, error) {
	doc, err := Parse(data)
	if err != nil {
		return nil, err
	}
	next, _, err := doc.Change(start(), nobody, nobody, fn)
	if was, parseErr := Parse(data); parseErr != nil || !bytes.Equal(doc.Bytes(), data) ||
		!reflect.DeepEqual(doc.State(), was.State()) {
		return nil, errors.Join(parseErr, errors.New("the document that was changed is another one now"))
	}
	if err != nil {
		return nil, err
	}
	return next.Bytes(), nil
}

// update is changed where it must succeed.
func update(t testing.TB, text string, fn func(*Tx) error) string {
	t.Helper()
	data, err := changed([]byte(text), fn)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func parsed(t testing.TB, text string) *Document {
	t.Helper()
	doc, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return doc
}

func twoAgents(tx *Tx) error {
	return tx.StartSession(
		Session{ParentTask: "Rate limits", ParentAgent: "Main session", MaxParallel: 3, AgentTimeout: time.Hour,
			HumanApproval: true},
		[]Agent{{Subtask: "Limiter", Allowed: []string{"src/limit/**"}},
			{Subtask: "Docs", Allowed: []string{"docs/*.md"}}},
	)
}

// walk makes supervisor or person events happen to an agent, each by whoever may.
func walk(agent string, kinds ...Kind) func(*Tx) error {
	return func(tx *Tx) error {
		for _, k := range kinds {
			var err error
			for _, by := range []Decider{Supervisor, Person} {
				if err = tx.Transition(agent, Event{Kind: k}, by, nil); err == nil {
					break
				}
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// edit changes a text as a person would, and fails if there is nothing to change.
func edit(t testing.TB, text string, oldNew ...string) string {
	t.Helper()
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(text, oldNew[i]) {
			t.Fatalf("no %q in:\n%s", oldNew[i], text)
		}
		text = strings.Replace(text, oldNew[i], oldNew[i+1], 1)
	}
	return text
}

func as[T error](t testing.TB, err error) T {
	t.Helper()
	var target T
	if !errors.As(err, &target) {
		t.Fatalf("error %v is no %T", err, target)
	}
	return target
}
