package scope

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// naiveMatch is the grammar of the package comment, read off directly and without any care for time:
// it works on the text of the pattern and shares nothing with the package.
// The pattern must be one that ParsePattern accepts, the path must be clean.
func naiveMatch(pattern, path string) bool {
	for _, p := range naiveBraces([]rune(pattern)) {
		var segments []string
		folder := false
		for _, s := range naiveSplit(p, '/') {
			if folder = s == "" || s == "."; !folder {
				segments = append(segments, s)
			}
		}
		parts := strings.Split(path, "/")
		if naiveSegments(segments, parts) || folder && naiveSegments(append(segments, "**"), parts) {
			return true
		}
	}
	return false
}

// naiveUnit returns the length of the escape, class or character at the start of p.
func naiveUnit(p []rune) int {
	switch p[0] {
	case '\\':
		return 2
	case '[':
		i := 1
		if p[i] == '!' || p[i] == '^' {
			i++
		}
		for start := i; p[i] != ']' || i == start; i++ {
			if p[i] == '\\' {
				i++
			}
		}
		return i + 1
	}
	return 1
}

// naiveSplit cuts at every sep outside of escapes, classes and braces.
func naiveSplit(p []rune, sep rune) []string {
	out := []string{""}
	depth := 0
	for len(p) > 0 {
		n := naiveUnit(p)
		switch {
		case p[0] == sep && depth == 0:
			out = append(out, "")
			p = p[1:]
			continue
		case p[0] == '{':
			depth++
		case p[0] == '}':
			depth--
		}
		out[len(out)-1] += string(p[:n])
		p = p[n:]
	}
	return out
}

func naiveBraces(p []rune) [][]rune {
	open := 0
	for open < len(p) && p[open] != '{' {
		open += naiveUnit(p[open:])
	}
	if open >= len(p) {
		return [][]rune{p}
	}
	end, depth := open, 0
	for {
		switch p[end] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			break
		}
		end += naiveUnit(p[end:])
	}
	var out [][]rune
	for _, choice := range naiveSplit(p[open+1:end], ',') {
		out = append(out, naiveBraces(slices.Concat(p[:open], []rune(choice), p[end+1:]))...)
	}
	return out
}

func naiveSegments(pattern, path []string) bool {
	switch {
	case len(pattern) == 0:
		return len(path) == 0
	case pattern[0] == "**" && len(pattern) == 1:
		return len(path) > 0
	case pattern[0] == "**":
		return naiveSegments(pattern[1:], path) || len(path) > 0 && naiveSegments(pattern, path[1:])
	}
	return len(path) > 0 && naiveText([]rune(pattern[0]), []rune(path[0])) && naiveSegments(pattern[1:], path[1:])
}

func naiveText(p, s []rune) bool {
	if len(p) == 0 {
		return len(s) == 0
	}
	if p[0] == '*' {
		return naiveText(p[1:], s) || len(s) > 0 && naiveText(p, s[1:])
	}
	n := naiveUnit(p)
	return len(s) > 0 && naiveChar(p[:n], s[0]) && naiveText(p[n:], s[1:])
}

func naiveChar(unit []rune, r rune) bool {
	switch unit[0] {
	case '?':
		return true
	case '\\':
		return r == unit[1]
	case '[':
		return naiveClass(unit[1:len(unit)-1], r)
	}
	return r == unit[0]
}

func naiveClass(body []rune, r rune) bool {
	not := body[0] == '!' || body[0] == '^'
	if not {
		body = body[1:]
	}
	take := func() rune {
		if body[0] == '\\' {
			body = body[1:]
		}
		c := body[0]
		body = body[1:]
		return c
	}
	in := false
	for len(body) > 0 {
		lo := take()
		hi := lo
		if len(body) > 1 && body[0] == '-' {
			body = body[1:]
			hi = take()
		}
		in = in || lo <= r && r <= hi
	}
	return in != not
}

// automatonMatch runs the automaton of Overlap over a path.
func automatonMatch(p Pattern, path string) bool {
	a := newAlphabet(p.globs)
	return slices.ContainsFunc(p.globs, func(g *glob) bool {
		m := newAutomaton(g, a)
		states := []uint16{0}
		for _, r := range path {
			var next []uint16
			for _, at := range states {
				next = m.step(next, at, symbolOf(a, p, r))
			}
			slices.Sort(next)
			states = slices.Compact(next)
		}
		return slices.ContainsFunc(states, m.accepts)
	})
}

// symbolOf finds the symbol of a character by its behaviour: all classes must treat it like the symbol's face.
func symbolOf(a *alphabet, p Pattern, r rune) symbol {
	for i, l := range a.symbols {
		same := (l.r == '/') == (r == '/') && (l.r == '.') == (r == '.')
		for _, g := range p.globs {
			for _, s := range g.segments {
				for _, x := range s.atoms {
					same = same && (x.star || x.class.has(l.r) == x.class.has(r))
				}
			}
		}
		if same {
			return symbol(i)
		}
	}
	panic("no symbol for " + string(r))
}

