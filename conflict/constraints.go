package conflict

import (
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/internal/lazyregexp"
)

// byValue is the first line of a method of Go that takes the value itself and no pointer to it.
var byValue = lazyregexp.New(`^func \((?:\w+ )?\w[^*)]*\)`)

// pointerReceivers are suspicions that values of a type of Go, one of whose methods takes a pointer by now, stand where
// new code of the user needs the method of the value itself. Go's type checker tells.
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

// constraints are suspicions that an interface which type parameters are held to, and that admits other types by now,
// no longer admits those of new code of the user. Go's type checker tells.
func (c *Direction) constraints() {
	for e := range c.by.kept() {
		if !e.language().Checked || e.Old.Kind != code.Interface || e.Old.Hash == e.New.Hash {
			continue
		}
		old, new := c.texts(e)
		if !strings.ContainsAny(strings.Join(old, "")+strings.Join(new, ""), "|~") {
			continue
		}
		t := c.targetOf(e)
		uses := c.usesThat(func(u Use) bool {
			return u.Ref.Qualifier != "" && u.Ref.Type == "" && slices.ContainsFunc(u.from.New.Imports,
				func(i code.Import) bool {
					_, leads := c.reaches(i, u.from.file.Path, t)
					return leads && i.Name == u.Ref.Qualifier
				})
		})
		c.suspect(APIConflict, c.placeOf(e), uses,
			"%s changes which types %[3]s admits, and new code of %[2]s uses its package.",
			noun(e.Old, e.language())).needsChecker = true
	}
}
