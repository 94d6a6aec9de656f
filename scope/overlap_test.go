package scope

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestOverlap(t *testing.T) {
	type list = []string
	for _, c := range []struct {
		name    string
		a, b    Config
		witness string // "" for none
	}{
		{"same folder", Config{Allowed: list{"src/**"}}, Config{Allowed: list{"src/*.go"}}, "src/a.go"},
		{"same file", Config{Allowed: list{"src/x.go"}}, Config{Allowed: list{"src/x.go"}}, "src/x.go"},
		{"other folder", Config{Allowed: list{"src/**"}}, Config{Allowed: list{"lib/**"}}, ""},
		{"other extension", Config{Allowed: list{"**/*.go"}}, Config{Allowed: list{"**/*.ts"}}, ""},
		{"other case", Config{Allowed: list{"src/A"}}, Config{Allowed: list{"src/a"}}, ""},
		{"folder and its name", Config{Allowed: list{"src/**"}}, Config{Allowed: list{"src"}}, ""},
		{"shared suffix", Config{Allowed: list{"**/*.go"}}, Config{Allowed: list{"*_test.go"}}, "a_test.go"},
		{"interleaved", Config{Allowed: list{"a/**/c/**"}}, Config{Allowed: list{"**/b/**/d"}}, "a/b/c/d"},
		{"one depth only", Config{Allowed: list{"a/*/c"}}, Config{Allowed: list{"**/b/c"}}, "a/b/c"},
		{"depths apart", Config{Allowed: list{"*/*"}}, Config{Allowed: list{"*.go"}}, ""},
		{"classes apart", Config{Allowed: list{"[a-m]*"}}, Config{Allowed: list{"[n-z]*"}}, ""},
		{"classes touch", Config{Allowed: list{"[a-m]*"}}, Config{Allowed: list{"[m-z]*"}}, "m"},
		{"complements", Config{Allowed: list{"[!a]"}}, Config{Allowed: list{"[!b]"}}, "c"},
		{"complements and a set", Config{Allowed: list{"x[!a]"}}, Config{Allowed: list{"x[abc]"}}, "xb"},
		{"dot names only", Config{Allowed: list{"?"}}, Config{Allowed: list{"[.]"}}, ""},
		{"dot names only, two", Config{Allowed: list{"??"}}, Config{Allowed: list{"[.][.-]"}}, ".-"},
		{"dot names, three", Config{Allowed: list{"???"}}, Config{Allowed: list{"[.][.][.]"}}, "..."},
		{"forbidden on one side", Config{Allowed: list{"src/**"}, Forbidden: list{"src/x/**"}},
			Config{Allowed: list{"src/x/**"}}, ""},
		{"forbidden on the other side", Config{Allowed: list{"src/x/**"}},
			Config{Allowed: list{"src/**"}, Forbidden: list{"src/x/"}}, ""},
		{"forbidden in part", Config{Allowed: list{"src/**"}, Forbidden: list{"src/a/**"}},
			Config{Allowed: list{"src/{a,b}/**"}}, "src/b/a"},
		{"forbidden together", Config{Allowed: list{"x/[ab]"}, Forbidden: list{"x/a"}},
			Config{Allowed: list{"x/*"}, Forbidden: list{"x/b"}}, ""},
		{"always forbidden", Config{Allowed: list{".claude/x"}}, Config{Allowed: list{".claude/*"}}, ""},
		{"always forbidden, folded", Config{Allowed: list{".Claude/x"}}, Config{Allowed: list{".Claude/*"}}, ""},
		{"around the always forbidden", Config{Allowed: list{"**/.g?t"}}, Config{Allowed: list{"x/*"}}, "x/.gat"},
		{"manager", Config{Allowed: list{"x/*"}, Manager: list{"x/"}}, Config{Allowed: list{"x/a"}}, ""},
		{"roots apart", Config{Allowed: list{"**/x"}, Roots: list{"a", "b"}},
			Config{Allowed: list{"**/x"}, Roots: list{"c"}}, ""},
		{"roots meet", Config{Allowed: list{"**/x"}, Roots: list{"a", "b"}},
			Config{Allowed: list{"**/x"}, Roots: list{"b/c"}}, "b/c/x"},
		{"roots of both", Config{Allowed: list{"**/x"}, Roots: list{"r"}},
			Config{Allowed: list{"**/x"}, Roots: list{"r"}}, "r/x"},
		{"roots of one", Config{Allowed: list{"**/x"}}, Config{Allowed: list{"a/*"}, Roots: list{"b"}}, ""},
		{"not the first pair", Config{Allowed: list{"a/*", "b/*.go"}}, Config{Allowed: list{"c/*", "b/?.*"}}, "b/a.go"},
		{"capitals", Config{Allowed: list{"[A-Z]*"}}, Config{Allowed: list{"*.md"}}, "A.md"},
		{"control characters at worst", Config{Allowed: list{"x[!-~]"}}, Config{Allowed: list{"x[! -\U0010FFFF]"}},
			"x\x01"},
		{"only unusual characters", Config{Allowed: list{"x[! -~]"}}, Config{Allowed: list{"x?"}}, "xª"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := mustNew(t, c.a), mustNew(t, c.b)
			witness, ok := Overlap(a, b)
			if witness != c.witness || ok != (c.witness != "") {
				t.Errorf("Overlap = %q, %v, want %q", witness, ok, c.witness)
			}
			back, backOK := Overlap(b, a)
			if backOK != ok || len(back) != len(witness) {
				t.Errorf("Overlap the other way = %q, %v, this way %q, %v", back, backOK, witness, ok)
			}
			if ok && (!a.Check(witness).Allowed || !b.Check(witness).Allowed) {
				t.Errorf("witness %q: %v; %v", witness, a.Check(witness), b.Check(witness))
			}
		})
	}
}

