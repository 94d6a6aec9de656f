package sandbox

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"delegate/scope"
)

// form is an expression of the profile language: a word, a text (in quotes), or a list.
type form struct {
	word string
	text bool
	list []form
}

// readProfile reads a profile into its rules.
func readProfile(t *testing.T, profile string) []form {
	t.Helper()
	var rules []form
	for rest := strings.TrimSpace(profile); rest != ""; rest = strings.TrimSpace(rest) {
		var f form
		f, rest = readForm(t, rest)
		rules = append(rules, f)
	}
	return rules
}

func readForm(t *testing.T, text string) (form, string) {
	t.Helper()
	switch {
	case text == "":
		t.Fatal("the profile ends inside of a rule")
	case text[0] == '(':
		var f form
		for text = strings.TrimSpace(text[1:]); !strings.HasPrefix(text, ")"); text = strings.TrimSpace(text) {
			var one form
			one, text = readForm(t, text)
			f.list = append(f.list, one)
		}
		return f, text[1:]
	case text[0] == '"':
		var b strings.Builder
		for i := 1; i < len(text); i++ {
			switch c := text[i]; c {
			case '"':
				return form{word: b.String(), text: true}, text[i+1:]
			case '\\':
				i++
				b.WriteString(strings.NewReplacer("n", "\n", "r", "\r", "t", "\t").Replace(text[i : i+1]))
			default:
				b.WriteByte(c)
			}
		}
		t.Fatal("the profile ends inside of a text")
	}
	end := strings.IndexAny(text, " \n()\"")
	if end <= 0 {
		t.Fatalf("the profile goes wrong at %.40q", text)
	}
	return form{word: text[:end]}, text[end:]
}

// attempt is something that a process wants to do.
type attempt struct{ operation, path, kind string }

// fits answers whether a condition is met; those about other things than paths are not.
func (f form) fits(a attempt) bool {
	arg := f.list[1]
	switch f.list[0].word {
	case "subpath":
		return a.path == arg.word || strings.HasPrefix(a.path, arg.word+"/")
	case "literal":
		return a.path == arg.word
	case "regex":
		return regexp.MustCompile("(?s)" + arg.word).MatchString(a.path)
	case "vnode-type":
		return a.kind == arg.word
	case "require-not":
		return !arg.fits(a)
	case "require-all":
		return !slices.ContainsFunc(f.list[1:], func(one form) bool { return !one.fits(a) })
	}
	return false
}

// allows evaluates a profile in the two ways that are thinkable, which have to agree: the last rule that fits decides,
// or the last one that names the very operation comes before those that name its family.
func allows(t *testing.T, rules []form, a attempt) bool {
	t.Helper()
	family, _, _ := strings.Cut(a.operation, "-")
	if parts := strings.Split(a.operation, "-"); len(parts) == 3 {
		family = parts[0] + "-" + parts[1]
	}
	var last, own, general string
	for _, r := range rules {
		verdict := r.list[0].word
		var operations []string
		var filters []form
		for _, part := range r.list[1:] {
			if part.list == nil {
				operations = append(operations, part.word)
			} else {
				filters = append(filters, part)
			}
		}
		if len(filters) > 0 && !slices.ContainsFunc(filters, func(f form) bool { return f.fits(a) }) {
			continue
		}
		if slices.Contains(operations, a.operation) {
			last, own = verdict, verdict
		} else if slices.Contains(operations, family+"*") || slices.Contains(operations, "default") {
			last, general = verdict, verdict
		}
	}
	specific := general
	if own != "" {
		specific = own
	}
	if specific != last {
		t.Errorf("%v: %q by the last rule, %q by the last one of its own", a, last, specific)
	}
	return last == "allow"
}

// mayWrite reports whether a plain file can be made, or changed, at the path.
func mayWrite(t *testing.T, rules []form, path string) bool {
	const file = "REGULAR-FILE"
	return allows(t, rules, attempt{"file-write-create", path, file}) &&
		allows(t, rules, attempt{"file-write-data", path, file})
}

func TestSeatbeltGolden(t *testing.T) {
	p := Policy{
		Worktree: "/Users/me/w (1)",
		Openings: []Opening{{"src", Whole}, {"docs", Files}, {"lib", Deep}},
		Seals: []Seal{{Path: "src/gen", Access: ReadOnly, Make: true}, {Path: "lib/a.c", Access: ReadOnly},
			{Path: "lib/x", Access: Held}},
		Writable: []string{"/private/tmp/home"}, Fixed: []string{"/private/tmp/home/config"},
		Hidden: []string{"/Users/me/.ssh"}, Programs: []string{"/usr/local/bin/claude"},
		Network: Network{Mode: Listed, Port: 8118},
	}
	golden := filepath.Join("testdata", "seatbelt.sb")
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := seatbeltProfile(p); got != string(want) {
		t.Errorf("not as in %s:\n%s", golden, got)
	}
}

