package project_test

import (
	"context"
	"encoding/hex"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/scope"
)

// pile is a tree to be made without a checkout, so that it can hold any name: path to content,
// where "@target" is a symbolic link, "!" a submodule and "+text" a program.
type pile map[string]string

func (p pile) with(more pile) pile {
	all := maps.Clone(p)
	for name, text := range more {
		if all[name] = text; text == "-" {
			delete(all, name)
		}
	}
	return all
}

// store runs git on the input once for each input.
func (b *box) store(input string, args ...string) string {
	b.Helper()
	key := strings.Join(args, " ") + "\x00" + input
	if b.stored[key] == "" {
		b.stored[key] = b.Feed(input, args...)
	}
	return b.stored[key]
}

// raw stores a file and answers with its id as trees hold it.
func (b *box) raw(text string) string {
	b.Helper()
	id, err := hex.DecodeString(b.Feed(text, "hash-object", "-w", "--stdin"))
	if err != nil {
		b.Fatal(err)
	}
	return string(id)
}

// tree stores the pile and answers with the id of its tree.
func (b *box) tree(p pile) string {
	b.Helper()
	below, lines := map[string]pile{}, []string{}
	for name, text := range p {
		if first, rest, deep := strings.Cut(name, "/"); deep {
			if below[first] == nil {
				below[first] = pile{}
			}
			below[first][rest] = text
			continue
		}
		mode, kind := "100644", "blob"
		id := strings.Repeat("1", 40)
		switch text[:1] {
		case "@":
			mode, text = "120000", text[1:]
		case "+":
			mode, text = "100755", text[1:]
		case "!":
			mode, kind = "160000", "commit"
		}
		if kind == "blob" {
			id = b.store(text, "hash-object", "-w", "--stdin")
		}
		lines = append(lines, mode+" "+kind+" "+id+"\t"+name+"\x00")
	}
	for name, inner := range below {
		lines = append(lines, "040000 tree "+b.tree(inner)+"\t"+name+"\x00")
	}
	slices.Sort(lines)
	return b.store(strings.Join(lines, ""), "mktree", "-z", "--missing")
}

// breaches is what Breaches says of all that differs between two trees.
func breaches(ctx context.Context, p *project.Project, s *scope.Scope, trees [2]string) ([]project.Breach, error) {
	files, err := p.Repo.Changes(ctx, trees[0], trees[1], git.RawEntries)
	if err != nil {
		return nil, err
	}
	return p.Breaches(ctx, s, trees[0], trees[1], files)
}

// judged is what Breaches says of a change from the one pile to the other, path to reason; those
// that nobody can allow begin with "never: ".
func (b *box) judged(p *project.Project, s *scope.Scope, from, to pile) map[string]string {
	b.Helper()
	found, err := breaches(b.Context(), p, s, [2]string{b.tree(from), b.tree(to)})
	if err != nil {
		b.Fatal(err)
	}
	all := map[string]string{}
	for _, breach := range found {
		text := breach.Reason
		if !breach.Allowable {
			text = "never: " + text
		}
		if all[breach.Path] != "" {
			b.Errorf("%q is told twice: %q and %q", breach.Path, all[breach.Path], text)
		}
		all[breach.Path] = text
	}
	return all
}

