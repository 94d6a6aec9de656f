package doctor

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/gittest"
	"delegate/internal/project"
	"delegate/internal/setup"
)

// rig is a repository with one commit on main, in a folder of its own.
type rig struct {
	*testing.T
	main string
}

func newRig(t *testing.T) rig {
	t.Helper()
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b"} {
		t.Setenv(name, value)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := rig{t, filepath.Join(root, "repo")}
	r.write("tracked", "12345")
	r.git("init", "-q", "-b", "main")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "Begin")
	return r
}

func (r rig) git(args ...string) string {
	r.Helper()
	return strings.TrimSpace(gittest.In(r.T, r.main).Git(args...))
}

// write makes a file, named from the repository.
func (r rig) write(name, text string) {
	r.Helper()
	path := filepath.Join(r.main, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

func TestSpace(t *testing.T) {
	r := newRig(t)
	r.write(".delegate.yaml", "max_parallel_agents: 2\ncopy: [\"**/.env\", node_modules, gone]\n")
	r.write("a/.env", "123")
	r.write("node_modules/x/y", "1234567")
	p, err := project.Open(t.Context(), r.main, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := measure(t.Context(), p)
	if err != nil || s.Checkout != (setup.Size{Bytes: 15, Files: 3}) || s.Agents != 2 || s.need() != 45 ||
		s.Free <= 0 || s.short() {
		t.Errorf("%+v, %v", s, err)
	}
	for _, c := range []struct {
		free, bytes int64
		agents      int
		short       bool
	}{{39, 10, 3, true}, {40, 10, 3, false}, {-1, 10, 3, false}, {1 << 40, math.MaxInt64 / 2, math.MaxInt, true}} {
		s := Space{Free: c.free, Checkout: setup.Size{Bytes: c.bytes}, Agents: c.agents}
		if s.short() != c.short {
			t.Errorf("%+v: short %v", c, !c.short)
		}
	}
}