func TestSeatbeltQuotesPaths(t *testing.T) {
	odd := "/w/a\"b\\c(d)\n\t;e[f]^$.*+?{g}|h#i"
	rules := readProfile(t, seatbeltProfile(Policy{
		Worktree: odd, Openings: []Opening{{"in\".(x)", Files}, {"whole\n", Whole}},
		Seals:    []Seal{{Path: "whole\n/no\\", Access: ReadOnly, Make: true}},
		Writable: []string{odd + " home"}, Hidden: []string{odd + " secret"},
	}))
	for _, path := range []string{odd + "/in\".(x)/f", odd + "/in\".(x)/f\ng", odd + "/whole\n/f", odd + " home/f"} {
		if !mayWrite(t, rules, path) {
			t.Errorf("%q cannot be written", path)
		}
	}
	for _, path := range []string{odd + "/in\".(x)", odd + "/in\".(x)/f/g", odd + "/in\"y(x)/f", odd + "/whole\n/no\\",
		odd + "/whole\n/NO\\/f", odd + " other", "/w/f"} {
		if mayWrite(t, rules, path) {
			t.Errorf("%q can be written", path)
		}
	}
	if allows(t, rules, attempt{"file-read-data", odd + " secret/key", "REGULAR-FILE"}) {
		t.Error("what is hidden can be read")
	}
}

func TestSeatbeltKeepsFoldersInPlace(t *testing.T) {
	rules := readProfile(t, seatbeltProfile(Policy{
		Worktree: "/w", Openings: []Opening{{"src/a", Whole}, {"deep", Deep}, {"deep/own", Whole}},
		Writable: []string{"/var/x/home", "/w-outer", "/plain"},
		Seals: []Seal{{Path: "src/a/gen", Access: Held}, {Path: "src/a/gen/no", Access: ReadOnly},
			{Path: "deep/f", Access: ReadOnly}, {Path: "src/a/raw/no", Access: ReadOnly}},
		Fixed:  []string{"/var/x/home/git/config"},
		Hidden: []string{"/w-outer/sub/key"},
	}))
	const folder = "DIRECTORY"
	for _, path := range []string{"/w", "/w/src", "/w/src/a", "/w/src/a/gen", "/w/src/a/gen/no", "/w/src/a/raw",
		"/plain", "/w/deep", "/w/deep/any", "/w/deep/own", "/private/var/x/home", "/private/var/x/home/git", "/w-outer",
		"/w-outer/sub"} {
		if allows(t, rules, attempt{"file-write-unlink", path, folder}) {
			t.Errorf("%s can be moved away", path)
		}
		if allows(t, rules, attempt{"file-write-create", path, "SYMLINK"}) && path != "/w/deep/any" {
			t.Errorf("a link can be put at %s", path)
		}
	}
	for _, path := range []string{"/w/src/a/other", "/w/deep/own/sub", "/private/var/x/home/other", "/w-outer/other"} {
		if !allows(t, rules, attempt{"file-write-unlink", path, folder}) {
			t.Errorf("%s cannot be removed", path)
		}
	}
	for path, can := range map[string]bool{"/w/src": true, "/w/src/a": true, "/w/src/a/gen": true,
		"/w/src/a/gen/no": false, "/w/deep/new": true, "/w/other": false, "/w/src/b": false} {
		if allows(t, rules, attempt{"file-write-create", path, folder}) != can {
			t.Errorf("the folder %s can be made: %v, want %v", path, !can, can)
		}
	}
	if mayWrite(t, rules, "/private/var/x/home/git/config") || mayWrite(t, rules, "/w-outer/sub/key") {
		t.Error("what is fixed or hidden can be written")
	}
}

func TestSeatbeltGivesBackWhatIsHeld(t *testing.T) {
	rules := readProfile(t, seatbeltProfile(Policy{
		Worktree: "/w", Openings: []Opening{{"d", Files}, {"d/sub/x", Files}, {"s", Whole}},
		Seals: []Seal{{Path: "d/sub", Access: ReadOnly}, {Path: "s/ro", Access: ReadOnly},
			{Path: "d/sub/x", Access: Held},
			{Path: "s/ro/held", Access: Held}, {Path: "s/ro/held/no", Access: ReadOnly}},
	}))
	for path, can := range map[string]bool{
		"/w/d/f": true, "/w/d/sub/f": false, "/w/d/sub/x/f": true, "/w/d/sub/x/y/f": false, "/w/s/f": true,
		"/w/s/ro/f": false, "/w/s/ro/held/f": true, "/w/s/ro/held/no/f": false,
	} {
		if mayWrite(t, rules, path) != can {
			t.Errorf("%s can be written: %v, want %v", path, !can, can)
		}
	}
}