// smallPaths returns every clean path over the characters with at most n of them.
func smallPaths(chars string, n int) []string {
	var out []string
	level := []string{""}
	for range n {
		var next []string
		for _, head := range level {
			for _, c := range chars {
				next = append(next, head+string(c))
			}
		}
		for _, p := range next {
			if clean, err := CleanPath(p); err == nil && clean == p {
				out = append(out, p)
			}
		}
		level = next
	}
	return out
}

func randomConfig(r *rand.Rand) Config {
	lists := [3][]string{}
	for i, n := range []int{1 + r.IntN(2), r.IntN(4), max(0, r.IntN(5)-3)} {
		for range n {
			lists[i] = append(lists[i], randomPattern(r))
		}
	}
	return Config{Allowed: lists[0], Forbidden: lists[1], Roots: lists[2]}
}

// checkOverlap fails the test if Overlap names a path that is not allowed by both, or misses one of paths.
func checkOverlap(t *testing.T, a, b *Scope, paths []string) bool {
	t.Helper()
	about := func() string {
		return fmt.Sprintf("%q minus %q in %q against %q minus %q in %q",
			a.Allowed(), a.Forbidden(), written(a.roots), b.Allowed(), b.Forbidden(), written(b.roots))
	}
	witness, ok := Overlap(a, b)
	if ok && (!a.Check(witness).Allowed || !b.Check(witness).Allowed) {
		t.Errorf("%s: witness %q: %v; %v", about(), witness, a.Check(witness), b.Check(witness))
	}
	if clean, err := CleanPath(witness); ok && (err != nil || clean != witness) {
		t.Errorf("%s: witness %q is not clean", about(), witness)
	}
	if ok {
		return true
	}
	i := slices.IndexFunc(paths, func(p string) bool { return a.Check(p).Allowed && b.Check(p).Allowed })
	if i >= 0 {
		t.Errorf("%s: no overlap found, but both allow %q", about(), paths[i])
	}
	return false
}

func TestOverlapAgainstEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	paths := slices.Concat(smallPaths("ab/.", 5), smallPaths("abcé-.*", 2), smallPaths("a/b", 7))
	yes, no := 0, 0
	for range 500 {
		a, errA := New(randomConfig(r))
		b, errB := New(randomConfig(r))
		if errA != nil || errB != nil {
			continue
		}
		if checkOverlap(t, a, b, paths) {
			yes++
		} else {
			no++
		}
		if t.Failed() {
			return
		}
	}
	if yes < 50 || no < 50 {
		t.Errorf("weak sample: %d overlap, %d do not", yes, no)
	}
}

// Warnings and the refusals of New say "never" on the strength of the same search.
func TestUselessForbiddenAgainstEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	paths := smallPaths("ab/.", 6)
	warned := 0
	for range 400 {
		s, err := New(randomConfig(r))
		if err != nil {
			continue
		}
		for _, w := range s.Warnings() {
			p := mustParse(t, strings.SplitN(w.Pattern, ", ", 2)[0])
			for _, path := range paths {
				_, allowed := first(s.allowed, path)
				if w.Kind == UselessForbidden && allowed && p.Match(path) {
					t.Fatalf("%v: but %q is allowed by %q", w, path, s.Allowed())
				}
				if w.Kind == WhollyForbidden && p.Match(path) && s.Check(path).Allowed {
					t.Fatalf("%v: but %q is allowed", w, path)
				}
			}
			warned++
		}
	}
	if warned < 50 {
		t.Errorf("weak sample: %d warnings", warned)
	}
}

func FuzzOverlapWitness(f *testing.F) {
	for _, s := range [][5]string{
		{"src/**", "src/x/**", "src/*.go", "", "src/a.go"},
		{"**/*.{c,h}", "**/gen/**", "{a,b}/**/[!x]*", "b/**", "a/y.c"},
		{"?", "", "[.a]", "a", "."},
		{"[!a]*", "[!b]*", "b*/**", "**/c", "b/d"},
		{"a/**/b/**/c", "**/x/**", "**/a/**/c/", "a/c", "a/b/c/c"},
		{"[+-9]", "[.0]", "?", "[!-]", "-"},
	} {
		f.Add(s[0], s[1], s[2], s[3], s[4])
	}
	f.Fuzz(func(t *testing.T, allowA, forbidA, allowB, forbidB, path string) {
		if len(allowA)+len(forbidA)+len(allowB)+len(forbidB) > 120 {
			t.Skip("too long")
		}
		scopeOf := func(allow, forbid string) *Scope {
			c := Config{Allowed: []string{allow}}
			if forbid != "" {
				c.Forbidden = []string{forbid}
			}
			s, err := New(c)
			if err != nil {
				t.Skip("refused")
			}
			return s
		}
		checkOverlap(t, scopeOf(allowA, forbidA), scopeOf(allowB, forbidB), []string{path})
	})
}
