package guard_test

import (
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/fence/guard"
)

// TestProbe holds that the probe is refused in every dialect, whatever the scope.
func TestProbe(t *testing.T) {
	root := t.TempDir()
	p := guard.Policy{Agent: "AGT-001", Worktree: filepath.Join(root, "work"), AgentDir: filepath.Join(root, "desk"),
		Home: filepath.Join(root, "home"), Tmp: filepath.Join(root, "tmp"),
		Allowed: []string{"a/**", "*.md"}}
	for _, dir := range []string{p.Worktree, p.AgentDir, p.Home, p.Tmp} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, dialect := range []string{"claude", "codex", "gemini", "qwen"} {
		payload, err := guard.Probe(dialect, p)
		if err != nil {
			t.Fatal(err)
		}
		call, err := guard.Parse(dialect, payload)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := guard.Decide(p, call); err != nil || v.Allowed {
			t.Errorf("%s: %+v, %v", dialect, v, err)
		}
	}
	if _, err := guard.Probe("morse", p); err == nil {
		t.Error("a probe in no dialect")
	}
}
