package merge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"delegate/conflict"
	"delegate/internal/analyze"
	"delegate/internal/run"
)

// endless is Go code at which the type checker climbs without an end: structs with two fields of the one before, and one that holds itself.
func endless() string {
	code := "package a\n\ntype T0 struct{ a int }\n"
	for i := range 28 {
		code += fmt.Sprintf("type T%d struct{ a, b T%d }\n", i+1, i)
	}
	return code + "type S struct {\n\tx T28\n\ts S\n}\n"
}

// huge is Go code with a constant that has no room anywhere.
func huge() string {
	code := "package a\n\nconst s0 = \"0123456789abcdef0123456789abcdef\"\n"
	for i := range 35 {
		code += fmt.Sprintf("const s%d = s%d + s%d\n", i+1, i, i)
	}
	return code + "const n = len(s35)\n"
}

// hostile is a repository with a branch that changes a line of t and adds a file to a package, one that does the same soundly, and one that breaks the sound one.
func hostile(t *testing.T, file, config string) *Builder {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "", "init", "-q", "-b", "main")
	var script strings.Builder
	commit := func(branch string, files map[string]string) {
		fmt.Fprintf(&script, "commit refs/heads/%s\ncommitter C <c@example.org> 0 +0000\ndata 0\n", branch)
		if branch != "main" {
			script.WriteString("from refs/heads/main\n")
		}
		for name, content := range files {
			fmt.Fprintf(&script, "M 100644 inline %s\ndata %d\n%s\n", name, len(content), content)
		}
	}
	commit("main", map[string]string{"go.mod": "module m\n\ngo 1.22\n", "a/a.go": "package a\n\nfunc F(n int) int { return n }\n", "t": "base\n"})
	commit("bomb", map[string]string{"a/b.go": file, "t": "bomb\n"})
	commit("sound", map[string]string{"a/g.go": "package a\n\nfunc G() int { return F(1) }\n", "t": "sound\n"})
	commit("changed", map[string]string{"a/a.go": "package a\n\nfunc F(n, m int) int { return n + m }\n"})
	runGit(t, dir, script.String(), "fast-import", "--quiet")
	runGit(t, dir, "", "reset", "-q", "--hard", "main")
	if err := os.WriteFile(filepath.Join(dir, ".delegate.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return opened(t, dir)
}

func tipsOf(t *testing.T, b *Builder, names ...string) []Tip {
	t.Helper()
	tips, err := b.NamedTips(t.Context(), names, "")
	if err != nil {
		t.Fatal(err)
	}
	return tips
}

// An analysis that comes to no end is ended, said and blocks; what git says of its files and of all other pairs stays.
func TestAnalysisIsLimited(t *testing.T) {
	for what, c := range map[string]struct {
		code, why string
		memory    uint64
	}{
		"processor": {endless(), "1s of processor time", 0},
		"memory":    {huge(), "exit status 2: ", 256 << 20},
	} {
		t.Run(what, func(t *testing.T) {
			if what == "memory" && runtime.GOOS != "linux" {
				t.Skip("the memory of a process is limited on Linux alone")
			}
			limit := map[bool]string{true: "1s", false: "30s"}[c.memory == 0]
			b := hostile(t, c.code, "analysis_limit: "+limit+"\n")
			b.analysis = analyze.New(analyze.Options{Fence: b.fence, Limit: b.p.Config.AnalysisLimit.Value(), Memory: c.memory})
			found, err := b.Compare(t.Context(), tipsOf(t, b, "bomb", "sound", "changed"), Checked)
			if err != nil {
				t.Fatal(err)
			}
			held := map[string]int{}
			for _, f := range found {
				held[fmt.Sprintf("%s %s %s %t", strings.Join(f.Agents, "×"), f.Type, f.Certainty, f.Blocking)]++
				if f.Certainty == conflict.Unknown && (!strings.Contains(f.Message, "at a (") || !strings.Contains(f.Message, c.why) || f.Places[0].Path != "a/b.go") {
					t.Errorf("%+v; want that it stopped at a: %s", f, c.why)
				}
			}
			for _, want := range []string{
				"bomb×sound API_CONFLICT unknown true", "bomb×sound FILE_CONFLICT confirmed true", "bomb×changed API_CONFLICT unknown true",
				"sound×changed API_CONFLICT confirmed true",
			} {
				if held[want] != 1 {
					t.Errorf("%d findings %q of %+v", held[want], want, found)
				}
			}
		})
	}
}

// awaitChild is the process of the analysis that this one has under way.
func awaitChild(t *testing.T) int {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		for _, p := range run.Descendants(os.Getpid()) {
			args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
			if err == nil && strings.HasSuffix(string(args), "\x00"+analyze.Verb+"\x00") && !strings.Contains(string(args), "__fence") {
				return p.PID
			}
		}
	}
	t.Fatal("no child came")
	return 0
}