func TestSeatbeltNetwork(t *testing.T) {
	with := func(n Network) string { return seatbeltProfile(Policy{Worktree: "/w", Network: n}) }
	const none, port, names = "(deny network*)\n", "(allow network-outbound (remote ip \"localhost:8118\"))\n",
		"mDNSResponder"
	tests := []struct {
		network        Network
		has, hasNot    string
		alsoHas, title string
	}{
		{Network{}, names, none, "(deny network-outbound (remote unix-socket))\n", "open"},
		{Network{Mode: None}, none, names, none, "none"},
		{Network{Mode: Listed, Port: 8118}, none, names, port, "listed"},
	}
	for _, test := range tests {
		text := with(test.network)
		if !strings.Contains(text, test.has) || !strings.Contains(text, test.alsoHas) ||
			strings.Contains(text, test.hasNot) {
			t.Errorf("network %s:\n%s", test.title, text)
		}
		if test.network.Mode != Listed && strings.Contains(text, "remote ip") {
			t.Errorf("network %s lets something through", test.title)
		}
	}
	if text := with(Network{Mode: Listed, Port: 8118}); strings.Index(text, none) > strings.Index(text, port) {
		t.Error("the port of the proxy is opened before everything is closed")
	}
}

func TestResolvedFollowsLinks(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(link, "gone")
	p := Policy{Worktree: link, Writable: []string{link}, Fixed: []string{link}, Hidden: []string{gone},
		Programs: []string{link}}.resolved()
	if got, want := fmt.Sprint(p.Worktree, p.Writable, p.Fixed, p.Hidden, p.Programs), fmt.Sprint(dir, []string{dir},
		[]string{dir}, []string{gone}, []string{dir}); got != want {
		t.Errorf("resolved %s, want %s", got, want)
	}
}

// TestSeatbeltKeepsScopes holds the profiles of scopes to the scopes' own verdicts, for paths that
// are there and for new ones.
func TestSeatbeltKeepsScopes(t *testing.T) {
	files := []string{"README.md", "Makefile", "src/a.go", "src/a.c", "src/old/b.go", "src/p/b.go", "src/p/b_test.go",
		"src/p/q/c_test.go", "docs/d.md", "docs/deep/e.md", "lib/x/y/f", "lib/z", ".git", ".claude/x"}
	for _, lists := range [][2]string{
		{"src/**", ""}, {"src/**", "src/old/**"}, {"src/** docs/**", "src/made.go src/gen/deep/**"},
		{"README.md src/*.go docs/** lib/x/**", ""},
		{"src/**/*_test.go", "src/**/big_test.go"}, {"src/**", "**/*.lock"}, {"**/*.md", "docs/deep/**"},
		{"*.md lib/new/deeper/**", ""}, {"src/p/** src/*.c", "src/p/q/**"}, {"{src,lib}/x/** Makefile", ""},
	} {
		t.Run(lists[0]+" - "+lists[1], func(t *testing.T) {
			holdToScope(t, strings.Fields(lists[0]), strings.Fields(lists[1]), files)
		})
	}
}

func holdToScope(t *testing.T, allowed, forbidden, files []string) {
	work := t.TempDir()
	there := map[string]bool{}
	folders := map[string]bool{"": true}
	for _, f := range files {
		there[f] = true
		for at := parent(f); at != ""; at = parent(at) {
			folders[at] = true
		}
		if err := os.MkdirAll(filepath.Join(work, filepath.Dir(f)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(work, f), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	limits, err := scope.New(scope.Config{Allowed: allowed, Forbidden: forbidden})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(limits, work, nil)
	if err != nil {
		t.Fatal(err)
	}
	rules := readProfile(t, seatbeltProfile(p))
	samples := slices.Clone(files)
	for folder := range folders {
		for _, name := range []string{"new", "new.go", "new.md", "new_test.go", "big_test.go", "go.lock", "made.go",
			"MADE.go", ".git", "gen/deep/f", "GEN/Deep/f", "gen/f", "new/deeper/f", "x/f"} {
			samples = append(samples, path.Join(folder, name))
		}
	}
	loose := strings.Join(p.Loose, "\n")
	for _, path := range samples {
		can, may := mayWrite(t, rules, filepath.Join(work, path)), limits.Check(path).Allowed
		// git's own at every depth is for the gate
		named := !there[path] && (strings.Contains(loose, "new files below") || filepath.Base(path) == ".git")
		for _, o := range p.Openings { // new files in openings of names are for the watch and the gate
			named = named || !there[path] &&
				(o.Kind == Files && parent(path) == o.Path || o.Kind == Deep && scope.Within(path, o.Path))
		}
		if can && !may && !named {
			t.Errorf("%s can be written and is not allowed", path)
		}
		if may && !can && path == strings.ToLower(path) {
			t.Errorf("%s is allowed and cannot be written", path)
		}
		if there[path] && !may && allows(t, rules,
			attempt{"file-write-unlink", filepath.Join(work, path), "REGULAR-FILE"}) {
			t.Errorf("%s can be removed and is not allowed", path)
		}
	}
}
