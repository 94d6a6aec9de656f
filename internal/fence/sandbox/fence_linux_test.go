package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"delegate/internal/sys/run"
	"delegate/scope"

	"golang.org/x/sys/unix"
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
		"echo x > README.md", "echo x > new.md", "echo x > lib/c.go", "rm lib/c.go", "mkdir other",
		"echo x > src/old/b.go", "rm src/old/b.go",
		"echo x > src/old/new.go", "mv src/old src/older", "mv src source", "rm -r src/old", "echo x > .git",
		"mv .git git", "echo x > ../outside",
		"chmod 777 README.md", "touch -d 2001-01-01 README.md", "ln README.md src/README.md && echo x >> src/README.md",
		"ln -s ../README.md src/link && echo x > src/link",
		"mount --bind src lib", "umount src/old", "unshare -Ur true", "echo x > /proc/sys/kernel/hostname",
		"echo x > " + g.TempDir() + "/x",
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
		"echo x > src/made.go", "rmdir src/made.go && echo x > src/made.go",
		"mkdir -p src/gen/deep && echo x > src/gen/deep/f",
		"mv src/gen src/other && mkdir -p src/gen/deep && echo x > src/gen/deep/f", "mv src/made.go src/b",
		"rm -rf src/gen",
	} {
		g.mayNot(script)
	}
	g.may("echo x > src/gen/beside")
	g.policy.Tidy()
	if _, err := os.Stat(filepath.Join(g.work, "src/made.go")); err == nil {
		t.Error("the folder that kept src/made.go closed is still there")
	}
}

func TestNamesNextToOthers(t *testing.T) {
	g := fenced(t, "README.md src/*.go docs/** lib/x/**", "", "README.md", "Makefile", "src/a.go", "src/a.c",
		"src/sub/b.go", "docs/d.md", "lib/y/f")
	g.may("sed -i s/old/new/ README.md && grep -q new README.md")
	g.may("sed -i s/old/new/ src/a.go && echo x > src/new.go && echo x > docs/new.md && echo x > lib/x/new")
	for _, script := range []string{
		"echo x > Makefile", "rm Makefile", "mv README.md Makefile", "echo x > src/a.c", "rm src/a.c",
		"echo x > src/sub/b.go", "mkdir src/other",
		"mkdir other", "echo x > lib/new", "echo x > lib/y/f", "mv src source", "mv lib/x lib/z", "rm -rf .git",
		"echo x > .delegate.yaml", "mkdir -p .claude && echo x > .claude/x",
	} {
		g.mayNot(script)
	}
	if len(g.policy.Loose) != 0 {
		t.Logf("loose: %q", g.policy.Loose)
	}
}

