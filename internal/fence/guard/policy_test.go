package guard

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestPolicyComesBack(t *testing.T) {
	g := newGround(t)
	g.policy.Roots = []string{"src"}
	path := filepath.Join(g.root, "policy.json")
	if err := g.policy.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil || !reflect.DeepEqual(got, g.policy) {
		t.Errorf("%+v, %v", got, err)
	}
	if v := decided(t, got, g.writes("docs/a.md")); v.Allowed {
		t.Error("the roots do not hold")
	}
}

func TestPolicyIsNotWritten(t *testing.T) {
	g := newGround(t)
	for name, spoil := range map[string]func(*Policy) string{
		"no scope":                  func(p *Policy) string { p.Allowed = nil; return "x" },
		"a scope of everything":     func(p *Policy) string { p.Allowed = []string{"a", "**"}; return "x" },
		"a glob that is none":       func(p *Policy) string { p.Restricted = []string{"/etc"}; return "x" },
		"a relative folder":         func(p *Policy) string { p.Tmp = "tmp"; return "x" },
		"no folder":                 func(p *Policy) string { p.Home = ""; return "x" },
		"a desk in the worktree":    func(p *Policy) string { p.AgentDir = p.Worktree + "/src"; return "x" },
		"a worktree in the home":    func(p *Policy) string { p.Home = g.root; return "x" },
		"one folder for two things": func(p *Policy) string { p.Tmp = p.Worktree; return "x" },
		"a policy on the desk":      func(p *Policy) string { return "desk/x" },
		"a policy in the worktree":  func(p *Policy) string { return "tree/work/x" },
	} {
		p := g.policy
		path := filepath.Join(g.root, spoil(&p))
		if err := p.Write(path); err == nil {
			t.Errorf("%s: it is written", name)
		}
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s: there is a file", name)
		}
	}
}

func TestPolicyIsNotRead(t *testing.T) {
	g := newGround(t)
	path := filepath.Join(g.root, "policy.json")
	if _, err := Load(path); err == nil {
		t.Error("there is none")
	}
	if err := g.policy.Write(path); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{}", "[]", "null", string(good[:len(good)/2]), string(good) + "{}",
		string(good) + "x",
		strings.Replace(string(good), `"desk"`, `"desc"`, 1),
		strings.Replace(string(good), `"agent"`, `"new": 1, "agent"`, 1),
		strings.Replace(string(good), g.policy.AgentDir, "desk", 1),
		strings.Replace(string(good), g.policy.AgentDir, g.root, 1)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := Load(path); err == nil {
			t.Errorf("%s\nis %+v", text, p)
		}
	}
}
