package compare

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/analyze"
	"delegate/internal/git"
	"delegate/internal/gittest"
	"delegate/internal/long"
	"delegate/internal/objects"
	"delegate/internal/project"
)

// thing is what a random tree has at a path.
type thing struct{ mode, content string }

// randomTree has no path that is also a folder.
type randomTree map[string]thing

func (t randomTree) put(name string, what thing) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		delete(t, dir)
	}
	maps.DeleteFunc(t, func(other string, _ thing) bool { return strings.HasPrefix(other, name+"/") })
	t[name] = what
}

// move takes a file or a whole folder to another place.
func (t randomTree) move(from, to string) {
	moved := randomTree{}
	for name, what := range t {
		if rest, ok := strings.CutPrefix(name+"/", from+"/"); ok {
			delete(t, name)
			moved[strings.TrimSuffix(to+"/"+rest, "/")] = what
		}
	}
	for name, what := range moved {
		t.put(name, what)
	}
}

// change does one thing to the tree, out of all that git merges in a way of its own.
func (t randomTree) change(random *rand.Rand) {
	pick := func(words string) string {
		all := strings.Fields(words)
		return all[random.IntN(len(all))]
	}
	name := pick("a b a.go b.go A.go d d/a.go d/b.go d/c.go d/sub/a.go d/sub/b e e/a.go e/b e/sub/c.go f/a.go h h/x " +
		"h/x/y f/g/b.go f/g/c")
	there := slices.Sorted(maps.Keys(t))
	old := there[random.IntN(len(there))]
	switch random.IntN(20) {
	case 0:
		delete(t, old)
		t.put("kept", thing{"100644", "never empty\n"})
	case 1, 2:
		t.move(old, name)
	case 3:
		t.move(pick("d e f d/sub f/g"), pick("d e h d/new"))
	case 4:
		t.put(old, thing{pick("100644 100755"), t[old].content})
	case 5:
		t.put(name, thing{"120000", pick("a b ../c")})
	case 6:
		t.put(pick("e/module module"), thing{"160000", strings.Repeat(pick("1 2 3"), 40)})
	case 7:
		t.put(pick(".gitattributes d/.gitattributes"),
			thing{"100644", pick("*.go *") + " " + pick("-merge merge=union merge=own text") + "\n"})
	case 8, 9, 10, 11:
		t.put(name, source(random, name))
	default:
		if strings.HasSuffix(old, ".go") {
			t.put(old, source(random, old))
		}
	}
}

// source is a file that has most of its lines in common with others by the same name.
func source(random *rand.Rand, name string) thing {
	dir := path.Base(path.Dir("x/" + name))
	text := fmt.Sprintf("package %s\n", dir)
	for i := range 6 {
		params := []string{"n int", "n, m int", "n string"}[random.IntN(20)/9]
		text += fmt.Sprintf("\n// %s%d is one of %s.\nfunc %c%d(%s) int {\n\treturn %c%d(%d)\n}\n",
			name, i, name, 'A'+len(name)%5, i, params, 'A'+random.IntN(5), random.IntN(6), random.IntN(20)/17)
	}
	return thing{"100644", text}
}

