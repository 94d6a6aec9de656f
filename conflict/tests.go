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
	more, err := p.eachDirection(func(c *direction) ([]Finding, error) {
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
func (c *direction) sameTests() []Finding {
	var found []Finding
	for _, e := range c.by.edits {
		if !changesTest(e) || groups(e) {
			continue
		}
		for _, i := range c.user.byName[e.new.Name] {
			o := c.user.edits[i]
			if changesTest(o) && o.new.Key() == e.new.Key() && o.from.file.BasePath() == e.from.file.BasePath() &&
				o.new.Hash != e.new.Hash {
				r := code.Reference{Name: o.new.Key(), Line: o.new.Line, Args: code.NoCall}
				f := c.finding(TestConflict, e, []use{{r, o.to}})
				f.Message = c.by.set.Name + " and " + c.user.set.Name + " both change the test " + quoted(e.new.Key()) +
					"."
				found = append(found, f)
			}
		}
	}
	return found
}

func changesTest(e edit) bool {
	return e.old.Test && e.new.Test && e.new.Callable() && e.kind != added && e.kind != removed
}

// groups reports whether a test only groups others, in which the change is.
func groups(e edit) bool {
	return slices.ContainsFunc(e.to.new.Definitions, func(d code.Definition) bool {
		return d.Test && d.Container == e.new.Key()
	})
}

// testedChanges reports functions that one side changes and a new or changed test of the other calls.
func (c *direction) testedChanges() []Finding {
	hits := map[int][]use{}
	for _, src := range c.user.sources {
		tests := testKeys(src)
		for _, r := range src.refs {
			if !tests[r.In] || r.Use != code.Call {
				continue
			}
			for _, i := range c.by.byName[r.Name] {
				e := c.by.edits[i]
				if e.kind == bodyChanged && e.old.Callable() && !e.old.Test && !already(hits[i], r.In, src) &&
					c.means(r, src, e) == resolved {
					hits[i] = append(hits[i], use{r, src})
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
		f.Message = c.by.set.Name + " " + e.phrase() + ", which the test " + quoted(hits[i][0].ref.In) + " of " +
			c.user.set.Name + " calls and was not written for."
		f.Advice = "Run that test on both changes together before you land. " + c.pair.adviceToOrder()
		found = append(found, f)
	}
	return found
}

func testKeys(src *source) map[string]bool {
	keys := map[string]bool{}
	if src.new != nil {
		for _, d := range src.new.Definitions {
			if d.Test {
				keys[d.Key()] = true
			}
		}
	}
	return keys
}

func already(uses []use, in string, src *source) bool {
	return slices.ContainsFunc(uses, func(u use) bool { return u.from == src && u.ref.In == in })
}
