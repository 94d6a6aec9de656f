package guard

import (
	"os"
	"path/filepath"
	"testing"
)

// ground is a worktree with the folders beside it, and a policy for them.
type ground struct {
	root   string
	policy Policy
}

func newGround(t testing.TB) ground {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := ground{root: root, policy: Policy{
		Agent: "AGT-001", Worktree: filepath.Join(root, "tree", "work"), AgentDir: filepath.Join(root, "desk"),
		Home: filepath.Join(root, "home"), Tmp: filepath.Join(root, "tmp"),
		Allowed: []string{"src/**", "docs/*.md"}, Forbidden: []string{"src/legacy/**"},
		Restricted: []string{"**/.env", "keys/**"},
	}}
	for _, folder := range append(g.policy.free(), filepath.Join(g.policy.Worktree, "src", "legacy"),
		filepath.Join(root, "outside"), filepath.Join(root, "tree", "worktwo")) {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// link makes a symbolic link in the worktree.
func (g ground) link(t *testing.T, name, target string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(g.policy.Worktree, name)); err != nil {
		t.Fatal(err)
	}
}

// writes is a call of a file tool from the worktree's root.
func (g ground) writes(paths ...string) Call {
	return Call{Tool: "Write", Dir: g.policy.Worktree, Paths: paths}
}

func decided(t testing.TB, p Policy, c Call) Verdict {
	t.Helper()
	v, err := Decide(p, c)
	if err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	if !v.Allowed && v.Reason == "" {
		t.Errorf("%+v is refused without a reason", c)
	}
	return v
}
