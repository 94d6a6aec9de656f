package compare

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/git/gittest"
	"delegate/internal/git/objects"
	"delegate/internal/land/analyze"
	"delegate/internal/project"
	"delegate/internal/sys/long"
)

// endless is Go code at which the type checker climbs without an end: structs with two fields of
// the one before, and one that holds itself.
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

// hostile is a repository with a branch that changes a line of t and adds a file to a package, one
// that does the same soundly, and one that breaks the sound one.
func hostile(t *testing.T, file, config string) *Comparer {
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
	commit("main", map[string]string{"go.mod": "module m\n\ngo 1.22\n",
		"a/a.go": "package a\n\nfunc F(n int) int { return n }\n", "t": "base\n"})
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

func opened(t *testing.T, dir string) *Comparer {
	t.Helper()
	p, err := project.Open(t.Context(), dir, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := New(p)
	t.Cleanup(func() { b.Close() })
	return b
}

func runGit(t *testing.T, dir, input string, args ...string) string {
	t.Helper()
	return gittest.In(t, dir).Feed(input, args...)
}

func tipsOf(t *testing.T, b *Comparer, names ...string) []objects.Span {
	t.Helper()
	tips, err := b.NamedTips(t.Context(), names, "")
	if err != nil {
		t.Fatal(err)
	}
	return tips
}

// An analysis that comes to no end is ended, said and blocks; what git says of its files and of all other pairs stays.
func TestAnalysisIsLimited(t *testing.T) {
	long.Only(t)
	for what, c := range map[string]struct {
		code, why string
		memory    uint64
		order     []string
	}{
		"processor": {endless(), "1s of processor time", 0, []string{"bomb", "sound", "changed"}},
		"memory":    {huge(), "exit status 2: ", 256 << 20, []string{"sound", "changed", "bomb"}},
	} {
		t.Run(what, func(t *testing.T) {
			if what == "memory" && runtime.GOOS != "linux" {
				t.Skip("the memory of a process is limited on Linux alone")
			}
			if what == "memory" && Raced {
				t.Skip("the race detector takes more memory than the limit for itself")
			}
			limit := map[bool]string{true: "1s", false: "30s"}[c.memory == 0]
			b := hostile(t, c.code, "analysis_limit: "+limit+"\n")
			b.analysis = analyze.New(analyze.Options{Fence: b.fence, Limit: b.p.Config.AnalysisLimit.Value(),
				Memory: c.memory})
			found, err := b.Compare(t.Context(), tipsOf(t, b, c.order...), analyze.Checked)
			if err != nil {
				t.Fatal(err)
			}
			held := map[string]int{}
			for _, f := range found {
				held[fmt.Sprintf("%s %s %s %t", strings.Join(slices.Sorted(slices.Values(f.Agents)), "×"), f.Type,
					f.Certainty, f.Blocking)]++
				if f.Certainty == conflict.Unknown &&
					(!strings.Contains(f.Message, "at a (") || !strings.Contains(f.Message, c.why) ||
						!slices.Contains(f.Places, conflict.Place{Agent: "bomb", Path: "a/b.go"})) {
					t.Errorf("%+v; want that it stopped at a: %s", f, c.why)
				}
			}
			for _, want := range []string{
				"bomb×sound API_CONFLICT unknown true", "bomb×sound FILE_CONFLICT confirmed true",
				"bomb×changed API_CONFLICT unknown true",
				"changed×sound API_CONFLICT confirmed true",
			} {
				if held[want] != 1 {
					t.Errorf("%d findings %q of %+v", held[want], want, found)
				}
			}
		})
	}
}

// What is remembered needs no child, and neither does what git alone can tell.
func TestAnalysisStartsWhenItIsNeeded(t *testing.T) {
	// More than the memory that a child has got before its limits.
	b := hostile(t, "package a\n"+strings.Repeat("var _ = 1\n", 40_000), "analysis_limit: 10s\n")
	tips := tipsOf(t, b, "bomb", "sound")
	if _, err := b.Compare(t.Context(), tips, analyze.Checked); err != nil {
		t.Fatal(err)
	}
	fresh := opened(t, b.p.Main)
	fresh.analysis = analyze.New(analyze.Options{Memory: 1}) // no child can live with that
	for _, depth := range []analyze.Depth{analyze.Checked, analyze.Text} {
		if found, err := fresh.Compare(t.Context(), tips, depth); err != nil || len(found) != 1 ||
			found[0].Certainty != conflict.Confirmed {
			t.Errorf("%s: %+v, %v", depth, found, err)
		}
	}
	var stopped *analyze.Stopped
	added := []change.File{{Kind: change.Added, Path: "a/b.go", NewMode: change.ModeFile}}
	if _, err := fresh.analysis.Cycles(t.Context(), fresh.pairs, [2]string{tips[1].Head, tips[0].Head},
		added); !errors.As(err, &stopped) {
		t.Errorf("the search for cycles ends with %v", err)
	}
	if found, err := fresh.Compare(t.Context(), tips, analyze.Symbols); err != nil ||
		!slices.ContainsFunc(found, func(f conflict.Finding) bool {
			return strings.Contains(f.Message, "the analysis stopped")
		}) {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestCyclesComeFirst holds that the child which reads what agents wrote can be asked for cycles of imports before
// anything else.
func TestCyclesComeFirst(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, "", "init", "-q", "-b", "main")
	file := func(name, content string) string {
		return fmt.Sprintf("M 100644 inline %s\ndata %d\n%s\n", name, len(content), content)
	}
	commit := "commit refs/heads/%s\ncommitter C <c@example.org> 0 +0000\ndata 0\n"
	runGit(t, dir, fmt.Sprintf(commit, "main")+file("go.mod", "module m\n\ngo 1.22\n")+
		file("a/a.go", "package a\n\nimport _ \"m/b\"\n")+file("b/b.go", "package b\n")+
		fmt.Sprintf(commit, "circle")+"from refs/heads/main\n"+file("b/b.go", "package b\n\nimport _ \"m/a\"\n"),
		"fast-import", "--quiet")
	runGit(t, dir, "", "reset", "-q", "--hard", "main")
	closing := change.File{Kind: change.Modified, Path: "b/b.go", OldMode: 0o100644, NewMode: 0o100644}
	found, err := opened(t, dir).Cycles(t.Context(), runGit(t, dir, "", "rev-parse", "main"),
		runGit(t, dir, "", "rev-parse", "circle^{tree}"), []change.File{closing})
	if err != nil || len(found) != 1 || found[0].Path != "b/b.go" || found[0].Line != 3 {
		t.Errorf("%+v, %v", found, err)
	}
}
