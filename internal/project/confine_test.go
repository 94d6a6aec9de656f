package project_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"delegate/internal/project"
	"delegate/registry"
)

// Homes hold logins: those of others are found also where the folder's name would be a pattern.
func TestOtherHomes(t *testing.T) {
	for _, name := range []string{"plain", "re[po", "re[1]po", "re*{a,b}?"} {
		t.Run(name, func(t *testing.T) {
			b := newBox(t, map[string]string{"a": "a\n"})
			p, err := project.Open(t.Context(), b.Dir, project.Options{})
			if err != nil {
				t.Fatal(err)
			}
			p.Config.WorktreeDir = filepath.Join(t.TempDir(), name)
			var want []string
			for _, id := range []string{"AGT-001", "AGT-002", "AGT-003"} {
				home := filepath.Join(p.AgentRoot(ported, id), "home")
				if err := os.MkdirAll(home, 0o700); err != nil {
					t.Fatal(err)
				}
				if id != "AGT-002" {
					want = append(want, home)
				}
			}
			if got := p.OtherHomes(ported, registry.Agent{ID: "AGT-002"}); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestHiddenOnce holds that no place is hidden twice, since each takes its time in every start behind a fence.
func TestHiddenOnce(t *testing.T) {
	b := newBox(t, map[string]string{"a": "a\n"})
	t.Setenv("HOME", t.TempDir())
	p, err := project.Open(t.Context(), b.Dir, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	hidden := p.Hidden()
	if each := slices.Compact(slices.Sorted(slices.Values(hidden))); len(each) != len(hidden) {
		t.Errorf("%d places are named %d times", len(each), len(hidden))
	}
}