// randomPattern writes patterns over a small alphabet, so that they hit and miss about equally; most of them parse.
func randomPattern(r *rand.Rand) string {
	var b strings.Builder
	randomSegments(r, &b, 2)
	if r.IntN(8) == 0 {
		b.WriteByte('/')
	}
	return b.String()
}

func randomSegments(r *rand.Rand, b *strings.Builder, depth int) {
	for i := range 1 + r.IntN(3) {
		if i > 0 {
			b.WriteByte('/')
		}
		if r.IntN(4) == 0 {
			b.WriteString("**")
			continue
		}
		for range 1 + r.IntN(3) {
			randomUnit(r, b, depth)
		}
	}
}

func randomUnit(r *rand.Rand, b *strings.Builder, depth int) {
	units := []string{
		"a", "a", "b", "b", "a", ".", "*", "*", "?", "[ab]", "[!a]", "[^b.]", "[a-c]", "[+-9]", "[!.-0]", "[]a]",
		"[!]a]", "[a-]", `\*`, `\[`, "-", "é", "**", "[!-]", "[.!]", `[\]-a]`, "[!!a]", "[a-bé]", "[.]",
	}
	if depth == 0 || r.IntN(8) > 0 {
		b.WriteString(units[r.IntN(len(units))])
		return
	}
	b.WriteByte('{')
	for i := range 2 + r.IntN(2) {
		if i > 0 {
			b.WriteByte(',')
		}
		switch r.IntN(4) {
		case 0:
			randomSegments(r, b, depth-1)
		case 1:
		default:
			randomUnit(r, b, depth-1)
		}
	}
	b.WriteByte('}')
}

func randomPath(r *rand.Rand) string {
	chars := []string{"a", "a", "b", "b", "/", "/", ".", "-", "*", "[", "]", "é", "c", "!", "\n", "\xff", "+"}
	for {
		var b strings.Builder
		for range 1 + r.IntN(7) {
			b.WriteString(chars[r.IntN(len(chars))])
		}
		if path, err := CleanPath(b.String()); err == nil {
			return path
		}
	}
}

// mustParse parses patterns that the test knows to be good.
func mustParse(t testing.TB, s string) Pattern {
	t.Helper()
	p, err := ParsePattern(s)
	if err != nil {
		t.Fatalf("ParsePattern(%q): %v", s, err)
	}
	return p
}

// compareEngines fails the test if gobwas/glob, the automaton and the naive matcher differ on a clean path.
func compareEngines(t *testing.T, p Pattern, path string) bool {
	t.Helper()
	want := naiveMatch(p.String(), path)
	if got := p.Match(path); got != want {
		t.Errorf("%q.Match(%q) = %v, the naive matcher says %v", p, path, got, want)
	}
	if got := automatonMatch(p, path); got != want {
		t.Errorf("automaton of %q on %q = %v, the naive matcher says %v", p, path, got, want)
	}
	return want
}

func TestEnginesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parsed, hits, misses := 0, 0, 0
	for range 1000 {
		p, err := ParsePattern(randomPattern(r))
		if err != nil {
			continue
		}
		parsed++
		for range 25 {
			if compareEngines(t, p, randomPath(r)) {
				hits++
			} else {
				misses++
			}
		}
		if t.Failed() {
			return
		}
	}
	// A generator that hardly ever hits would prove nothing.
	if parsed < 600 || hits < 1000 || misses < 4000 {
		t.Errorf("weak sample: %d patterns, %d hits, %d misses", parsed, hits, misses)
	}
}

func FuzzMatchAgainstNaive(f *testing.F) {
	for _, seed := range []struct{ pattern, path string }{
		{"src/**/*.go", "src/a.go"},
		{"{src,test}/**/*.go", "test/x/y.go"},
		{"**/x", "x"},
		{"[!b]/x", "a/x"},
		{"a{/**,}", "a/b"},
		{`\[a\]*`, "[a]b"},
		{"[]a-]", "]"},
		{"a/**/b/**/c/", "a/b/c/d"},
		{"[+-9]", "."},
		{"*", "\xff"},
		{"[!-]", "-"},
	} {
		f.Add(seed.pattern, seed.path)
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 40 || len(path) > 24 {
			t.Skip("the naive matcher is exponential")
		}
		p, err := ParsePattern(pattern)
		if err != nil {
			t.Skip("refused")
		}
		clean, err := CleanPath(path)
		if err != nil {
			if p.Match(path) {
				t.Errorf("%q.Match(%q) is true for a refused path", p, path)
			}
			return
		}
		compareEngines(t, p, clean)
	})
}
