package sandbox

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/run"
	"delegate/scope"
)

// ground is a worktree with a policy, and what runs in it.
type ground struct {
	*testing.T
	work   string
	policy Policy
	s      Support
}

// fenced makes a worktree of these files with a fence around it; a name that ends with a slash is a folder.
func fenced(t *testing.T, allowed, forbidden string, files ...string) *ground {
	t.Helper()
	s := Detect(context.Background())
	if !s.Namespaces {
		t.Skip("no namespaces here: ", s.Fault)
	}
	g := &ground{T: t, work: filepath.Join(t.TempDir(), "work"), s: s}
	for _, f := range append(files, ".git") {
		path := filepath.Join(g.work, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f, "/") {
			continue
		}
		if err := os.WriteFile(path, []byte("old\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	c := scope.Config{Allowed: strings.Fields(allowed), Forbidden: strings.Fields(forbidden)}
	limits, err := scope.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if g.policy, err = Compile(limits, g.work, nil); err != nil {
		t.Fatal(err)
	}
	return g
}

// sh runs a script behind the fence and answers what it printed and whether it ended well.
func (g *ground) sh(script string) (string, bool) {
	g.Helper()
	file := filepath.Join(g.TempDir(), "policy.json")
	if err := g.policy.Write(file); err != nil {
		g.Fatal(err)
	}
	var out bytes.Buffer
	c := run.Command{Path: "/bin/sh", Args: []string{"-c", script}, Dir: g.work, Stdout: &out, Stderr: &out}
	err := run.Do(context.Background(), Wrap(c, file, g.policy.Network.Mode, g.s))
	return out.String(), err == nil
}

func (g *ground) may(script string) {
	g.Helper()
	if out, ok := g.sh(script); !ok {
		g.Errorf("%s: refused: %s", script, out)
	}
}

func (g *ground) mayNot(script string) {
	g.Helper()
	if out, ok := g.sh(script); ok {
		g.Errorf("%s: went through: %s", script, out)
	}
}

func TestWritesOnlyInScope(t *testing.T) {
	g := fenced(t, "src/** tests/**", "src/old/**", "src/a.go", "src/old/b.go", "tests/t.go", "README.md", "lib/c.go")
	g.may("echo new > src/a.go && echo x > src/new.go && mkdir -p src/deep/er && echo x > src/deep/er/f")
	g.may("mv src/a.go tests/a.go && ln tests/a.go src/a.go && rm src/a.go")
	g.may("echo x > src/f.tmp && mv src/f.tmp src/f")
	for _, script := range []string{
		"echo x > README.md", "echo x > new.md", "echo x > lib/c.go", "rm lib/c.go", "mkdir other", "echo x > src/old/b.go", "rm src/old/b.go",
		"echo x > src/old/new.go", "mv src/old src/older", "mv src source", "rm -r src/old", "echo x > .git", "mv .git git", "echo x > ../outside",
		"chmod 777 README.md", "touch -d 2001-01-01 README.md", "ln README.md src/README.md && echo x >> src/README.md", "ln -s ../README.md src/link && echo x > src/link",
		"mount --bind src lib", "umount src/old", "unshare -Ur true", "echo x > /proc/sys/kernel/hostname", "echo x > " + g.TempDir() + "/x",
	} {
		g.mayNot(script)
	}
	if data, err := os.ReadFile(filepath.Join(g.work, "README.md")); err != nil || string(data) != "old\n" {
		t.Errorf("README.md is %q, %v", data, err)
	}
}

func TestForbiddenThatIsNotThereYet(t *testing.T) {
	g := fenced(t, "src/**", "src/gen/deep/** src/made.go", "src/a.go")
	for _, script := range []string{
		"echo x > src/made.go", "rmdir src/made.go && echo x > src/made.go", "mkdir -p src/gen/deep && echo x > src/gen/deep/f",
		"mv src/gen src/other && mkdir -p src/gen/deep && echo x > src/gen/deep/f", "mv src/made.go src/b", "rm -rf src/gen",
	} {
		g.mayNot(script)
	}
	g.may("echo x > src/gen/beside")
	g.policy.Tidy()
	if _, err := os.Stat(filepath.Join(g.work, "src/made.go")); err == nil {
		t.Error("the folder that kept src/made.go closed is still there")
	}
}

func TestNamesBesideOthers(t *testing.T) {
	g := fenced(t, "README.md src/*.go docs/** lib/x/**", "", "README.md", "Makefile", "src/a.go", "src/a.c", "src/sub/b.go", "docs/d.md", "lib/y/f")
	g.may("sed -i s/old/new/ README.md && grep -q new README.md")
	g.may("sed -i s/old/new/ src/a.go && echo x > src/new.go && echo x > docs/new.md && echo x > lib/x/new")
	for _, script := range []string{
		"echo x > Makefile", "rm Makefile", "mv README.md Makefile", "echo x > src/a.c", "rm src/a.c", "echo x > src/sub/b.go", "mkdir src/other",
		"mkdir other", "echo x > lib/new", "echo x > lib/y/f", "mv src source", "mv lib/x lib/z", "rm -rf .git", "echo x > .delegate.yaml", "mkdir -p .claude && echo x > .claude/x",
	} {
		g.mayNot(script)
	}
	if len(g.policy.Loose) != 0 {
		t.Logf("loose: %q", g.policy.Loose)
	}
}

func TestPatternsAtAnyDepth(t *testing.T) {
	g := fenced(t, "src/**/*_test.go", "src/**/big_test.go", "src/a.go", "src/p/b.go", "src/p/b_test.go", "src/p/big_test.go", "README.md")
	g.may("sed -i s/old/new/ src/p/b_test.go && echo x > src/c_test.go && mkdir src/q && echo x > src/q/q_test.go")
	for _, script := range []string{"echo x > src/a.go", "echo x > src/p/b.go", "rm src/p/b.go", "mv src/p src/z", "echo x > src/p/big_test.go", "echo x > README.md"} {
		g.mayNot(script)
	}
}

func TestLinksLeadNowhere(t *testing.T) {
	g := fenced(t, "src/** out/**", "", "src/a.go", "lib/c.go")
	if err := os.Symlink(g.TempDir(), filepath.Join(g.work, "out")); err != nil {
		t.Fatal(err)
	}
	limits, _ := scope.New(scope.Config{Allowed: []string{"src/**", "out/**"}})
	policy, err := Compile(limits, g.work, nil)
	if err != nil {
		t.Fatal(err)
	}
	g.policy = policy
	g.mayNot("echo x > out/f")
	g.may("echo x > src/f")
	if len(policy.Loose) == 0 {
		t.Error("nobody is told that out is a link")
	}
}

func TestToolsGoOn(t *testing.T) {
	g := fenced(t, "src/**", "", "src/a.go")
	g.may("echo x > /dev/null && test -c /dev/urandom && head -c 4 /dev/urandom > /dev/zero")
	g.may("echo x > /dev/shm/x")
	g.may("test $$ -lt 20")
	g.may(`python3 -c 'import pty, sys; sys.exit(pty.spawn(["true"]))'`)
}
