package conflict_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"delegate/change"
	"delegate/conflict"
)

// suspicious is a pair in which ours removes what theirs newly calls; its three trees are told apart by their ids.
func suspicious() conflict.Pair {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	lib, without, caller := file("package lib\n\nfunc Old() {}\n"), file("package lib\n"),
		file("package app\n\nimport \"m/lib\"\n\nfunc Run() { lib.Old() }\n")
	mod := file("module m\n")
	base := fstest.MapFS{"go.mod": mod, "lib/a.go": lib}
	ours := fstest.MapFS{"go.mod": mod, "lib/a.go": without}
	theirs := fstest.MapFS{"go.mod": mod, "lib/a.go": lib, "app/b.go": caller}
	both := fstest.MapFS{"go.mod": mod, "lib/a.go": without, "app/b.go": caller}
	changed := func(kind change.Kind, path string) change.File {
		f := change.File{Path: path, Kind: kind, NewMode: change.ModeFile, NewID: "new " + path}
		if kind == change.Modified {
			f.OldMode, f.OldID = change.ModeFile, "old "+path
		}
		return f
	}
	return conflict.Pair{
		A: change.Set{Name: "AGT-001", Base: "base", Head: "ours", BaseFS: base, HeadFS: ours,
			Files: []change.File{changed(change.Modified, "lib/a.go")}},
		B: change.Set{Name: "AGT-002", Base: "base", Head: "theirs", BaseFS: base, HeadFS: theirs,
			Files: []change.File{changed(change.Added, "app/b.go")}},
		Merge: conflict.Merge{Clean: true, FS: both, Tree: "both"},
	}
}

// checker answers from a table by the id of the tree.
func checker(reports map[string]conflict.Report, err error) conflict.Checker {
	return conflict.Checker{
		Name:    "the checker",
		Endings: []string{".go"},
		Check: func(_ context.Context, tree conflict.Tree, _ []string) (conflict.Report, error) {
			return reports[tree.ID], err
		},
	}
}

func TestCheckersDecide(t *testing.T) {
	undefined := conflict.Problem{Path: "app/b.go", Line: 5, Message: "undefined: lib.Old"}
	elsewhere := conflict.Problem{Path: "other/c.go", Line: 1, Message: "something else"}
	reports := func(both, theirs []conflict.Problem, unresolved ...string) map[string]conflict.Report {
		return map[string]conflict.Report{"both": {Problems: both, Unresolved: unresolved,
			Read: []string{"app/b.go", "lib/a.go"}}, "theirs": {Problems: theirs}}
	}
	for name, c := range map[string]struct {
		reports map[string]conflict.Report
		err     error
		want    []string // severity, certainty and a part of the message of each finding
	}{
		"only the merged tree has it": {reports([]conflict.Problem{undefined}, nil), nil,
			[]string{"error confirmed app/b.go:5: undefined: lib.Old"}},
		"a side has it too": {reports([]conflict.Problem{undefined}, []conflict.Problem{undefined}),
			nil, []string{"warning suspected could not tell: it reports something else there, app/b.go:5"}},
		"it has not looked there": {map[string]conflict.Report{"both": {Read: []string{"lib/a.go"}}}, nil,
			[]string{"warning suspected could not tell: it does not look at app/b.go"}},
		"nothing is wrong": {reports(nil, nil), nil, []string{"info suspected finds nothing wrong"}},
		"nothing is wrong but much not known": {map[string]conflict.Report{"both": {
			Unresolved: []string{"example.org/gone is not here"}}}, nil,
			[]string{"warning suspected could not tell: example.org/gone is not here."}},
		"it could not tell": {nil, errors.New("out of time"),
			[]string{"warning suspected the checker could not tell: out of time."}},
		"something nobody suspected": {reports([]conflict.Problem{elsewhere}, nil), nil,
			[]string{"error confirmed accepts either side", "info suspected finds nothing wrong"}},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := conflict.Run(t.Context(), conflict.Request{
				Pairs: []conflict.Pair{suspicious()}, Analyzers: conflict.Analyzers(),
				Checkers: []conflict.Checker{checker(c.reports, c.err)},
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(found[0]) != len(c.want) {
				t.Fatalf("found:\n%s\nwant %q", render(found[0]), c.want)
			}
			for i, f := range found[0] {
				said := string(f.Severity) + " " + string(f.Certainty) + " " + f.Message
				head, tail, _ := strings.Cut(c.want[i], string(f.Certainty)+" ")
				if !strings.HasPrefix(said, head) || !strings.Contains(f.Message, tail) ||
					f.Blocking != (f.Severity == conflict.Error) {
					t.Errorf("found %q, want %q", said, c.want[i])
				}
			}
		})
	}
}

