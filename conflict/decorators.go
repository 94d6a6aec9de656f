package conflict

import "slices"

// lostDecorators reports definitions that the one side takes a decorator from, where new code of the user needs what it
// added.
func (c *Direction) lostDecorators() {
	for e := range c.by.kept() {
		read := e.language().LostDecorator
		if read == nil || !e.Old.Callable() && !isType(e.Old) {
			continue
		}
		uses := c.Uses(e)
		if len(uses) == 0 {
			continue
		}
		old, new := c.texts(e)
		gone := ""
		uses = slices.DeleteFunc(uses, func(u Use) bool {
			needed := read(old, new, c.lineOf(u), e.Old.Name)
			if gone == "" {
				gone = needed
			}
			return needed == "" || needed != gone
		})
		c.suspect(APIConflict, c.placeOf(e), uses,
			"%s takes the decorator %[3]s from %[4]s, and new code of %[2]s needs it.", quoted(gone),
			noun(e.Old, e.language())).
			instruct("Do without what " + quoted(gone) + " gave to " + quoted(e.Old.Key()) + " at " + placesOf(uses) +
				".").runtimeOnly = true
	}
}
