package scope

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

// mustNew makes a scope that the test knows to be good.
func mustNew(t testing.TB, c Config) *Scope {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatalf("New(%+v): %v", c, err)
	}
	return s
}

func TestCheck(t *testing.T) {
	s := mustNew(t, Config{
		Allowed:   []string{"src/**", "docs/**", "**/*.md", "top"},
		Forbidden: []string{"src/legacy/**", "**/secret.md"},
		Roots:     []string{"src", "docs", "t*"},
		Manager:   []string{"src/.delegate/**"},
	})
	for _, c := range []struct {
		path   string
		reason Reason
		want   string
	}{
		{"src/a.go", Allowed, `allowed by "src/**"`},
		{"./src//a.go", Allowed, `allowed by "src/**"`},
		{"top", Allowed, `allowed by "top"`},
		{"src/a\nb", Allowed, `allowed by "src/**"`},
		{"src/legacy", Allowed, `allowed by "src/**"`},
		{"src/legacy/x", Forbidden, `forbidden by "src/legacy/**"`},
		{"docs/secret.md", Forbidden, `forbidden by "**/secret.md"`},
		{"docs/01_progress.md", ForbiddenAlways, `always forbidden by "docs/01_progress.md"`},
		{"docs/00_MASTER_INDEX.md", ForbiddenAlways, `always forbidden by "docs/00_MASTER_INDEX.md"`},
		{"docs/logs/delegation_registry.md", ForbiddenAlways, `always forbidden by "docs/logs/**"`},
		{"docs/logs", ForbiddenAlways, `always forbidden by "docs/logs"`},
		{".claude/x.md", ForbiddenAlways, `always forbidden by ".claude/**"`},
		{".git", ForbiddenAlways, `always forbidden by ".git"`},
		{".git/config", ForbiddenAlways, `always forbidden by ".git/**"`},
		{"src/sub/.git", ForbiddenAlways, `always forbidden by "**/.git"`},
		{"src/sub/.git/hooks/x", ForbiddenAlways, `always forbidden by "**/.git/**"`},
		{".delegate.yaml", ForbiddenAlways, `always forbidden by ".delegate.yaml"`},
		{"src/.delegate/x", ForbiddenAlways, `always forbidden by "src/.delegate/**"`},
		{"src/.gitignore", Allowed, `allowed by "src/**"`},
		{"docs/logs.md", Allowed, `allowed by "docs/**"`},
		{"lib/a.go", OutsideScope, `outside the scope (allowed: src/**, docs/**, **/*.md, top)`},
		{"src", OutsideScope, `outside the scope (allowed: src/**, docs/**, **/*.md, top)`},
		{"lib/a.md", OutsideRoots, `outside the allowed roots (src, docs, t*)`},
		{"../x", BadPath, `bad path (path "../x" contains "..")`},
		{"", BadPath, `bad path (path "" is empty)`},
	} {
		v := s.Check(c.path)
		if v.Reason != c.reason || v.String() != c.want || v.Allowed != (c.reason == Allowed) {
			t.Errorf("Check(%q) = %v (%+v), want %s", c.path, v, v, c.want)
		}
	}
}

func TestCheckFoldsCaseOfAlwaysForbidden(t *testing.T) {
	s := mustNew(t, Config{Allowed: []string{"**/*.md", "**/conf*"}, Forbidden: []string{"legacy/**"}})
	for _, path := range []string{
		"Docs/01_Progress.MD", "docs/LOGS/x.md", ".Claude/a.md", "x/.GIT/config", ".gIt/config",
		".c\u212Aaude/config", // not a fold of "l"
	} {
		want := !strings.Contains(path, "\u212A")
		if got := s.Check(path).Reason == ForbiddenAlways; got != want {
			t.Errorf("Check(%q) = %v, want always forbidden: %v", path, s.Check(path), want)
		}
	}
	if v := s.Check("Legacy/a.md"); !v.Allowed {
		t.Errorf("a forbidden pattern of the user folds case: %v", v)
	}
	folded := mustNew(t, Config{Allowed: []string{"x/*"}, Manager: []string{"x/[k-l]s"}})
	for _, path := range []string{"x/ks", "x/LS", "x/\u212A\u017F"} {
		if v := folded.Check(path); v.Allowed {
			t.Errorf("Check(%q) = %v", path, v)
		}
	}
}