// TestWhatLandsDecides holds that the tree that lands answers for a merge where nothing is wrong with it and all was
// read there, and that the result lasts for other such trees only where the merge itself is sound.
func TestWhatLandsDecides(t *testing.T) {
	undefined := conflict.Problem{Path: "app/b.go", Line: 5, Message: "undefined: lib.Old"}
	elsewhere := conflict.Problem{Path: "other/c.go", Line: 1, Message: "something else"}
	all := []string{"app/b.go", "lib/a.go"}
	sound, broken := conflict.Report{Read: all}, conflict.Report{Read: all, Problems: []conflict.Problem{undefined}}
	for name, c := range map[string]struct {
		landing, both conflict.Report
		want          conflict.Certainty
		lasting       bool
	}{
		"repaired":     {sound, broken, conflict.Suspected, false},
		"not repaired": {broken, broken, conflict.Confirmed, false},
		"broken by a later one": {conflict.Report{Read: all, Problems: []conflict.Problem{elsewhere}}, sound,
			conflict.Suspected, true},
		"not read there": {conflict.Report{Read: all[1:]}, broken, conflict.Confirmed, false},
		"something is missing there": {conflict.Report{Read: all, Unresolved: []string{"gone"}}, broken,
			conflict.Confirmed, false},
		"something is missing in the merge": {broken, conflict.Report{Read: all, Unresolved: []string{"gone"}},
			conflict.Suspected, false},
	} {
		t.Run(name, func(t *testing.T) {
			pair := suspicious()
			pair.Landing = conflict.Tree{ID: "landing", FS: pair.Merge.FS}
			ch := checker(map[string]conflict.Report{"landing": c.landing, "both": c.both}, nil)
			for result, err := range conflict.Each(t.Context(), conflict.Request{Pairs: []conflict.Pair{pair},
				Analyzers: conflict.Analyzers(), Checkers: []conflict.Checker{ch}}) {
				if err != nil || len(result.Found) != 1 || result.Found[0].Certainty != c.want ||
					result.Lasting != c.lasting {
					t.Errorf("lasting %v, want %v, %v:\n%s", result.Lasting, c.lasting, err, render(result.Found))
				}
			}
		})
	}
}

// TestQuickCheckerNeedsNoSuspicion holds that a quick checker looks where both sides change one folder.
func TestQuickCheckerNeedsNoSuspicion(t *testing.T) {
	pair := suspicious()
	pair.B.Files[0].Path = "lib/b.go"
	both := fstest.MapFS{"lib/a.go": {Data: []byte("package lib\n")}, "lib/b.go": {Data: []byte("package lib\n")}}
	pair.B.HeadFS, pair.Merge.FS = both, both
	// Two problems in one line have one cause, and are one finding.
	ch := checker(map[string]conflict.Report{"both": {Problems: []conflict.Problem{
		{Path: "lib/b.go", Line: 1, Message: "broken"}, {Path: "lib/b.go", Line: 1, Message: "and so broken"},
	}}}, nil)
	for quick, want := range map[bool]int{false: 0, true: 1} {
		ch.Quick = quick
		found, err := conflict.Run(t.Context(),
			conflict.Request{Pairs: []conflict.Pair{pair}, Analyzers: conflict.Analyzers(),
				Checkers: []conflict.Checker{ch}})
		if err != nil || len(found[0]) != want {
			t.Errorf("quick %v: %v, %v", quick, found, err)
		}
	}
}

// TestTornTreesAreNotChecked holds that conflict markers are not taken for code.
func TestTornTreesAreNotChecked(t *testing.T) {
	pair := suspicious()
	pair.Merge.Clean = false
	pair.Merge.Conflicts = []conflict.PathConflict{{Path: "lib/z.go", Kind: "CONFLICT (contents)", Message: "z"}}
	ch := checker(nil, errors.New("must not be asked"))
	found, err := conflict.Run(t.Context(),
		conflict.Request{Pairs: []conflict.Pair{pair}, Analyzers: conflict.Analyzers(),
			Checkers: []conflict.Checker{ch}})
	if err != nil || strings.Contains(render(found[0]), "must not be asked") {
		t.Errorf("found:\n%s%v", render(found[0]), err)
	}
}

