package conflict

import (
	"slices"

	"delegate/conflict/code"
)

// lostArms reports macros that no longer take what new code of the user gives to them.
func (c *Direction) lostArms() {
	for e := range c.by.kept() {
		read := e.language().LostArm
		if read == nil || e.Old.Kind != code.Macro {
			continue
		}
		uses := c.Uses(e)
		if len(uses) == 0 {
			continue
		}
		old, new := c.texts(e)
		uses = slices.DeleteFunc(uses, func(u Use) bool { return !read(old, new, c.lineOf(u), e.Old.Name) })
		c.suspect(APIConflict, c.placeOf(e), uses,
			"%s changes what %[3]s takes, and new code of %[2]s gives it something that it no longer does.",
			noun(e.Old, e.language())).
			instruct("Write " + quoted(e.Old.Name) + " as one of its rules has it at " + placesOf(uses) + ".")
	}
}
