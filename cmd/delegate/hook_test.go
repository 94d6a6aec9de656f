package main

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"delegate/internal/guard"
)

// panics is a payload that cannot even be read.
type panics struct{}

func (panics) Read([]byte) (int, error) { panic("the reader broke\nin two lines") }

// endless is a payload that is too long.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, strings.Repeat(" ", len(p))), nil }

// closed is an output that nobody reads.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("nobody reads") }

func TestHookStopsInDoubt(t *testing.T) {
	root := t.TempDir()
	p := guard.Policy{Worktree: filepath.Join(root, "work"), Desk: filepath.Join(root, "desk"), Home: filepath.Join(root, "home"), Tmp: filepath.Join(root, "tmp"), Allowed: []string{"src/**"}}
	path := filepath.Join(root, "policy.json")
	if err := p.Write(path); err != nil {
		t.Fatal(err)
	}
	refused := `{"cwd":"/","hook_event_name":"PreToolUse","tool_name":"Agent","tool_input":{}}`
	var out, complaints bytes.Buffer
	for name, ask := range map[string]func() int{
		"a panic":           func() int { return hook([]string{"claude", path}, panics{}, &out, &complaints) },
		"a payload too big": func() int { return hook([]string{"claude", path}, endless{}, &out, &complaints) },
		"a broken pipe": func() int {
			return hook([]string{"claude", path}, iotest.ErrReader(errors.New("broken")), &out, &complaints)
		},
		"a closed output": func() int { return hook([]string{"claude", path}, strings.NewReader(refused), closed{}, &complaints) },
		"too few words":   func() int { return hook([]string{"claude"}, strings.NewReader(refused), &out, &complaints) },
	} {
		out.Reset()
		complaints.Reset()
		if code := ask(); code != exitDoubt || out.Len() > 0 || bytes.Count(complaints.Bytes(), []byte("\n")) != 1 {
			t.Errorf("%s: exit %d, %q, %q", name, code, &out, &complaints)
		}
	}
	if code := hook([]string{"claude", path}, strings.NewReader(refused), &out, &complaints); code != exitDone || !strings.Contains(out.String(), "deny") {
		t.Errorf("exit %d, %q, %q", code, &out, &complaints)
	}
}
