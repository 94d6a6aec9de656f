package conflict

import (
	"slices"
	"strings"

	"delegate/conflict/code"
)

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
