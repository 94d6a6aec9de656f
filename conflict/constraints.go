package conflict

import (
	"path"
	"slices"

	"delegate/conflict/code"
	"delegate/internal/lazyregexp"
)

// byValue is the first line of a method of Go that takes the value itself and no pointer to it.
var byValue = lazyregexp.New(`^func \((?:\w+ )?\w[^*)]*\)`)

// pointerReceivers suspects, for a Go method that now has a pointer receiver, that new code of the user uses a value of
// the type as an interface with that method. Go's type checker decides.
func (c *Direction) pointerReceivers() {
	for e := range c.by.kept() {
		if e.language().Name != code.Go || e.Old.Kind != code.Method || e.Old.Hash == e.New.Hash {
			continue
		}
		uses := c.Uses(ownerEdit(e))
		if len(uses) == 0 {
			continue
		}
		old, new := c.texts(e)
		if matching(byValue, old) > 0 && matching(byValue, new) == 0 {
			c.suspect(APIConflict, c.placeOf(e), uses,
				"%s lets %[3]s take a pointer, and new code of %[2]s needs it of a value.", noun(e.Old, e.language())).
				instruct("Take the address of the value at " + placesOf(uses) + ".").needsChecker = true
		}
	}
}

// importers suspects, for each package whose exported definitions the side changes, that new code of the user in a
// package that imports it does not compile with them. Go's type checker decides.
func (c *Direction) importers() {
	seen := map[string]bool{}
	for _, e := range c.by.edits {
		if e.Kind == Added || e.Old.Kind == code.Local || !e.language().Checked || !c.seenFromOutside(e) {
			continue
		}
		t := c.targetOf(e)
		folder := path.Dir(t.Path)
		if seen[folder] {
			continue
		}
		seen[folder] = true
		var uses []Use
		for _, src := range c.user.sources {
			if src.New != nil && len(src.refs) > 0 && path.Dir(src.file.Path) != folder &&
				slices.ContainsFunc(src.New.Imports, func(i code.Import) bool {
					_, leads := c.reaches(i, src.file.Path, t)
					return leads
				}) {
				uses = append(uses, Use{code.Reference{Args: code.NoCall}, src})
			}
		}
		// It is not known which edit is the cause, so that the finding quotes what the checker reports.
		c.suspect(APIConflict, c.placeIn(e.from, 0, ""), uses, "%s changes %[3]s, and new code of %[2]s imports it.",
			quoted(folder)).needsChecker = true
	}
}

// seenFromOutside reports whether an edit may change what code of other packages can do: all but those of a body, and
// of the values of constants that stay such.
func (c *Direction) seenFromOutside(e Edit) bool {
	if e.Kind != BodyChanged || isType(e.Old) || e.Old.Kind != e.New.Kind ||
		e.Old.Kind == code.Variable && e.Old.Type == "" {
		return true
	}
	if e.Old.Kind != code.Method {
		return false
	}
	old, new := c.texts(e)
	return matching(byValue, old) != matching(byValue, new)
}