func limits(t *testing.T, allowed, forbidden string) *scope.Scope {
	t.Helper()
	s, err := scope.New(scope.Config{Allowed: strings.Fields(allowed), Forbidden: strings.Fields(forbidden)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ground is what every comparison starts from.
func ground() pile {
	return pile{
		"src/a": "a\n", "src/deep/x": "x\n", "src/legacy/old": "o\n", "lib/out": "out\n", "README": "r\n",
		"src/away": "@../../elsewhere", "src/Two": "1", "src/two": "2", "src/sub": "!",
		".gitattributes":           "[attr]big filter=lfs\n*.png big\n",
		"src/known/.gitattributes": "*.bin filter=lfs -text\n",
	}
}

func TestBreachesOfEntries(t *testing.T) {
	t.Parallel()
	b := newBox(t, nil)
	p := b.project()
	for name, test := range map[string]struct {
		allowed string // beside src/**
		change  pile
		path    string // of the only breach, "" if there is none
		reason  string // words of it; "never: " for one that cannot be allowed
	}{
		"in the scope":            {change: pile{"src/a": "b\n", "src/new/deep": "n", "src/deep/x": "-"}},
		"made a program":          {change: pile{"src/a": "+a\n"}},
		"line breaks and escapes": {change: pile{"src/a\nb\x1b": "x"}},
		"bytes that are no text":  {change: pile{"src/\xff\xfe": "x"}},
		"moved out": {change: pile{"src/a": "-", "lib/a": "a\n"}, path: "lib/a",
			reason: "src/**"},
		"moved in": {change: pile{"lib/out": "-", "src/out": "out\n"}, path: "lib/out",
			reason: "src/**"},
		"forbidden": {change: pile{"src/legacy/old": "n"}, path: "src/legacy/old",
			reason: "never: forbidden by"},
		"mode alone out of the scope": {change: pile{"lib/out": "+out\n"}, path: "lib/out", reason: "src/**"},
		"submodule added":             {change: pile{"src/mod": "!"}, path: "src/mod", reason: "never: adds"},
		"submodule removed":           {change: pile{"src/sub": "-"}, path: "src/sub", reason: "never: adds"},
		"submodule becomes a file":    {change: pile{"src/sub": "f"}, path: "src/sub", reason: "never: adds"},
		"file becomes a submodule": {allowed: "src/a", change: pile{"src/a": "!"}, path: "src/a",
			reason: "never: adds"},
		"modules by a wildcard": {allowed: ".git*", change: pile{".gitmodules": "[submodule \"x\"]\n"},
			path: ".gitmodules", reason: "by its full name"},
		"modules by name": {allowed: "./.gitmodules",
			change: pile{".gitmodules": "[submodule \"x\"]\n"}},
		"modules as a link": {allowed: ".gitmodules", change: pile{".gitmodules": "@src/a"},
			path: ".gitmodules", reason: "never: git does not"},
		"address of git-lfs by a wildcard": {allowed: "**/*.lfsconfig", change: pile{".lfsconfig": "[lfs]\n"},
			path: ".lfsconfig", reason: "by its full name"},
		"address of git-lfs by name": {allowed: ".lfsconfig", change: pile{".lfsconfig": "[lfs]\n"}},
		"modules elsewhere":          {change: pile{"src/.gitmodules": "x"}},
		"attributes as any file": {change: pile{"src/.gitattributes": "\ufeff# filter=lfs\n # merge=x\n" +
			"*.txt text eol=lf -diff\n"}},
		"attributes with a filter": {change: pile{"src/.gitattributes": "*.txt text filter=lfs"},
			path: "src/.gitattributes", reason: `"filter=lfs"`},
		"attributes with a merge driver": {change: pile{"src/.gitattributes": "a merge=union\n"},
			path: "src/.gitattributes", reason: `"merge=union"`},
		"attributes behind a quote": {change: pile{"src/.gitattributes": "\ufeff\"a b\"diff=x\n"},
			path: "src/.gitattributes", reason: `"diff=x"`},
		"attributes by a macro": {change: pile{"src/.gitattributes": "*.iso big\n"},
			path: "src/.gitattributes", reason: `"big"`},
		"attributes by a macro of a macro": {allowed: ".git?ttributes",
			change: pile{".gitattributes": "[attr]two one\n[attr]one big\n[attr]big filter=lfs\n*.png two\n"},
			path:   ".gitattributes", reason: `"one two"`},
		"attributes known before": {change: pile{"src/known/.gitattributes": "*.bin filter=lfs\n*.iso filter=lfs\n"}},
		"attributes by name": {allowed: `src/x\-y/.gitattributes`,
			change: pile{"src/x-y/.gitattributes": "* filter=lfs"}},
		"attributes taken away": {change: pile{"src/known/.gitattributes": "-"}},
		"attributes as a link": {change: pile{"src/.gitattributes": "@a"}, path: "src/.gitattributes",
			reason: "never: git does not"},
		"attributes in capitals": {change: pile{"src/.GitAttributes": "* text"}, path: "src/.GitAttributes",
			reason: `never: is ".gitattributes"`},
	} {
		t.Run(name, func(t *testing.T) {
			got := b.judged(p, limits(t, "src/** "+test.allowed, "src/legacy/**"), ground(), ground().with(test.change))
			if test.path == "" && len(got) != 0 ||
				test.path != "" && (len(got) != 1 || !strings.Contains(got[test.path], test.reason)) {
				t.Errorf("breaches %q, want %q with %q", got, test.path, test.reason)
			}
			if never := strings.HasPrefix(test.reason, "never: "); test.path != "" &&
				never != strings.HasPrefix(got[test.path], "never: ") && test.reason != "" {
				t.Errorf("%q: can be allowed: %v", got[test.path], never)
			}
		})
	}
}

func TestBreachesOfNames(t *testing.T) {
	t.Parallel()
	b := newBox(t, nil)
	p := b.project()
	s := limits(t, "src/** docs/** .d* *_x* .c* g* .g*", "src/legacy/**")
	for name, reason := range map[string]string{
		"src/.git/config": "always forbidden", "src/.GiT": "always forbidden", "src/.git./x": `"src/.git/x"`,
		"src/.git  /x":                  `"src/.git/x"`,
		"src/.git::$INDEX_ALLOCATION/x": `"src/.git/x"`, "src/git~1/x": `"src/.git/x"`, "src/GIT~1": `"src/.git"`,
		"src/.g\u200cit/x": `"src/.git/x"`, "src/.gi\ufefft": `"src/.git"`,
		`src/.git\config`: `"src/.git/config"`, `src/..\..\x`: "leave the repository", `src/..\lib\x`: "..",
		`src/.. \x`: "..", `src/\x`: "", `src/deep\y`: "", `g\x`: `"g/x"`, `\x_x`: "leave the repository",
		`g:\x`: "leave the repository", "g:x": "",
		"docs/logs /x": `"docs/logs/x"`, "docs/LOGS./x": "always forbidden", "docs/00_MAS~1.MD": "always forbidden",
		"docs/01_pro~2.md": "always forbidden",
		".delegate.yaml ":  "always forbidden", ".delegate.yaml:x": "always forbidden",
		".claude./x_x": "outside the scope", ".claude.": "always forbidden",
		"src/legacy./x": `forbidden by "src/legacy/**"`, "gitmod~1": ".gitmodules", "gi7eba~3": ".gitmodules",
		".gitmodules ": ".gitmodules", ".gitmod\u200dules": ".gitmodules",
		"src/gitatt~1": ".gitattributes", "src/.gitattributes:x": ".gitattributes",
		"src/git~10": "", "src/git~": "", "src/.gitx": "", "src/.git-x": "", "src/..x": "", "src/.../x": "",
		"src/File::Spec.3": "", "a:_x": "", "src/x ": "", "src/é\u200d": "",
	} {
		got := b.judged(p, s, ground(), ground().with(pile{name: "x"}))
		if reason == "" && len(got) == 0 || reason != "" && len(got) == 1 && strings.Contains(got[name], reason) {
			continue
		}
		t.Errorf("%q: breaches %q, want %q", name, got, reason)
	}
	for _, name := range []string{".", "..", ".git"} {
		if got := b.judged(p, s, ground(), ground().with(pile{"src/" + name + "/x": "x"})); len(got) != 1 {
			t.Errorf("a folder %q: breaches %q", name, got)
		}
	}
	slash := b.Feed("100644 src/a\x00"+b.raw("x"), "hash-object", "-t", "tree", "--literally", "-w", "--stdin")
	found, err := breaches(t.Context(), p, s, [2]string{b.tree(pile{"README": "r"}), slash})
	if err != nil || !slices.ContainsFunc(found, func(b project.Breach) bool {
		return b.Path == "src/a" && strings.Contains(b.Reason, "slash")
	}) {
		t.Errorf("a name with a slash: %v, %v", found, err)
	}
}

func TestBreachIsShownInOneLine(t *testing.T) {
	for name, want := range map[string]string{"src/a": "src/a: why", "src/é b": "src/é b: why",
		"a\nb\x1b[2J": `"a\nb\x1b[2J": why`, "a\u202eb": `"a\u202eb": why`, "\xff": `"\xff": why`} {
		if got := (project.Breach{Path: name, Reason: "why"}).String(); got != want {
			t.Errorf("%q is shown as %q", name, got)
		}
	}
}

func TestBreachesOfCaseCollisions(t *testing.T) {
	t.Parallel()
	b := newBox(t, nil)
	p := b.project()
	s := limits(t, "src/** SRC/** lib/**", "")
	for name, test := range map[string]struct {
		change pile
		want   map[string]string // path to the other name
	}{
		"file": {pile{"src/A": "x"}, map[string]string{"src/A": `"src/a"`}},
		"accents": {pile{"src/cafe\u0301": "x", "src/caf\u00e9": "y"},
			map[string]string{"src/cafe\u0301": "caf\u00e9", "src/caf\u00e9": "cafe\u0301"}},
		"letter with three cases": {pile{"src/k": "x", "src/\u212a": "y"},
			map[string]string{"src/k": "\u212a", "src/\u212a": `"src/k"`}},
		"folder":                  {pile{"SRC/y": "x"}, map[string]string{"SRC/y": `"src"`}},
		"inner folder":            {pile{"src/DEEP/y": "x"}, map[string]string{"src/DEEP/y": `"src/deep"`}},
		"file beside a folder":    {pile{"src/Deep": "x"}, map[string]string{"src/Deep": `"src/deep"`}},
		"letters not seen":        {pile{"src/a\u200d": "x"}, map[string]string{"src/a\u200d": `"src/a"`}},
		"dot at the end":          {pile{"src/a.": "x"}, map[string]string{"src/a.": `"src/a"`}},
		"both old":                {pile{"src/Two": "changed", "src/two": "changed"}, nil},
		"third beside two":        {pile{"src/TWO": "x"}, map[string]string{"src/TWO": `"src/Two"`}},
		"renamed by case":         {pile{"src/a": "-", "src/A": "a\n"}, nil},
		"sharp s is no collision": {pile{"src/ß": "x", "src/ss": "y"}, nil},
		"elsewhere":               {pile{"lib/a": "x", "src/deep/a": "x", "src/a b": "x"}, nil},
	} {
		got := b.judged(p, s, ground(), ground().with(test.change))
		ok := len(got) == len(test.want)
		for path, other := range test.want {
			ok = ok && strings.Contains(got[path], other) && strings.HasPrefix(got[path], "never: ")
		}
		if !ok {
			t.Errorf("%s: breaches %q, want %q", name, got, test.want)
		}
	}
	inner := b.Feed("100644 a\x00"+b.raw("x")+"100644 a\x00"+b.raw("y"), "hash-object", "-t", "tree", "--literally",
		"-w", "--stdin")
	double := b.Feed("040000 tree "+inner+"\tsrc\n", "mktree", "--missing")
	trees := [2]string{b.tree(pile{"src/a": "z"}), double}
	if found, err := breaches(t.Context(), p, s, trees); err != nil || len(found) == 0 {
		t.Errorf("one name twice: %v, %v", found, err)
	}
}

func TestBreachesOfLinks(t *testing.T) {
	t.Parallel()
	b := newBox(t, nil)
	p := b.project()
	for name, test := range map[string]struct {
		allowed string
		change  pile
		want    map[string]string
	}{
		"file":               {"", pile{"src/l": "@a"}, nil},
		"folder":             {"", pile{"src/l": "@deep"}, nil},
		"its own folder":     {"", pile{"src/l": "@."}, nil},
		"nothing yet":        {"", pile{"src/l": "@deep/later"}, nil},
		"name with two dots": {"", pile{"src/l": "@..x"}, nil},
		"file elsewhere": {"", pile{"src/l": "@../lib/out"},
			map[string]string{"src/l": `"lib/out", which is outside the scope`}},
		"folder elsewhere":  {"", pile{"src/l": "@../lib"}, map[string]string{"src/l": `"lib"`}},
		"nothing elsewhere": {"", pile{"src/l": "@../lib/later"}, map[string]string{"src/l": `"lib/later"`}},
		"the root":          {"", pile{"src/l": "@.."}, map[string]string{"src/l": `"."`}},
		"elsewhere by name": {"src/l", pile{"src/l": "@../lib"}, nil},
		"forbidden": {"src/l", pile{"src/l": "@legacy"},
			map[string]string{"src/l": `never: symbolic link to "legacy" leads to "src/legacy", which is forbidden`}},
		"git's folder": {"src/l", pile{"src/l": "@../.GIT/config"},
			map[string]string{"src/l": "never: "}},
		"git's folder in disguise":   {"src/l", pile{"src/l": "@git~1/config"}, map[string]string{"src/l": "never: "}},
		"the record":                 {"src/l", pile{"src/l": "@../docs/logs"}, map[string]string{"src/l": "never: "}},
		"up":                         {"src/l", pile{"src/l": "@../../x"}, map[string]string{"src/l": "never: "}},
		"absolute":                   {"src/l", pile{"src/l": "@/etc/passwd"}, map[string]string{"src/l": "never: "}},
		"with a drive":               {"src/l", pile{"src/l": "@C:\\x"}, map[string]string{"src/l": "never: "}},
		"up with backslashes":        {"src/l", pile{"src/l": "@..\\..\\x"}, map[string]string{"src/l": "never: "}},
		"elsewhere with backslashes": {"", pile{"src/l": "@..\\lib\\out"}, map[string]string{"src/l": `"lib/out"`}},
		"up behind a name": {"src/l", pile{"src/l": "@deep/../a"},
			map[string]string{"src/l": "behind a name"}},
		"file becomes a link": {"", pile{"src/a": "@../../x"},
			map[string]string{"src/a": "out of the repository"}},
		"folder becomes a link": {"", pile{"src/deep/x": "-", "src/deep": "@../lib"},
			map[string]string{"src/deep": `"lib"`}},
		"link moved elsewhere": {"", pile{"src/away": "@../lib"}, map[string]string{"src/away": `"lib"`}},
		"over a link that was there": {"", pile{"src/l": "@away/x"},
			map[string]string{"src/l": "out of the repository"}},
		"over one by another case": {"", pile{"src/l": "@Away"}, map[string]string{"src/l": "out of the repository"}},
		"chain out": {"", pile{"src/l": "@m", "src/m": "@../../outside"},
			map[string]string{"src/l": "out of", "src/m": "out of"}},
		"chain to elsewhere": {"src/m", pile{"src/l": "@m/out", "src/m": "@../lib"},
			map[string]string{"src/l": `"lib/out"`}},
		"chain inside": {"", pile{"src/l": "@m/n", "src/m": "@deep", "src/deep/n": "@x"}, nil},
		"circle": {"", pile{"src/l": "@m", "src/m": "@l"},
			map[string]string{"src/l": "more links", "src/m": "more links"}},
		"into a submodule": {"", pile{"src/l": "@sub/x"}, map[string]string{"src/l": "into a submodule"}},
		"empty":            {"", pile{"src/l": "@"}, map[string]string{"src/l": "never: "}},
		"endless": {"", pile{"src/l": "@" + strings.Repeat("a/", 40_000)},
			map[string]string{"src/l": "longer"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := b.judged(p, limits(t, "src/** "+test.allowed, "src/legacy/**"), ground(), ground().with(test.change))
			ok := len(got) == len(test.want)
			for path, words := range test.want {
				ok = ok && strings.Contains(got[path], words)
			}
			if !ok {
				t.Errorf("breaches %q, want %q", got, test.want)
			}
		})
	}
}

// What was there before is nobody's breach, and what the check cannot read is an error.
func TestBreachesReadOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	b := newBox(t, nil)
	p := b.project()
	s := limits(t, "src/**", "")
	full := ground().with(pile{"far/a/b/c": "c"})
	from, to := b.tree(full), b.tree(full.with(pile{"src/deep/y": "y"}))
	lost := b.Git("rev-parse", from+":far")
	object := path.Join(b.Dir, ".git/objects", lost[:2], lost[2:])
	b.Git("cat-file", "-e", lost)
	remove(t, object)
	if found, err := breaches(t.Context(), p, s, [2]string{from, to}); err != nil || len(found) != 0 {
		t.Errorf("a folder that nobody changed was read: %v, %v", found, err)
	}
	linked := b.tree(full.with(pile{"src/l": "@a"}))
	blob := b.Git("rev-parse", linked+":src/l")
	remove(t, path.Join(b.Dir, ".git/objects", blob[:2], blob[2:]))
	if found, err := breaches(t.Context(), p, s, [2]string{from, linked}); err == nil {
		t.Errorf("a link that cannot be read: %v", found)
	}
}

func remove(t *testing.T, object string) {
	t.Helper()
	if err := os.Remove(object); err != nil {
		t.Fatal(err)
	}
}