// TestCheckersReadWhatIsTooLarge holds that what is unknown for its size alone is for a checker to
// say, and what is broken is not.
func TestCheckersReadWhatIsTooLarge(t *testing.T) {
	large := "\n// " + strings.Repeat("long ", 1<<18) + "\n"
	tooMany := func(pair *conflict.Pair) {
		lib := pair.A.Files[0]
		pair.A.Files = nil
		for i := range 3000 {
			name := fmt.Sprintf("many/f%d.go", i)
			pair.A.HeadFS.(fstest.MapFS)[name] = &fstest.MapFile{Data: []byte("package many\n")}
			pair.A.Files = append(pair.A.Files,
				change.File{Path: name, Kind: change.Added, NewMode: change.ModeFile, NewID: "new"})
		}
		pair.A.Files = append(pair.A.Files, lib)
	}
	tail := func(text string) func(*conflict.Pair) {
		return func(pair *conflict.Pair) {
			head := pair.A.HeadFS.(fstest.MapFS)
			head["lib/a.go"] = &fstest.MapFile{Data: append(head["lib/a.go"].Data, text...)}
		}
	}
	clean := map[string]conflict.Report{"both": {Read: []string{"app/b.go", "lib/a.go"}}}
	undefined := map[string]conflict.Report{"both": {Problems: []conflict.Problem{{Path: "app/b.go", Line: 5,
		Message: "undefined: lib.Old"}}}}
	for name, c := range map[string]struct {
		spoil   func(*conflict.Pair)
		reports map[string]conflict.Report
		want    string // severity and certainty
	}{
		"nothing is wrong":       {tail(large), clean, "info suspected"},
		"nor with so many files": {tooMany, clean, "info suspected"},
		"it was not read":        {tail(large), nil, "error unknown"},
		"something is":           {tail(large), undefined, "error confirmed"},
		"something could not tell": {tail(large),
			map[string]conflict.Report{"both": {Unresolved: []string{"example.org/gone"}}}, "error unknown"},
		"the file is broken": {tail("func {"), clean, "error unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			pair := suspicious()
			c.spoil(&pair)
			found, err := conflict.Run(t.Context(), conflict.Request{
				Pairs: []conflict.Pair{pair}, Analyzers: conflict.Analyzers(),
				Checkers: []conflict.Checker{checker(c.reports, nil)},
			})
			if err != nil || len(found[0]) != 1 {
				t.Fatalf("found:\n%s%v", render(found[0]), err)
			}
			f := found[0][0]
			if got := string(f.Severity) + " " + string(f.Certainty); got != c.want ||
				f.Blocking != (f.Severity == conflict.Error) {
				t.Errorf("%s, blocking %v, want %s: %s", got, f.Blocking, c.want, f.Message)
			}
		})
	}
}

// TestCompilersMissWhatIsLinked holds that one function of C in two files stays suspected, since a compiler reads each
// file by itself.
func TestCompilersMissWhatIsLinked(t *testing.T) {
	if !(fixture{base: tree{"0.c": {}}}).readable() {
		t.Skip("needs a build with a C compiler")
	}
	pair := suspicious()
	pair.Merge.FS = fstest.MapFS{}
	for i, set := range []*change.Set{&pair.A, &pair.B} {
		name := fmt.Sprintf("%d.c", i)
		set.HeadFS = fstest.MapFS{name: {Data: []byte("int twice(int n)\n{\n\treturn 2 * n;\n}\n")}}
		set.Files = []change.File{{Path: name, Kind: change.Added, NewMode: change.ModeFile, NewID: name}}
		pair.Merge.FS.(fstest.MapFS)[name] = set.HeadFS.(fstest.MapFS)[name]
	}
	gcc := checker(map[string]conflict.Report{"both": {Read: []string{"0.c", "1.c"}}}, nil)
	gcc.Endings = []string{".c"}
	found, err := conflict.Run(t.Context(), conflict.Request{
		Pairs: []conflict.Pair{pair}, Analyzers: conflict.Analyzers(), Checkers: []conflict.Checker{gcc}})
	if err != nil || len(found[0]) != 1 || found[0][0].Severity != conflict.Warning {
		t.Fatalf("found:\n%s%v", render(found[0]), err)
	}
}