// randomRepository has commits with one parent or two, and answers with the ids of the last ones.
func randomRepository(t *testing.T, random *rand.Rand) (*Comparer, []objects.Span) {
	t.Helper()
	const commits, last = 12, 8
	dir := t.TempDir()
	runGit(t, dir, "", "init", "-q")
	runGit(t, dir, "", "config", "merge.own.driver", "true")
	trees := []randomTree{{"go.mod": thing{"100644", "module example.org/m\n\ngo 1.24\n"}}}
	for range 12 {
		name := fmt.Sprintf("%s/%s.go", []string{"d", "e", "f", "d/sub", "f/g"}[random.IntN(5)],
			[]string{"a", "b", "c", "x", "y"}[random.IntN(5)])
		trees[0].put(name, source(random, name))
	}
	var script strings.Builder
	for i := range commits {
		fmt.Fprintf(&script, "commit refs/heads/c%d\nmark :%d\ncommitter C <c@example.org> %d +0000\ndata 0\n", i, i+1,
			i)
		if i > 0 {
			parent, other := random.IntN(min(i, 1+commits-last)), random.IntN(min(i, 1+commits-last))
			fmt.Fprintf(&script, "from :%d\n", parent+1)
			if other != parent && random.IntN(3) == 0 {
				fmt.Fprintf(&script, "merge :%d\n", other+1)
			}
			trees = append(trees, maps.Clone(trees[parent]))
			for range 1 + random.IntN(3) {
				trees[i].change(random)
			}
		}
		script.WriteString("deleteall\n")
		for name, what := range trees[i] {
			if what.mode == "160000" {
				fmt.Fprintf(&script, "M %s %s %s\n", what.mode, what.content, name)
				continue
			}
			fmt.Fprintf(&script, "M %s inline %s\ndata %d\n%s\n", what.mode, name, len(what.content), what.content)
		}
	}
	runGit(t, dir, script.String(), "fast-import", "--quiet")
	b := opened(t, dir)
	var names []string
	for i := commits - last; i < commits; i++ {
		names = append(names, fmt.Sprintf("c%d", i))
	}
	tips, err := b.NamedTips(t.Context(), names, "")
	if err != nil {
		t.Fatal(err)
	}
	return b, tips
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

// sides are what one side does and the other.
type sides struct{ ours, theirs string }

// changed makes files of words such as "+new", "-old", "~edited" and "from>to".
func changed(words string) []change.File {
	var all []change.File
	for word := range strings.FieldsSeq(words) {
		from, to, moved := strings.Cut(word, ">")
		kinds := map[byte]change.Kind{'+': change.Added, '-': change.Deleted, '~': change.Modified}
		file := change.File{Kind: kinds[word[0]], Path: word[1:]}
		if moved {
			file = change.File{Kind: change.Renamed, OldPath: from, Path: to}
		}
		all = append(all, file)
	}
	return all
}

func TestApart(t *testing.T) {
	never := func(change.File, change.File) bool { return false }
	for what, want := range map[sides]bool{
		{"", ""}: true, {"", "~a"}: true, {"~a", "~b"}: true, {"~d/a", "~d/b"}: true, {"+d/a", "+d/b +e"}: true,
		{"+d", "+da +d.c"}: true,
		{"~a", "~a"}:       false, {"-a", "-a"}: false, {"+d", "+d/a"}: false, {"+d", "+d/e/f"}: false,
		{"~d/e", "+d/e/f"}: false,
		{"-a", "-b"}:       true, {"-a", "~b +c"}: true, {"-d/a", "+d/b"}: true, {"-a", "~a"}: false,
		{"a>b", "~c"}: true, {"a>b", "-c"}: true, {"a>b", "~a"}: false, {"a>b", "~b"}: false, {"a>b", "+c"}: false,
		{"a>b", "c>d"}:  false,
		{"-a +b", "~c"}: true, {"-a +b", "+c"}: false, {"d/a>e/a", "+d/b"}: false,
		{"~.gitattributes", "~a"}: false, {"+d/.gitattributes", "~a"}: false, {"+x.gitattributes", "~a"}: true,
	} {
		ours, theirs := newChangedPaths(changed(what.ours)), newChangedPaths(changed(what.theirs))
		if got, back := disjoint(ours, theirs, never), disjoint(theirs, ours, never); got != want || back != want {
			t.Errorf("%q and %q: %t, the other way round %t; want %t", what.ours, what.theirs, got, back, want)
		}
	}
}

// After merges crosswise git merges the bases first. Against either of them alone one of these
// pairs looks as if it had nothing in common.
func TestCrosswiseMergesAreLeftToGit(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, "", "init", "-q")
	var script strings.Builder
	for i, commit := range []struct{ parents, f, g string }{
		{"", "0", "0"}, {"1", "1", "0"}, {"1", "0", "1"}, {"2 3", "1", "2"}, {"3 2", "2", "0"}, {"2 3", "2", "1"},
		{"3 2", "0", "2"},
	} {
		fmt.Fprintf(&script, "commit refs/heads/c%d\nmark :%d\ncommitter C <c@example.org> 0 +0000\ndata 0\n", i, i+1)
		for n, parent := range strings.Fields(commit.parents) {
			fmt.Fprintf(&script, "%s :%s\n", []string{"from", "merge"}[n], parent)
		}
		fmt.Fprintf(&script, "M 100644 inline f\ndata 1\n%s\nM 100644 inline g\ndata 1\n%s\n", commit.f, commit.g)
	}
	runGit(t, dir, script.String(), "fast-import", "--quiet")
	b := opened(t, dir)
	for _, names := range [][]string{{"c3", "c4"}, {"c5", "c6"}} {
		tips, err := b.NamedTips(t.Context(), names, "")
		if err != nil {
			t.Fatal(err)
		}
		found, err := b.Compare(t.Context(), tips, analyze.Text)
		if err != nil || !conflict.Blocking(found) {
			t.Errorf("%q: %+v, %v", names, found, err)
		}
	}
}