func TestPatternsAtAnyDepth(t *testing.T) {
	g := fenced(t, "src/**/*_test.go", "src/**/big_test.go", "src/a.go", "src/p/b.go", "src/p/b_test.go",
		"src/p/big_test.go", "README.md")
	g.may("sed -i s/old/new/ src/p/b_test.go && echo x > src/c_test.go && mkdir src/q && echo x > src/q/q_test.go")
	for _, script := range []string{"echo x > src/a.go", "echo x > src/p/b.go", "rm src/p/b.go", "mv src/p src/z",
		"echo x > src/p/big_test.go", "echo x > README.md"} {
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

// TestInheritedDescriptorsAreKept holds that what a person's program left open for this one reaches no agent, with
// namespaces or without.
func TestInheritedDescriptorsAreKept(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(secret, unix.O_RDONLY, 0) // and not closed when a program is started
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	g := fenced(t, "src/**", "", "src/a.go")
	script := fmt.Sprintf("cat <&%d", fd)
	g.mayNot(script)
	g.s.Namespaces = false
	g.mayNot(script)
	if out, err := exec.Command("/bin/sh", "-c", script).Output(); err != nil || string(out) != "secret\n" {
		t.Fatalf("without a fence it is not handed on: %q, %v", out, err)
	}
}

// TestLandlockAlone holds the tighter set of machines without namespaces.
func TestLandlockAlone(t *testing.T) {
	g := fenced(t, "src/** README.md docs/*.md", "src/old/**", "src/a.go", "src/old/b.go", "src/new/c.go", "README.md",
		"Makefile", "docs/d.md", "docs/d.txt")
	if g.s.Landlock == 0 {
		t.Skip("no Landlock here")
	}
	g.s.Namespaces = false
	g.may("echo x > src/a.go && echo x > src/new/d.go && mkdir src/new/e && mv src/new/d.go src/new/e/ && rm -r " +
		"src/new/e")
	g.may("echo x > README.md && echo x > docs/d.md && echo x > /dev/null")
	m := fenced(t, "fresh/** new/deep/*.md notes/*.md", "", "notes/d.md", "README.md")
	m.s.Namespaces = false
	m.may("mkdir -p fresh/in && echo x > fresh/in/f && echo x > new/deep/d.md && echo x > notes/new.md && " +
		"rm notes/d.md")
	for _, script := range []string{"mkdir other", "echo x > new/d.md", "rmdir new/deep", "mkdir notes/sub",
		"mv notes fresh/notes", "echo x > README.md"} {
		m.mayNot(script)
	}
	for _, script := range []string{
		"echo x > src/old/b.go", "mv src/old src/new/old", "echo x > src/beside.go", "rm src/a.go", "echo x > Makefile",
		"rm README.md", "echo x > docs/d.txt", "echo x > docs/new.txt",
		"echo x > .git", "mv .git x", "echo x > " + g.TempDir() + "/x", "mount -t tmpfs none src", "kill -0 1",
	} {
		g.mayNot(script)
	}
}

// TestProcessesEndTogether holds that nothing of a fence's processes is left when its first has
// ended, in whatever session it is.
func TestProcessesEndTogether(t *testing.T) {
	g := fenced(t, "src/**", "", "src/a.go")
	g.may("setsid sh -c 'while :; do date > src/late; sleep 0.02; done' & while [ ! -e src/late ]; do sleep 0.02; done")
	path := filepath.Join(g.work, "src/late")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if _, err := os.Stat(path); err == nil {
			t.Fatal("a process goes on writing")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestHiddenAndCovered holds what the rest of a policy shows and hides.
func TestHiddenAndCovered(t *testing.T) {
	g := fenced(t, "src/**", "", "src/a.go")
	outside := t.TempDir()
	for name, text := range map[string]string{"secret": "s", "dir/secret": "s", "own/x": "own", "place/x": "place",
		"cache/old": "old"} {
		path := filepath.Join(outside, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(outside, name) }
	if err := os.MkdirAll(at("mine"), 0o755); err != nil {
		t.Fatal(err)
	}
	g.policy.Writable = []string{at("mine")}
	g.policy.Hidden = []string{at("secret"), at("dir"), at("missing")}
	g.policy.Binds = []Bind{{From: at("own"), To: at("place"), Access: Held}}
	g.policy.Fixed = []string{at("place/x")}
	g.policy.Caches = []Cache{{Path: at("cache"), Upper: at("mine/added"), Work: at("mine/work")}}
	g.may("test \"$(cat " + at("place/x") + ")\" = own && echo x > " + at("place/y"))
	g.may("echo new > " + at("cache/new") + " && cat " + at("cache/new"))
	for _, script := range []string{"cat " + at("secret"), "cat " + at("dir/secret"), "echo x > " + at("place/x"),
		"mv " + at("place/y") + " " + at("place/x"), "echo x > " + at("own/z")} {
		g.mayNot(script)
	}
	if _, err := os.Stat(at("cache/new")); err == nil {
		t.Error("the cache itself was added to")
	}
	if _, err := os.Stat(at("own/y")); err != nil {
		t.Error("what was written to the cover is not where it comes from:", err)
	}
}

// TestFileSizeIsLimited holds that a file beyond the limit cannot be made, sparse or not, and that
// the program is told and goes on.
func TestFileSizeIsLimited(t *testing.T) {
	g := fenced(t, "src/**", "", "src/a.go")
	g.policy.FileSize = 1 << 20
	g.may("truncate -s 1M src/a.go")
	g.mayNot("truncate -s 1T src/a.go")
	g.may("! truncate -s 1T src/b && ! head -c 2000000 /dev/zero > src/c && test $(stat -c %s src/c) = 1048576")
}

func TestKilledFirstWhereMemoryRunsOut(t *testing.T) {
	g := fenced(t, "src/**", "", "src/a.go")
	if out, _ := g.sh("cat /proc/self/oom_score_adj"); out != "500\n" {
		t.Errorf("its score is %q", out)
	}
	g.mayNot("echo 0 > /proc/self/oom_score_adj")
	g.mayNot("echo -100 > /proc/$PPID/oom_score_adj")
}

// TestProcessesAreLimitedWithoutAGroup holds for every user but the system's root, whom the kernel does not count.
func TestProcessesAreLimitedWithoutAGroup(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("the kernel lets the system's root pass")
	}
	g := fenced(t, "src/**", "", "src/a.go")
	g.policy.Processes = 8
	g.mayNot("for i in 1 2 3 4 5 6 7 8 9; do sleep 600 >/dev/null 2>&1 & done")
	g.policy.Processes = 100 // and not those of the person's, who may have more
	g.may("for i in 1 2 3 4 5 6 7 8 9; do sleep 600 >/dev/null 2>&1 & done")
}

// TestShownOfWhatIsHidden holds that of a hidden folder only what is lent is there, with the access
// it has elsewhere, and a place that is covered in it.
func TestShownOfWhatIsHidden(t *testing.T) {
	g := fenced(t, "src/**", "", "src/a.go")
	outside := t.TempDir()
	at := func(name string) string { return filepath.Join(outside, name) }
	for _, name := range []string{"private/lock", "private/turn/policy", "private/turn/output", "private/look/old",
		"private/covered/below", "objects/o"} {
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g.policy.Writable = []string{at("private/look")}
	g.policy.Binds = []Bind{{From: at("objects"), To: at("private/covered"), Access: ReadOnly}}
	g.policy.Hidden = []string{at("private")}
	g.policy.Shown = []string{at("private/turn/policy"), at("private/look"), at("private/covered"),
		at("private/missing")}
	g.may("cat " + at("private/turn/policy") + " && cat " + at("private/covered/o") + " && echo x > " +
		at("private/look/new"))
	for _, script := range []string{
		"cat " + at("private/lock"), "exec 3< " + at("private/lock"), "ls " + at("private/turn/output"),
		"ls " + at("private/covered/below"),
		"echo x > " + at("private/new"), "echo x > " + at("private/turn/policy"), "ls " + at("private/missing"),
		"umount " + at("private"),
	} {
		g.mayNot(script)
	}
	if _, err := os.Stat(at("private/look/new")); err != nil {
		t.Error("what was written to a lent folder is not there:", err)
	}
}

// TestTooMuchToSealOpensNothing holds that a crowd of files lays nothing bare.
func TestTooMuchToSealOpensNothing(t *testing.T) {
	var crowd []string
	for i := range mostSealed + 1 {
		crowd = append(crowd, fmt.Sprintf("!%d.log", i))
	}
	g := fenced(t, "*.md src/**", "src/old/**", append(crowd, "README.md", "src/old/f")...)
	if len(g.policy.Openings) != 1 || g.policy.Openings[0].Path != "src" || len(g.policy.Loose) == 0 {
		t.Errorf("open are %v, and said is %q", g.policy.Openings, g.policy.Loose)
	}
	for _, path := range []string{".git", "src/old"} {
		if !slices.ContainsFunc(g.policy.Seals, func(s Seal) bool { return s.Path == path && s.Access == ReadOnly }) {
			t.Errorf("%s is not sealed", path)
		}
	}
}
