package land_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"delegate/internal/git"
	"delegate/internal/git/gittest"
	"delegate/internal/land/threeway"
	"delegate/internal/sys/long"
)

// quarrel is a repository in which two branches changed the same things.
type quarrel struct {
	*testing.T
	dir  string
	repo *git.Repo
	mem  *threeway.Resolutions
}

func newQuarrel(t *testing.T) *quarrel {
	t.Helper()
	q := &quarrel{T: t, dir: t.TempDir()}
	q.git("init", "-q", "-b", "main")
	q.git("config", "user.name", "Pat")
	q.git("config", "user.email", "pat@example.org")
	var err error
	if q.repo, err = git.Open(t.Context(), q.dir); err != nil {
		t.Fatal(err)
	}
	q.mem = threeway.NewResolutions(q.repo)
	return q
}

func (q *quarrel) git(args ...string) string {
	q.Helper()
	return strings.TrimRight(gittest.In(q, q.dir).Git(args...), "\n")
}

// commit makes a commit of just these files, of a commit or of none: content, "@target" for a link,
// "+x" in front for a program.
func (q *quarrel) commit(from string, all map[string]string) string {
	q.Helper()
	var list strings.Builder
	for path, content := range all {
		mode := "100644"
		if target, link := strings.CutPrefix(content, "@"); link {
			mode, content = "120000", target
		} else if program, ok := strings.CutPrefix(content, "+x"); ok {
			mode, content = "100755", program
		}
		id, err := q.repo.WriteBlob(q.Context(), []byte(content))
		if err != nil {
			q.Fatal(err)
		}
		fmt.Fprintf(&list, "%s %s\t%s\n", mode, id, path)
	}
	index := filepath.Join(q.TempDir(), "index")
	for _, args := range [][]string{{"update-index", "--add", "--index-info"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env, cmd.Stdin = q.dir, append(os.Environ(), "GIT_INDEX_FILE="+index),
			strings.NewReader(list.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			q.Fatalf("%v: %s", err, out)
		}
	}
	cmd := exec.Command("git", "write-tree")
	cmd.Dir, cmd.Env = q.dir, append(os.Environ(), "GIT_INDEX_FILE="+index)
	tree, err := cmd.Output()
	if err != nil {
		q.Fatal(err)
	}
	args := []string{"commit-tree", "-m", "c", strings.TrimSpace(string(tree))}
	if from != "" {
		args = append(args, "-p", from)
	}
	return q.git(args...)
}

type threeSides struct{ base, ours, theirs map[string]string }

func (q *quarrel) merge(s threeSides) git.Merged {
	q.Helper()
	base := q.commit("", s.base)
	merged, err := q.repo.Merge(q.Context(), q.commit(base, s.ours), q.commit(base, s.theirs))
	if err != nil {
		q.Fatal(err)
	}
	return merged
}

func (q *quarrel) apply(m git.Merged) threeway.Applied {
	q.Helper()
	a, err := q.mem.Apply(q.Context(), q.repo, m)
	if err != nil {
		q.Fatal(err)
	}
	return a
}

// open is the only clash of a merge.
func (q *quarrel) open(m git.Merged) threeway.Clash {
	q.Helper()
	a := q.apply(m)
	if len(a.Open) != 1 || a.Tree != "" {
		q.Fatalf("tree %q, open %+v, used %v; want one clash", a.Tree, a.Open, a.Used)
	}
	return a.Open[0]
}

func (q *quarrel) remember(c threeway.Clash, r threeway.Resolution) {
	q.Helper()
	r.Who, r.When = "Ada", time.Date(2026, 11, 22, 4, 5, 6, 7, time.FixedZone("", 3600))
	if _, err := q.mem.Remember(q.Context(), c, r); err != nil {
		q.Fatal(err)
	}
}

// byHand remembers a text as the answer.
func (q *quarrel) byHand(c threeway.Clash, text string) {
	q.Helper()
	id, err := q.repo.WriteBlob(q.Context(), []byte(text))
	if err != nil {
		q.Fatal(err)
	}
	e := c.Merged(id)
	q.remember(c, threeway.Resolution{Method: threeway.ManualMerge, Mode: e.Mode, ID: e.ID})
}

// files are those of a tree in the form of commit.
func (q *quarrel) files(tree string) map[string]string {
	q.Helper()
	entries, err := q.repo.Entries(q.Context(), tree)
	if err != nil {
		q.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		data, err := q.repo.Blob(q.Context(), e.ID)
		if err != nil {
			q.Fatal(err)
		}
		all[e.Path] = map[uint32]string{0o100644: "", 0o100755: "+x", 0o120000: "@"}[e.Mode] + string(data)
	}
	return all
}

const numbers = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"

// TestClashKinds resolves each kind of clash by each side, and finds the answer again, whichever
// way round it is merged.
func TestClashKinds(t *testing.T) {
	plain(t)
	unrelated := "beside\n"
	for name, c := range map[string]struct {
		path, base, ours, theirs string // "" is absent
		what                     string
		textual                  bool
	}{
		"content": {"f", numbers, "1\nA\n" + numbers[4:], "1\nB\n" + numbers[4:],
			"both sides changed the same lines", true},
		"added by both":        {"f", "", "A\n", "B\n", "both sides added it", true},
		"added with two modes": {"f", "", "+xA\n", "B\n", "both sides added it", true},
		"modified and deleted": {"f", numbers, "A\n" + numbers, "", "one side changed it, the other deleted it",
			false},
		"deleted and modified": {"f", numbers, "", "A\n" + numbers, "one side changed it, the other deleted it",
			false},
		"mode":   {"f", "", "+xA\n", "A\n", "both sides gave it a mode", false},
		"binary": {"f", "\x00b", "\x00c", "\x00d", "it is no text", false},
		"a link and a file": {"f", "", "@beside", "B\n", "a file on one side and a symbolic link on the other",
			false},
		"a file that became both": {"f", numbers, "@beside", "B\n" + numbers,
			"a file on one side and a symbolic link on the other", false},
		"links": {"f", "@a", "@beside", "@c", "symbolic link elsewhere", false},
	} {
		t.Run(name, func(t *testing.T) {
			long.Except(t, name, "content", "mode", "links", "modified and deleted")
			side := func(content string) map[string]string {
				all := map[string]string{"beside": unrelated}
				if content != "" {
					all[c.path] = content
				}
				return all
			}
			sides := threeSides{side(c.base), side(c.ours), side(c.theirs)}
			turned := threeSides{side(c.base), side(c.theirs), side(c.ours)}
			for _, stage := range []int{threeway.OurSide, threeway.TheirSide} {
				q := newQuarrel(t)
				clash := q.open(q.merge(sides))
				if clash.Path != c.path || !clash.Resolvable() || clash.Textual() != c.textual ||
					!strings.Contains(clash.What(), c.what) {
					t.Fatalf("%+v: %s, textual %t", clash, clash.What(), clash.Textual())
				}
				e := clash.Stages[stage]
				q.remember(
					clash,
					threeway.Resolution{Method: threeway.ChooseOne, Side: "AGT-001", Mode: e.Mode, ID: e.ID},
				)
				want := side(c.ours)
				if stage == threeway.TheirSide {
					want = side(c.theirs)
				}
				for _, s := range []threeSides{sides, turned} {
					a := q.apply(q.merge(s))
					if len(a.Open) > 0 || len(a.Used) != 1 || a.Used[0].Alike || a.Used[0].Who != "Ada" {
						t.Fatalf("applied %+v", a)
					}
					if got := q.files(a.Tree); fmt.Sprint(got) != fmt.Sprint(want) {
						t.Errorf("side %d: tree %q, want %q", stage, got, want)
					}
				}
			}
		})
	}
}

func TestClashesThatNoFileAnswers(t *testing.T) {
	for name, s := range map[string]threeSides{
		"renamed twice": {map[string]string{"a": numbers}, map[string]string{"b": numbers},
			map[string]string{"c": numbers}},
		"file and folder": {map[string]string{"a": numbers}, map[string]string{"a": "A\n" + numbers},
			map[string]string{"a/x": "x\n"}},
		"a folder that went": {map[string]string{"d/a": numbers, "d/b": "b\n"},
			map[string]string{"e/a": numbers, "e/b": "b\n"},
			map[string]string{"d/a": numbers, "d/b": "b\n", "d/c": "c\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			q := newQuarrel(t)
			a := q.apply(q.merge(s))
			if a.Tree != "" || len(a.Open) == 0 || slices.ContainsFunc(a.Open, threeway.Clash.Resolvable) {
				t.Fatalf("%+v", a)
			}
			if _, err := q.mem.Remember(t.Context(), a.Open[0],
				threeway.Resolution{Method: threeway.ChooseOne}); err == nil {
				t.Error("an answer is taken")
			}
		})
	}
	q := newQuarrel(t)
	if a := q.apply(git.Merged{Tree: "x"}); a.Tree != "" || len(a.Open) != 1 {
		t.Errorf("a merge that fails without a word: %+v", a)
	}
	if a := q.apply(git.Merged{Clean: true, Tree: "x"}); a.Tree != "x" {
		t.Errorf("a clean merge: %+v", a)
	}
}

// TestRenamedAndDeleted is a clash of two paths of which one is left.
func TestRenamedAndDeleted(t *testing.T) {
	q := newQuarrel(t)
	s := threeSides{map[string]string{"a": numbers, "z": "z\n"}, map[string]string{"b": numbers, "z": "z\n"},
		map[string]string{"z": "z\n"}}
	clash := q.open(q.merge(s))
	if clash.Path != "b" || !strings.Contains(clash.What(), "renamed") {
		t.Fatalf("%+v: %s", clash, clash.What())
	}
	q.remember(clash, threeway.Resolution{Method: threeway.ChooseOne})
	if got := q.files(q.apply(q.merge(s)).Tree); len(got) != 1 {
		t.Errorf("tree %q", got)
	}
}

// TestAlike holds that an answer is found by its lines in a file that changed elsewhere, that what
// changed there is kept, and that lines which are not the same are asked about.
func TestAlike(t *testing.T) {
	plain(t)
	q := newQuarrel(t)
	file := func(text string) map[string]string { return map[string]string{"f": text, "beside": "b\n"} }
	body := func(line string) string {
		return "head\nof\nthe\nfile\n" + line + "\nmiddle\nof\nit\nand\nits\nend\n"
	}
	first := threeSides{file(body("base")), file(body("A")), file(body("B"))}
	clash := q.open(q.merge(first))
	if got := string(clash.Marked("target",
		"AGT-002")); got != body("<<<<<<< target\nA\n||||||| base\nbase\n=======\nB\n>>>>>>> AGT-002") {
		t.Errorf("marked %q", got)
	}
	q.byHand(clash, body("A and B"))
	shift := func(text string) string { return "new\nlines\nbefore\n" + text }
	for name, c := range map[string]struct {
		sides threeSides
		want  string
	}{
		"shifted on one side": {threeSides{file(body("base")), file(shift(body("A"))), file(body("B"))},
			shift(body("A and B"))},
		"turned": {threeSides{file(body("base")), file(body("B")), file(shift(body("A")))},
			shift(body("A and B"))},
		"end changed as well": {threeSides{file(body("base")), file(body("A")), file(body("B") + "more\n")},
			body("A and B") + "more\n"},
		"other lines":  {threeSides{file(body("base")), file(body("A2")), file(body("B"))}, ""},
		"another base": {threeSides{file(body("base2")), file(body("A")), file(body("B"))}, ""},
		"one more place": {threeSides{file(body("base") + "x\n"), file(body("A") + "y\n"),
			file(body("B") + "z\n")}, ""},
		"the result's context": {threeSides{file("base\n"), file("A\n"), file("B\n")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := q.apply(q.merge(c.sides))
			if c.want == "" {
				if a.Tree != "" || len(a.Open) != 1 {
					t.Errorf("resolved: %+v", a)
				}
				return
			}
			if len(a.Used) != 1 || !a.Used[0].Alike || a.Used[0].Path != "f" || a.Tree == "" {
				t.Fatalf("applied %+v", a)
			}
			if got := q.files(a.Tree)["f"]; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if again := q.apply(q.merge(c.sides)); again.Tree != a.Tree {
				t.Errorf("another tree the second time: %s and %s", a.Tree, again.Tree)
			}
		})
	}
}

// TestPartlyResolved holds that one clash that stays open keeps the tree back.
func TestPartlyResolved(t *testing.T) {
	q := newQuarrel(t)
	s := threeSides{map[string]string{"a": "1\n", "b": "2\n"}, map[string]string{"a": "x\n", "b": "y\n"},
		map[string]string{"a": "X\n", "b": "Y\n"}}
	both := q.apply(q.merge(s)).Open
	if len(both) != 2 {
		t.Fatalf("open %+v", both)
	}
	q.byHand(both[1], "yY\n")
	a := q.apply(q.merge(s))
	if a.Tree != "" || len(a.Open) != 1 || len(a.Used) != 1 || a.Used[0].Path != "b" || a.Open[0].Path != "a" {
		t.Fatalf("%+v", a)
	}
	q.byHand(a.Open[0], "xX\n")
	if got := q.files(q.apply(q.merge(s)).Tree); got["a"] != "xX\n" || got["b"] != "yY\n" {
		t.Errorf("%q", got)
	}
}

// TestSameContentApart holds that files with the same content can be resolved in different ways.
func TestSameContentApart(t *testing.T) {
	q := newQuarrel(t)
	all := func(text string) map[string]string { return map[string]string{"a": text, "b": text} }
	s := threeSides{all("1\n"), all("x\n"), all("y\n")}
	both := q.apply(q.merge(s)).Open
	q.byHand(both[0], "for a\n")
	q.byHand(both[1], "for b\n")
	if got := q.files(q.apply(q.merge(s)).Tree); got["a"] != "for a\n" || got["b"] != "for b\n" {
		t.Errorf("%q", got)
	}
}

// TestModeOfManualMerge holds that a side's change of the mode survives a merge by hand.
func TestModeOfManualMerge(t *testing.T) {
	for name, c := range map[string]struct{ base, ours, theirs, want string }{
		"ours made it a program":   {"1\n", "+xA\n", "B\n", "+xAB\n"},
		"theirs made it a program": {"1\n", "A\n", "+xB\n", "+xAB\n"},
		"ours made it a file":      {"+x1\n", "A\n", "+xB\n", "AB\n"},
		"both did":                 {"1\n", "+xA\n", "+xB\n", "+xAB\n"},
		"in contradiction":         {"", "A\n", "+xB\n", "+xAB\n"},
	} {
		t.Run(name, func(t *testing.T) {
			q := newQuarrel(t)
			side := func(text string) map[string]string {
				all := map[string]string{"other": "o\n"}
				if text != "" {
					all["f"] = text
				}
				return all
			}
			s := threeSides{side(c.base), side(c.ours), side(c.theirs)}
			q.byHand(q.open(q.merge(s)), "AB\n")
			if got := q.files(q.apply(q.merge(s)).Tree)["f"]; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestMemory holds that answers survive in another process and a garbage collection, say what they
// are, and can be forgotten.
func TestMemory(t *testing.T) {
	q := newQuarrel(t)
	at := func(path, text string) map[string]string { return map[string]string{path: text} }
	s := threeSides{at("f", "1\n"), at("f", "x\n"), at("f", "y\n")}
	clash := q.open(q.merge(s))
	q.byHand(clash, "first\n")
	q.byHand(clash, "second\n")
	q.git("gc", "-q", "--prune=now")
	q.mem = threeway.NewResolutions(q.repo)
	elsewhere := threeSides{at("g", "1\n"), at("g", "x\n"), at("g", "y\n")}
	a := q.apply(q.merge(elsewhere))
	if len(a.Used) != 1 || q.files(a.Tree)["g"] != "second\n" {
		t.Fatalf("applied %+v", a)
	}
	if got, want := a.Used[0].String(), "g: resolved as on 2026-11-22 by Ada: MANUAL_MERGE (decided "+
		"for f)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	all, err := q.mem.List(t.Context())
	if err != nil || len(all) != 1 || all[0].Path != "f" ||
		all[0].When != time.Date(2026, 11, 22, 3, 5, 6, 0, time.UTC) || all[0].Mode != 0o100644 {
		t.Fatalf("list %+v, %v", all, err)
	}
	for _, key := range []string{"", "nothing"} {
		if _, err := q.mem.Forget(t.Context(), key); as[*threeway.UnknownResolutionError](t, err).Found > 1 {
			t.Errorf("forget %q: %v", key, err)
		}
	}
	if gone, err := q.mem.Forget(t.Context(), all[0].Key[:6]); err != nil || gone.Key != all[0].Key {
		t.Fatalf("forget: %+v, %v", gone, err)
	}
	q.open(q.merge(s))
	if all, err := q.mem.List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("list %+v, %v", all, err)
	}
}

// TestWritersRace holds that of answers that many processes give at once none is lost.
func TestWritersRace(t *testing.T) {
	q := newQuarrel(t)
	const writers = 6
	var clashes []threeway.Clash
	for i := range writers {
		f := func(text string) map[string]string { return map[string]string{"f": text} }
		clashes = append(clashes, q.open(q.merge(threeSides{f("1\n"), f("x\n"), f(fmt.Sprintf("y%d\n", i))})))
	}
	var wait sync.WaitGroup
	errs := make([]error, writers)
	for i, c := range clashes {
		wait.Go(func() {
			e := c.Stages[threeway.OurSide]
			_, errs[i] = threeway.NewResolutions(q.repo).Remember(t.Context(), c,
				threeway.Resolution{Method: threeway.ChooseOne, Mode: e.Mode, ID: e.ID, Who: "Ada", When: time.Now()})
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	all, err := q.mem.List(t.Context())
	if err != nil || len(all) != writers {
		t.Errorf("%d of %d are remembered, %v", len(all), writers, err)
	}
}
