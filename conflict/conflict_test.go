package conflict_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"delegate/change"
	"delegate/conflict"
)

// edits is a change set that edits the paths.
func edits(name string, paths ...string) change.Set {
	s := change.Set{Name: name, Base: "base", Head: "head of " + name}
	for _, path := range paths {
		s.Files = append(s.Files, change.File{Path: path, Kind: change.Modified, OldMode: change.ModeFile,
			NewMode: change.ModeFile, OldID: "0", NewID: name})
	}
	return s
}

func run(t *testing.T, pairs ...conflict.Pair) []conflict.Finding {
	t.Helper()
	found, err := conflict.Run(t.Context(), conflict.Request{Pairs: pairs, Analyzers: conflict.Analyzers()})
	if err != nil {
		t.Fatal(err)
	}
	return conflict.Sorted(slices.Concat(found...))
}

// only runs one pair that has to give one finding.
func only(t *testing.T, p conflict.Pair) conflict.Finding {
	t.Helper()
	found := run(t, p)
	if len(found) != 1 {
		t.Fatalf("%d findings, want one:\n%s", len(found), render(found))
	}
	return found[0]
}

func TestJSON(t *testing.T) {
	f := conflict.Finding{
		Type: conflict.FileConflict, Severity: conflict.Error, Blocking: true, Agents: []string{"AGT-001", "AGT-002"},
		Certainty: conflict.Confirmed, Message: "m", Advice: "a",
		Places: []conflict.Place{{Agent: "AGT-001", Path: "f", Line: 3, Symbol: "S"}},
	}
	for want, in := range map[string]conflict.Finding{
		`{"type":"FILE_CONFLICT","severity":"error","blocking":true,"agents":["AGT-001","AGT-002"],"certainty":"confirmed",` +
			`"message":"m","advice":"a","places":[{"agent":"AGT-001","path":"f","line":3,"symbol":"S"}]}`: f,
		`{"type":"","severity":"","blocking":false,"agents":[],"certainty":"","message":"","advice":"","places":[]}`: {},
	} {
		got, err := json.Marshal(in)
		if err != nil || string(got) != want {
			t.Errorf("JSON %s, %v, want %s", got, err, want)
		}
	}
	data, _ := json.Marshal([]conflict.Finding{f})
	var back []conflict.Finding
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(back, []conflict.Finding{f}) {
		t.Errorf("read back %v, %v", back, err)
	}
}

func TestRunOrder(t *testing.T) {
	failing := conflict.Merge{Conflicts: []conflict.PathConflict{{Path: "z", Kind: "CONFLICT (contents)",
		Message: "z"}}}
	pairs := []conflict.Pair{
		{A: edits("AGT-002", "b", "a"), B: edits("AGT-003", "a", "b"), Merge: conflict.Merge{Clean: true}},
		{A: edits("AGT-001", "c"), B: edits("AGT-002", "c"), Merge: conflict.Merge{Clean: true}},
		{A: edits("AGT-003", "z"), B: edits("target", "z"), Merge: failing},
	}
	want := []string{"error AGT-003 target z", "warning AGT-001 AGT-002 c", "warning AGT-002 AGT-003 a",
		"warning AGT-002 AGT-003 b"}
	for range 2 {
		var got []string
		for _, f := range run(t, pairs...) {
			got = append(got, string(f.Severity)+" "+strings.Join(f.Agents, " ")+" "+f.Places[0].Path)
		}
		if !slices.Equal(got, want) {
			t.Errorf("order %q, want %q", got, want)
		}
		slices.Reverse(pairs)
	}
}

