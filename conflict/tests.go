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
	f := finders{each: []func(*Direction){(*Direction).testedChanges}, once: []func(*Direction){(*Direction).sameTests}}
	found, err := f.run(p)
	return append(p.recordings(), found...), err
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
		if p.onlyAdds(a, b) {
			continue // more is recorded, and nothing else than before
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

// onlyAdds reports whether both sides only add lines to a file.
func (p Pair) onlyAdds(a, b change.File) bool {
	adds := func(l *layout, f change.File) bool {
		hunks, err := l.changed(f)
		return err == nil && len(hunks) > 0 && f.Kind == change.Modified &&
			!slices.ContainsFunc(hunks, func(h change.Hunk) bool { return h.OldLines > 0 })
	}
	return p.A.HeadFS != nil && p.B.HeadFS != nil && adds(p.ours, a) && adds(p.theirs, b)
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

// sameTests reports tests that both sides change. It found a break in history, in which both sides change what one test
// expects.
func (c *Direction) sameTests() {
	for _, e := range c.by.edits {
		if !changesTest(e) || groups(e) {
			continue
		}
		for _, i := range c.user.byName[e.New.Name] {
			o := c.user.edits[i]
			if changesTest(o) && o.New.Key() == e.New.Key() && o.from.file.BasePath() == e.from.file.BasePath() &&
				o.New.Hash != e.New.Hash {
				c.tell(sameTest, c.placeOf(e), []Use{definitionUse(o)}, "what", quoted(e.New.Key()))
			}
		}
	}
}

func changesTest(e Edit) bool {
	return e.Old.Test && e.New.Test && e.New.Callable() && e.Old.Hash != e.New.Hash
}

// groups reports whether a test only groups others, in which the change is.
func groups(e Edit) bool {
	return slices.ContainsFunc(e.to.New.Definitions, func(d code.Definition) bool {
		return d.Test && d.Container == e.New.Key()
	})
}

// testedChanges reports functions that one side changes and a new or changed test of the other calls.
func (c *Direction) testedChanges() {
	hits := map[int][]Use{}
	for _, src := range c.user.sources {
		var tests map[string]bool
		for _, r := range src.refs {
			called := c.by.byName[r.Name]
			if r.Use != code.Call || len(called) == 0 {
				continue
			}
			if tests == nil {
				tests = testKeys(src)
			}
			if !tests[r.In] {
				continue
			}
			for _, i := range called {
				e := c.by.edits[i]
				if e.Kind == BodyChanged && e.Old.Callable() && !e.Old.Test && !already(hits[i], r.In, src) &&
					c.means(r, src, e) == resolved {
					hits[i] = append(hits[i], Use{r, src})
				}
			}
		}
	}
	for i, e := range c.by.edits {
		if len(hits[i]) > 0 {
			f := c.tell(testedBody, c.placeOf(e), hits[i], "did", e.phrase(), "test", quoted(hits[i][0].Ref.In))
			f.Severity = Info // what runs the test knows more
			f.Advice = "Run that test on both changes together before you merge. " + f.Advice
		}
	}
}

func testKeys(src *changedFile) map[string]bool {
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

func already(uses []Use, in string, src *changedFile) bool {
	return slices.ContainsFunc(uses, func(u Use) bool { return u.from == src && u.Ref.In == in })
}
