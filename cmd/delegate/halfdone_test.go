package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"delegate/internal/git/gittest"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/text/ui"
)

// A merge that is interrupted, and cannot be taken back, leaves its journal: then it says how to go on.
func TestInterruptedMergeSaysWhatItLeft(t *testing.T) {
	r := gittest.New(t, map[string]string{"f": "1\n"}, "--quiet")
	t.Chdir(r.Dir)
	p, err := project.Open(t.Context(), r.Dir, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	said := func(by error) string {
		t.Helper()
		var out bytes.Buffer
		if got := (&app{err: &out}).tellHalfDone(t.Context(), time.Now(), by); !errors.Is(got, by) {
			t.Errorf("%v became %v", by, got)
		}
		return out.String()
	}
	if text := said(ui.ErrInterrupted); !strings.Contains(text, "nothing was merged, and nothing is half done") {
		t.Errorf("without a journal: %q", text)
	}
	half := journal.Landing{Kind: "merge", Agents: []journal.Landed{{Agent: "AGT-001"}}}
	if err := half.Write(p); err != nil {
		t.Fatal(err)
	}
	if text := said(ui.ErrInterrupted); !strings.Contains(text, "finish it with delegate sync merge --continue") {
		t.Errorf("with a journal: %q", text)
	}
	if text := said(errDeclined); text != "" {
		t.Errorf("of a no: %q", text)
	}
}