// Every pattern of AlwaysForbidden holds, whatever is allowed.
func TestAlwaysForbiddenWins(t *testing.T) {
	always := AlwaysForbidden()
	s := mustNew(t, Config{Allowed: append([]string{"x"}, always...)})
	for _, a := range always {
		path := strings.ReplaceAll(a, "**", "x")
		if v := s.Check(path); v.Allowed {
			t.Errorf("Check(%q) = %v", path, v)
		}
	}
	always[0] = "changed"
	if AlwaysForbidden()[0] == "changed" {
		t.Error("the list can be changed from outside")
	}
}

func TestNewRefusesEverything(t *testing.T) {
	for _, allowed := range [][]string{
		{"*"}, {"**/*"}, {"**/**"}, {"./**"}, {"."}, {"./"}, {"**/"}, {"***"}, {"?*"}, {"*/"}, {"*/**", "*"},
		{"{*,**/*}"}, {"{a,**}"}, {"**/?*"}, {"*{*,a}"}, {"[!a]*", "a*"}, {".*", "[!.]*", "x/y"}, {"src/a", "**"},
	} {
		_, err := New(Config{Allowed: allowed, Forbidden: []string{"x/**"}})
		var faults *FaultsError
		if !errors.As(err, &faults) || !strings.Contains(err.Error(), "matches every path") {
			t.Errorf("New(%q) = %v, want a refusal", allowed, err)
		}
	}
	for _, allowed := range [][]string{
		{"src/**"}, {"*.md"}, {"**/*.go"}, {"*/**"}, {"[!.]*"}, {"*.*", "src/*"}, {"**/src/**"}, {"??*"},
	} {
		mustNew(t, Config{Allowed: allowed})
	}
}

func TestEverything(t *testing.T) {
	s := mustNew(t, Config{Allowed: []string{Everything}, Forbidden: []string{"x/**"}})
	for path, want := range map[string]bool{"a": true, "a/b/c": true, "x/y": false, ".git/config": false,
		"docs/logs/a": false, ".delegate.yaml": false} {
		if v := s.Check(path); v.Allowed != want {
			t.Errorf("Check(%q) = %v, want allowed %t", path, v, want)
		}
	}
	if warnings := s.Warnings(); len(warnings) > 0 {
		t.Errorf("warns of %v", warnings)
	}
}

func TestNewReportsAllFaults(t *testing.T) {
	_, err := New(Config{
		Allowed:   []string{"src/**", "/abs", "**"},
		Forbidden: []string{"a/../b", "ok"},
		Roots:     []string{"{"},
		Manager:   []string{""},
	})
	var faults *FaultsError
	if !errors.As(err, &faults) {
		t.Fatalf("New: %v", err)
	}
	var got []string
	for _, f := range faults.Faults {
		got = append(got, f.Field+" "+f.Pattern)
	}
	want := []string{"allowed /abs", "forbidden a/../b", "allowed root {", "manager ", "allowed **"}
	if !slices.Equal(got, want) {
		t.Errorf("faults %q, want %q", got, want)
	}
	if lines := strings.Count(err.Error(), "\n") + 1; lines != len(want) {
		t.Errorf("%d lines in %q", lines, err)
	}
	var one *PatternError
	if !errors.As(err, &one) || one.Pattern != "/abs" {
		t.Errorf("errors.As finds %v", one)
	}
}

func TestNewRefusesLists(t *testing.T) {
	for name, c := range map[string]Config{
		"no allowed pattern":    {},
		"too many alternatives": {Allowed: slices.Repeat([]string{strings.Repeat("{a,b}", 10)}, 3)},
		"too long alternatives": {Allowed: slices.Repeat([]string{strings.Repeat("{aaaaaaaa,bbbbbbbb}/", 9) + "c"},
			4)},
		"too many forbidden ones": {Allowed: []string{"a"}, Forbidden: slices.Repeat([]string{"a"}, 2049)},
	} {
		var faults *FaultsError
		if _, err := New(c); !errors.As(err, &faults) {
			t.Errorf("%s: New gives %v", name, err)
		}
	}
}