// compareEndless compares two branches, at which the type checker would stay for good, until the context ends or the child does.
func compareEndless(t *testing.T, ctx context.Context, b *Builder) <-chan error {
	t.Helper()
	tips, over := tipsOf(t, b, "bomb", "sound"), make(chan error, 1)
	go func() {
		found, err := b.Compare(ctx, tips, Checked)
		if err == nil && !conflict.Blocking(found) {
			err = fmt.Errorf("found %+v", found)
		}
		over <- err
	}()
	return over
}

func linuxOnly(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked up in /proc")
	}
}

func TestAnalysisEndsWithItsContext(t *testing.T) {
	linuxOnly(t)
	b := hostile(t, endless(), "analysis_limit: 0\n")
	ctx, cancel := context.WithCancel(t.Context())
	over := compareEndless(t, ctx, b)
	child := awaitChild(t)
	awaitWork(t, child)
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", child))
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"Max core file size", "Max file size"} {
		_, rest, _ := strings.Cut(string(limits), what)
		if words := strings.Fields(rest); len(words) < 2 || words[0] != "0" || words[1] != "0" {
			t.Errorf("%s is %q", what, words)
		}
	}
	if fence, err := b.fence(nil); err != nil {
		t.Fatal(err)
	} else if fence != nil && fence.Support.Namespaces {
		ours, theirs := network(t, os.Getpid()), network(t, child)
		if ours == theirs {
			t.Error("the child has the network of its parent")
		}
	}
	start := time.Now()
	cancel()
	if err := <-over; !errors.Is(err, context.Canceled) || time.Since(start) > 5*time.Second {
		t.Errorf("ended with %v after %s", err, time.Since(start))
	}
	if err := syscall.Kill(child, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the child is still there: %v", err)
	}
}

func network(t *testing.T, pid int) string {
	t.Helper()
	name, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// awaitWork waits until the child has used the processor for a while, so that it is at what has no end.
func awaitWork(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		var ticks int
		if _, err := fmt.Sscan(strings.Fields(rest)[11], &ticks); err == nil && ticks > 50 {
			return
		}
	}
	t.Fatal("the child does not work")
}

// A child that somebody kills is said as that, and not remembered: the next comparison looks again.
func TestAnalysisThatIsKilled(t *testing.T) {
	linuxOnly(t)
	b := hostile(t, endless(), "analysis_limit: 0\n")
	for range 2 {
		over := compareEndless(t, t.Context(), b)
		child := awaitChild(t)
		awaitWork(t, child)
		if err := syscall.Kill(child, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		if err := <-over; err != nil {
			t.Fatal(err)
		}
	}
}

// What is remembered needs no child, and neither does what git alone can tell.
func TestAnalysisStartsWhenItIsNeeded(t *testing.T) {
	b := hostile(t, "package a\n", "analysis_limit: 1s\n")
	tips := tipsOf(t, b, "bomb", "sound")
	if _, err := b.Compare(t.Context(), tips, Checked); err != nil {
		t.Fatal(err)
	}
	fresh := opened(t, b.p.Main)
	fresh.analysis = analyze.New(analyze.Options{Memory: 1}) // no child can live with that
	for _, depth := range []Depth{Checked, Text} {
		if found, err := fresh.Compare(t.Context(), tips, depth); err != nil || len(found) != 1 || found[0].Certainty != conflict.Confirmed {
			t.Errorf("%s: %+v, %v", depth, found, err)
		}
	}
	if found, err := fresh.Compare(t.Context(), tips, Symbols); err != nil || !strings.Contains(found[0].Message, "the analysis stopped") {
		t.Errorf("%+v, %v", found, err)
	}
}