func TestRunErrors(t *testing.T) {
	cause := errors.New("cannot tell")
	broken := conflict.Analyzer{Name: "broken", Run: func(conflict.Pair) ([]conflict.Finding, error) {
		return nil, cause
	}}
	pair := conflict.Pair{A: edits("AGT-001"), B: edits("AGT-002"), Merge: conflict.Merge{Clean: true}}
	found, err := conflict.Run(t.Context(),
		conflict.Request{Pairs: []conflict.Pair{pair}, Analyzers: []conflict.Analyzer{broken}})
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), `"AGT-001" with "AGT-002"`) || found != nil {
		t.Errorf("findings %v, error %v", found, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := conflict.Run(ctx, conflict.Request{Pairs: []conflict.Pair{pair},
		Analyzers: conflict.Analyzers()}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after cancellation", err)
	}
	pair.A, pair.B = edits("AGT-001", "f"), edits("AGT-002", "f")
	pair.A.BaseFS, pair.A.HeadFS = fstest.MapFS{}, fstest.MapFS{}
	if _, err := conflict.Run(t.Context(),
		conflict.Request{Pairs: []conflict.Pair{pair}, Analyzers: conflict.Analyzers()}); err == nil ||
		!strings.Contains(err.Error(), `"f" of "AGT-001"`) {
		t.Errorf("error %v for a tree that lacks a listed file", err)
	}
}

func TestBlocking(t *testing.T) {
	if conflict.Blocking(nil) || conflict.Blocking([]conflict.Finding{{Severity: conflict.Warning}}) {
		t.Error("nothing blocks here")
	}
	if !conflict.Blocking([]conflict.Finding{{}, {Blocking: true}}) {
		t.Error("the second finding blocks")
	}
}

func TestNotMerged(t *testing.T) {
	cause := errors.New("no common ancestor")
	f := only(t, conflict.Pair{A: edits("AGT-001", "a", "f"), B: edits("AGT-002", "b", "f"),
		Merge: conflict.Merge{Err: cause}})
	if f.Severity != conflict.Error || f.Certainty != conflict.Unknown || !f.Blocking ||
		!strings.Contains(f.Message, cause.Error()) {
		t.Errorf("finding %+v", f)
	}
	if want := []conflict.Place{{Agent: "AGT-001", Path: "f"}, {Agent: "AGT-002", Path: "f"}}; !slices.Equal(f.Places,
		want) {
		t.Errorf("places %v, want %v", f.Places, want)
	}
}

func TestMergeWithoutVerdict(t *testing.T) {
	f := only(t, conflict.Pair{A: edits("AGT-001", "a"), B: edits("AGT-002", "b")})
	if f.Severity != conflict.Error || f.Certainty != conflict.Unknown || !f.Blocking {
		t.Errorf("finding %+v", f)
	}
}

// TestKinds holds that what git only informs of is no conflict and that a kind nobody knows is one.
func TestKinds(t *testing.T) {
	pair := conflict.Pair{A: edits("AGT-001", "a"), B: edits("AGT-002", "b"), Merge: conflict.Merge{Clean: true}}
	pair.Merge.Conflicts = []conflict.PathConflict{{Path: "a", Kind: "Auto-merging", Message: "Auto-merging a"}}
	if found := run(t, pair); len(found) != 0 {
		t.Errorf("information gave findings:\n%s", render(found))
	}
	pair.Merge.Conflicts[0].Kind = "CONFLICT (from the future)"
	f := only(t, pair)
	if !f.Blocking || !strings.Contains(f.Message, "from the future") ||
		!strings.Contains(f.Message, "Auto-merging a") {
		t.Errorf("finding %+v", f)
	}
}

// TestSubmodule holds that git's verdict on a submodule is not believed: it can fast-forward one.
func TestSubmodule(t *testing.T) {
	pair := conflict.Pair{A: edits("AGT-001", "sub"), B: edits("AGT-002", "sub"), Merge: conflict.Merge{Clean: true}}
	for _, s := range []change.Set{pair.A, pair.B} {
		s.Files[0].OldMode, s.Files[0].NewMode = change.ModeSubmodule, change.ModeSubmodule
	}
	if f := only(t, pair); f.Severity != conflict.Error || f.Certainty != conflict.Confirmed || !f.Blocking {
		t.Errorf("finding %+v", f)
	}
}

// TestIdenticalNeedsIDs holds that changes are not called the same on ids that nobody filled in.
func TestIdenticalNeedsIDs(t *testing.T) {
	pair := conflict.Pair{A: edits("AGT-001", "f"), B: edits("AGT-002", "f"), Merge: conflict.Merge{Clean: true}}
	pair.A.Files[0].NewID, pair.B.Files[0].NewID = "", ""
	if f := only(t, pair); f.Severity != conflict.Warning {
		t.Errorf("finding %+v", f)
	}
}

// TestOtherBase holds that lines of different bases are not compared with each other.
func TestOtherBase(t *testing.T) {
	at := func(text string) fstest.MapFS { return fstest.MapFS{"f": {Data: []byte(text)}} }
	pair := conflict.Pair{A: edits("feature", "f"), B: edits("target", "f")}
	pair.Merge.Conflicts = []conflict.PathConflict{{Path: "f", Kind: "CONFLICT (contents)", Message: "f"}}
	pair.A.BaseFS, pair.A.HeadFS = at("1\n2\n3\n4\n5\n"), at("one\n2\n3\n4\nfive\n")
	pair.B.BaseFS, pair.B.HeadFS = at("0\n1\n2\n3\n4\n5\n"), at("0\nI\n2\n3\n4\n5\n")
	lines := func() (all []int) {
		for _, p := range only(t, pair).Places {
			all = append(all, p.Line)
		}
		return all
	}
	if got, want := lines(), []int{1, 2}; !slices.Equal(got, want) {
		t.Errorf("one base: lines %v, want %v", got, want)
	}
	pair.B.Base = "another"
	if got, want := lines(), []int{1, 5, 2}; !slices.Equal(got, want) {
		t.Errorf("two bases: lines %v, want %v", got, want)
	}
}

func TestAdvice(t *testing.T) {
	for names, want := range map[[2]string]string{
		{"AGT-001", "AGT-002"}: "delegate sync merge AGT-001",
		{"AGT-001", "target"}:  "Send AGT-001 back",
		{"target", "AGT-002"}:  "Send AGT-002 back",
		{"main", "feature"}:    "rebase",
	} {
		pair := conflict.Pair{A: edits(names[0], "f"), B: edits(names[1], "f")}
		if f := only(t, inConflict(pair)); !strings.Contains(f.Advice, want) {
			t.Errorf("%q: advice %q lacks %q", names, f.Advice, want)
		}
	}
}

// inConflict makes the pair conflict in f.
func inConflict(p conflict.Pair) conflict.Pair {
	p.Merge = conflict.Merge{Conflicts: []conflict.PathConflict{{Path: "f", Kind: "CONFLICT (contents)", Message: "f"}}}
	return p
}

func TestCaseCollisions(t *testing.T) {
	added := func(name string, paths ...string) change.Set {
		s := edits(name, paths...)
		for i := range s.Files {
			s.Files[i].Kind, s.Files[i].OldMode = change.Added, 0
		}
		return s
	}
	deletes := edits("AGT-002", "README")
	deletes.Files[0].Kind, deletes.Files[0].NewMode = change.Deleted, 0
	for name, c := range map[string]struct {
		a, b change.Set
		want int
	}{
		"both there before":      {edits("AGT-001", "README"), edits("AGT-002", "Readme"), 0},
		"one is new":             {added("AGT-001", "README"), edits("AGT-002", "Readme"), 1},
		"in folders":             {added("AGT-001", "Src/A.go"), added("AGT-002", "src/a.go"), 1},
		"folders only":           {added("AGT-001", "Src/a.go"), added("AGT-002", "src/b.go"), 0},
		"file and folder":        {added("AGT-001", "Docs/x/y"), added("AGT-002", "docs"), 1},
		"the other side deletes": {added("AGT-001", "Readme"), deletes, 0},
		"kelvin sign":            {added("AGT-001", "\u212A.txt"), added("AGT-002", "k.txt"), 1},
		"sharp s is not ss":      {added("AGT-001", "straße"), added("AGT-002", "strasse"), 0},
		"not UTF-8":              {added("AGT-001", "\xff"), added("AGT-002", "\xfe"), 0},
	} {
		found := run(t, conflict.Pair{A: c.a, B: c.b, Merge: conflict.Merge{Clean: true}})
		if len(found) != c.want || conflict.Blocking(found) != (c.want > 0) {
			t.Errorf("%s: %d findings, want %d:\n%s", name, len(found), c.want, render(found))
		}
	}
}
