package conflict

import (
	"path"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict/code"
)

// findTestConflicts reports tests and recorded results that both sides change,
// and tests of the one that look at code which the other changes.
func findTestConflicts(p Pair) ([]Finding, error) {
	found := p.recordings()
	more, err := p.EachDirection(func(c *Direction) ([]Finding, error) {
		all := c.testedChanges()
		if c.first {
			all = append(all, c.sameTests()...)
		}
		return all, nil
	})
	return append(found, more...), err
}

// recordings reports files with recorded results that both sides change in different ways.
func (p Pair) recordings() []Finding {
	var found []Finding
	theirs := map[string]change.File{}
	for _, f := range p.B.Files {
		theirs[f.BasePath()] = f
	}
	for _, a := range p.A.Files {
		b, both := theirs[a.BasePath()]
		if !both || !isRecording(a.BasePath()) || identical(a, b) {
			continue
		}
		f := p.finding(Warning, Suspected, bare([]change.File{a}), bare([]change.File{b}))
		f.Type = TestConflict
		f.Message = "Both sides record other expected results in " + quoted(a.BasePath()) +
			"; tests tell only after they were run on both changes together."
		f.Advice = p.adviceToOrder()
		found = append(found, f)
	}
	return found
}

// isRecording tells files that tests compare results with, by the usual places and names.
func isRecording(name string) bool {
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		switch strings.ToLower(part) {
		case "__snapshots__", "snapshots", "golden", "goldens", "__image_snapshots__":
			return true
		case "testdata":
			return !strings.HasSuffix(name, ".go")
		}
	}
	base := strings.ToLower(path.Base(name))
	for _, ending := range []string{".snap", ".golden", ".approved.txt", ".ambr", ".snapshot"} {
		if strings.HasSuffix(base, ending) {
			return true
		}
	}
	return strings.Contains(base, ".golden.") || strings.Contains(base, ".expected.") ||
		strings.HasSuffix(base, ".expected")
}

// sameTests reports tests that both sides change.
func (c *Direction) sameTests() []Finding {
	var found []Finding
	for _, e := range c.by.edits {
		if !changesTest(e) || groups(e) {
			continue
		}
		for _, i := range c.user.byName[e.New.Name] {
			o := c.user.edits[i]
			if changesTest(o) && o.New.Key() == e.New.Key() && o.from.file.BasePath() == e.from.file.BasePath() &&
				o.New.Hash != e.New.Hash {
				r := code.Reference{Name: o.New.Key(), Line: o.New.Line, Args: code.NoCall}
				f := c.finding(TestConflict, e, []Use{{r, o.to}})
				f.Message = c.by.set.Name + " and " + c.user.set.Name + " both change the test " + quoted(e.New.Key()) +
					"."
				found = append(found, f)
			}
		}
	}
	return found
}

func changesTest(e Edit) bool {
	return e.Old.Test && e.New.Test && e.New.Callable() && e.Kind != Added && e.Kind != Removed
}

// groups reports whether a test only groups others, in which the change is.
func groups(e Edit) bool {
	return slices.ContainsFunc(e.to.New.Definitions, func(d code.Definition) bool {
		return d.Test && d.Container == e.New.Key()
	})
}

// testedChanges reports functions that one side changes and a new or changed test of the other calls.
func (c *Direction) testedChanges() []Finding {
	hits := map[int][]Use{}
	for _, src := range c.user.sources {
		tests := testKeys(src)
		for _, r := range src.refs {
			if !tests[r.In] || r.Use != code.Call {
				continue
			}
			for _, i := range c.by.byName[r.Name] {
				e := c.by.edits[i]
				if e.Kind == BodyChanged && e.Old.Callable() && !e.Old.Test && !already(hits[i], r.In, src) &&
					c.means(r, src, e) == resolved {
					hits[i] = append(hits[i], Use{r, src})
				}
			}
		}
	}
	var found []Finding
	for i, e := range c.by.edits {
		if len(hits[i]) == 0 {
			continue
		}
		f := c.finding(TestConflict, e, hits[i])
		f.Message = c.by.set.Name + " " + e.phrase() + ", which the test " + quoted(hits[i][0].Ref.In) + " of " +
			c.user.set.Name + " calls and was not written for."
		f.Advice = "Run that test on both changes together before you land. " + c.pair.adviceToOrder()
		found = append(found, f)
	}
	return found
}

func testKeys(src *source) map[string]bool {
	keys := map[string]bool{}
	if src.New != nil {
		for _, d := range src.New.Definitions {
			if d.Test {
				keys[d.Key()] = true
			}
		}
	}
	return keys
}

func already(uses []Use, in string, src *source) bool {
	return slices.ContainsFunc(uses, func(u Use) bool { return u.from == src && u.Ref.In == in })
}