// What is said of a pair without asking git is what is said of it when git was asked, down to the merged tree.
func TestPairsApartAreAsGitMergesThem(t *testing.T) {
	seen, suspected := map[bool]int{}, 0
	for seed := range uint64(long.Or(12, 3)) {
		random := rand.New(rand.NewPCG(seed, 7))
		b, tips := randomRepository(t, random)
		var open []comparison
		for i, x := range tips {
			for _, y := range tips[:i] {
				open = append(open, comparison{tips: [2]objects.Span{x, y}})
			}
		}
		// Go's checker alone looks at trees that git has not made
		b.analysis = analyze.New(analyze.Options{Fence: b.fence})
		if err := b.look(t.Context(), open, analyze.Checked); err != nil {
			t.Fatal(err)
		}
		own, err := b.examiner(t.Context(), open)
		if err != nil {
			t.Fatal(err)
		}
		asked := slices.Clone(open)
		for i := range asked {
			asked[i].sole = false
		}
		e, err := b.examiner(t.Context(), asked)
		if err != nil {
			t.Fatal(err)
		}
		e.depth = analyze.Checked
		if err := e.examine(t.Context(), asked); err != nil {
			t.Fatal(err)
		}
		var known []comparison
		for i, c := range open {
			is := own.apart(c, own.joins)
			seen[is]++
			if is {
				known = append(known, c)
				suspected += len(c.result.Found)
			}
			if got, want := findingsText(t, c.result.Found), findingsText(t, asked[i].result.Found); got != want {
				t.Errorf("seed %d: %s and %s: found\n%s\nwant\n%s", seed, c.tips[0].Name, c.tips[1].Name, got, want)
			}
		}
		b.pairs.Know(own.lines)
		sameTrees(t, b, known)
	}
	if seen[true] < long.Or(60, 10) || seen[false] < long.Or(60, 10) || suspected == 0 {
		t.Errorf("apart or not: %v, with %d findings", seen, suspected)
	}
}

func findingsText(t *testing.T, found []conflict.Finding) string {
	t.Helper()
	data, err := json.MarshalIndent(found, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// sameTrees holds the joined trees against those of git, file by file.
func sameTrees(t *testing.T, b *Comparer, known []comparison) {
	t.Helper()
	var all []git.Pair
	for _, c := range known {
		all = append(all, git.Pair{Ours: c.tips[0].Head, Theirs: c.tips[1].Head})
	}
	outcomes, err := b.held.MergeAll(t.Context(), all)
	if err != nil {
		t.Fatal(err)
	}
	for i, merged := range outcomes {
		if merged.Err != nil || !merged.Clean || len(merged.Stages)+len(merged.Messages) > 0 {
			t.Fatalf("git on %+v: %+v", known[i].tips, merged)
		}
		got := listed(t, b.pairs.Merge(t.Context(), known[i].base, all[i].Ours, all[i].Theirs))
		if want := listed(t, b.pairs.Tree(t.Context(), merged.Tree)); !slices.Equal(got, want) {
			t.Errorf("%+v make\n%q\nwant\n%q", known[i].tips, got, want)
		}
		if i > 0 {
			continue
		}
		if made, err := b.made(t.Context(), all[i].Ours+objects.MergeSign+all[i].Theirs); err != nil ||
			made != merged.Tree {
			t.Errorf("tree %q, %v; want %q", made, err, merged.Tree)
		}
	}
}

// listed are the files and folders with their modes and contents.
func listed(t *testing.T, files fs.FS) []string {
	t.Helper()
	var all []string
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := []byte{}
		if !d.IsDir() {
			content, err = fs.ReadFile(files, name)
		}
		all = append(all, fmt.Sprintf("%s %s %s", info.Mode(), name, content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
