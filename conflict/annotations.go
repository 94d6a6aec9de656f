package conflict

import "slices"

// annotatedWithout reports elements that an annotation has got or given up, where new code of the user annotates
// without the one or with the other.
func (c *Direction) annotatedWithout() {
	for _, e := range c.by.edits {
		read := e.language().Annotating
		d := e.subject()
		if read.Names == nil || d.Container == "" || e.Kind != Added && e.Kind != Removed && e.Kind != Renamed ||
			e.Kind == Added && (e.to.Old == nil || !c.demanded(e)) {
			continue
		}
		uses := c.usesThat(func(u Use) bool {
			if u.Ref.Name != lastOf(d.Container) || slices.Contains(u.Ref.Named, d.Name) == (e.Kind == Added) ||
				!read.Names(c.lineOf(u), u.Ref.Name) || c.means(u.Ref, u.from, ownerEdit(e)) < likely {
				return false
			}
			alone := u.Ref.Args == 1 && len(u.Ref.Named) == 0
			return c.merged.stillUsed(u.Ref, u.Path()) && !(alone && d.Name == read.Alone)
		})
		if e.Kind == Added {
			c.suspect(APIConflict, c.placeOf(e), uses, "%s adds the element %[3]s, which %[4]s demands, and new code "+
				"of %[2]s annotates without it.", quoted(d.Name), quoted(d.Container)).
				instruct("Give " + quoted(d.Name) + " to " + quoted(d.Container) + " at " + placesOf(uses) + ".")
			continue
		}
		instead := "Do without " + quoted(d.Name)
		if e.Kind == Renamed {
			instead = "Write " + quoted(e.New.Name) + " in place of " + quoted(d.Name)
		}
		c.suspect(APIConflict, c.placeOf(e), uses, "%s %[3]s, and new code of %[2]s annotates with it.", e.phrase()).
			instruct(instead + " at " + placesOf(uses) + ".")
	}
}

// demanded reports whether the new element of an annotation has to be given.
func (c *Direction) demanded(e Edit) bool {
	owner, known := definition(e.to.New, e.New.Container)
	_, was := definition(e.to.Old, e.New.Container)
	at := version{head: true, name: e.to.file.Path}
	return known && was && e.language().Annotating.Demands(c.textOf(c.by, at, owner), c.textOf(c.by, at, e.New))
}