func TestRoots(t *testing.T) {
	s := mustNew(t, Config{Allowed: []string{"{a,b,c}/**", "a", "x"}, Roots: []string{"a", "b/*", "c/d/"}})
	for path, want := range map[string]bool{
		"a": true, "a/x/y": true, "b/x": true, "b/x/y": false, "c/x": false, "c/d/x": true, "x": false,
	} {
		if v := s.Check(path); v.Allowed != want {
			t.Errorf("Check(%q) = %v", path, v)
		}
	}
}

func TestSelectAndLists(t *testing.T) {
	c := Config{Allowed: []string{"src/**", "./a"}, Forbidden: []string{"src/x/"}}
	s := mustNew(t, c)
	got := s.Select([]string{"src/b", "src/x/y", "README", "src/a", "a", ".git/config", ".."})
	if want := []string{"src/b", "src/a", "a"}; !slices.Equal(got, want) {
		t.Errorf("Select = %q, want %q", got, want)
	}
	if !slices.Equal(s.Allowed(), c.Allowed) || !slices.Equal(s.Forbidden(), c.Forbidden) {
		t.Errorf("lists %q, %q are not as written", s.Allowed(), s.Forbidden())
	}
	s.Allowed()[0] = "changed"
	if s.Allowed()[0] != "src/**" {
		t.Error("the scope can be changed from outside")
	}
}

func TestVerdictJSON(t *testing.T) {
	data, err := json.Marshal(mustNew(t, Config{Allowed: []string{"a"}}).Check("b"))
	if want := `{"Allowed":false,"Pattern":"","Reason":"outside the scope"}`; err != nil || string(data) != want {
		t.Errorf("JSON %s, %v, want %s", data, err, want)
	}
	if got := (Verdict{}).String(); got != "undecided" {
		t.Errorf("zero Verdict %q", got)
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		name string
		c    Config
		want string
	}{
		{"whole folder", Config{Allowed: []string{"src/**"}}, "1 src/**"},
		{"whole folder, trailing slash", Config{Allowed: []string{"src/"}}, "1 src/"},
		{"whole folder in two patterns", Config{Allowed: []string{"src/*", "src/*/**"}}, "1 src/*, src/*/**"},
		{"whole folder and a part of it", Config{Allowed: []string{"src/a", "src/**/*"}}, "1 src/a, src/**/*"},
		{"all folders", Config{Allowed: []string{"*/**"}}, "1 */**"},
		{"folder and something else", Config{Allowed: []string{"src/**", "go.mod"}}, ""},
		{"two folders", Config{Allowed: []string{"src/**", "tests/**"}}, ""},
		{"part of a folder", Config{Allowed: []string{"src/limit/**"}}, ""},
		{"files of a folder", Config{Allowed: []string{"src/*"}}, ""},
		{"anywhere", Config{Allowed: []string{"**/x/**"}}, ""},
		{"useless forbidden", Config{Allowed: []string{"src/a/**"}, Forbidden: []string{"src/b/**", "**/x"}},
			"2 src/b/**"},
		{"wholly forbidden", Config{Allowed: []string{"src/a/*", "src/b"}, Forbidden: []string{"src/a/"}}, "3 src/a/*"},
		{"wholly forbidden by two", Config{Allowed: []string{"a/[xy]", "b"}, Forbidden: []string{"a/x", "*/y"}},
			"3 a/[xy]"},
		{"always forbidden", Config{Allowed: []string{".Claude/x", "b"}}, "3 .Claude/x"},
		{"outside the roots", Config{Allowed: []string{"a/*", "b"}, Roots: []string{"b", "a/*/c"}}, "3 a/*"},
		{"within the roots but forbidden",
			Config{Allowed: []string{"a/*", "b"}, Roots: []string{"b", "a/x"}, Forbidden: []string{"a/x"}}, "3 a/*"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, w := range mustNew(t, c.c).Warnings() {
				got = append(got, string(rune('0'+w.Kind))+" "+w.Pattern)
				if w.Message == "" || !strings.Contains(w.String(), w.Pattern) {
					t.Errorf("warning reads %q", w)
				}
			}
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("warnings %q, want %q", s, c.want)
			}
		})
	}
}
