package scope

import (
	"fmt"
	"strings"
	"testing"
)

// module lists patterns of the kind that plans have.
func module(name string, n int) []string {
	forms := []string{"src/%s/m%d/**", "tests/%s/test_%d_*.py", "docs/%s/%d.md", "{src,lib}/%s/part%d/*.{go,c,h}",
		"cmd/%s/**/x%d.go"}
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf(forms[i%len(forms)], name, i)
	}
	return out
}

// stars lists patterns with six "**" each.
func stars(folder, extension string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strings.Repeat(fmt.Sprintf("**/%s%d*/", folder, i), 5) + "**/*." + extension
	}
	return out
}

// hardPairs are pairs of scopes with fifty patterns of six "**" on each side.
var hardPairs = []struct {
	name     string
	a, b     Config
	overlaps bool
}{
	{"overlapping", Config{Allowed: stars("a", "go", 50)}, Config{Allowed: stars("b", "go", 50)}, true},
	{"disjoint", Config{Allowed: stars("a", "go", 50)}, Config{Allowed: stars("b", "ts", 50)}, false},
	{
		"forbidden one by one",
		Config{Allowed: stars("a", "go", 50), Forbidden: stars("b", "go", 50)}, Config{Allowed: stars("b", "go", 50)},
		false,
	},
	{
		"forbidden as a whole",
		Config{Allowed: stars("a", "go", 50)}, Config{Allowed: stars("b", "go", 50), Forbidden: []string{"**/*.g?"}},
		false,
	},
	{
		"forbidden in part",
		Config{Allowed: stars("a", "go", 50), Forbidden: stars("", "g*", 50)},
		Config{Allowed: stars("b", "go", 50), Forbidden: stars("a", "*", 9)[2:]}, true,
	},
}

func TestOverlapHard(t *testing.T) {
	for _, c := range hardPairs {
		t.Run(c.name, func(t *testing.T) {
			a, b := mustNew(t, c.a), mustNew(t, c.b)
			witness, ok := Overlap(a, b)
			if ok != c.overlaps {
				t.Errorf("Overlap = %q, %v", witness, ok)
			}
			if ok && (!a.Check(witness).Allowed || !b.Check(witness).Allowed) {
				t.Errorf("witness %q: %v; %v", witness, a.Check(witness), b.Check(witness))
			}
		})
	}
}

// Everything is forbidden here: every path with both an "a" and a "b", and the two without.
// To see that, a search must look at nearly all the ways to begin.
func TestOverlapGivesUpOnTheSafeSide(t *testing.T) {
	const n = 14
	var forbidden []string
	for i := range n {
		for j := range n {
			choice := strings.Split(strings.Repeat("?", n), "")
			choice[i], choice[j] = "a", "b"
			if i != j {
				forbidden = append(forbidden, strings.Join(choice, "/"))
			}
		}
	}
	forbidden = append(forbidden, strings.Repeat("a/", n-1)+"a", strings.Repeat("b/", n-1)+"b")
	allowed := strings.Repeat("[ab]/", n-1) + "[ab]"
	a := mustNew(t, Config{Allowed: []string{allowed}, Forbidden: forbidden})
	witness, ok := Overlap(a, mustNew(t, Config{Allowed: []string{allowed, "z"}}))
	if !ok {
		t.Fatal("decided: this test needs a harder question")
	}
	if !mustParse(t, allowed).Match(witness) {
		t.Errorf("assumed witness %q does not match %q", witness, allowed)
	}
	if w := a.Warnings(); len(w) > 0 {
		t.Errorf("warnings %v about what was not decided", w)
	}
}

func BenchmarkNew(b *testing.B) {
	c := Config{Allowed: module("limit", 15), Forbidden: module("legacy", 5)}
	b.ReportAllocs()
	for b.Loop() {
		mustNew(b, c)
	}
}

func BenchmarkCheck(b *testing.B) {
	s := mustNew(b, Config{Allowed: module("limit", 15), Forbidden: module("legacy", 5)})
	for name, path := range map[string]string{
		"allowed": "cmd/limit/a/b/x14.go", "outside": "src/a/b/c/other.go", "forbidden": "src/legacy/m0/x/y.go",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Check(path)
			}
		})
	}
}

func BenchmarkOverlap(b *testing.B) {
	x := mustNew(b, Config{Allowed: module("limit", 5), Forbidden: []string{"**/legacy/**"}})
	for name, y := range map[string]*Scope{
		"disjoint":    mustNew(b, Config{Allowed: module("parser", 5)[:4]}),
		"overlapping": mustNew(b, Config{Allowed: append(module("parser", 4), "src/limit/**")}),
	} {
		if _, ok := Overlap(x, y); ok != (name == "overlapping") {
			b.Fatalf("%s: Overlap = %v", name, ok)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Overlap(x, y)
			}
		})
	}
}

func BenchmarkOverlapHard(b *testing.B) {
	for _, c := range hardPairs {
		x, y := mustNew(b, c.a), mustNew(b, c.b)
		b.Run(strings.ReplaceAll(c.name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Overlap(x, y)
			}
		})
	}
}
