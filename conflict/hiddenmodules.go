package conflict

import (
	"strings"

	"delegate/conflict/code"
)

// hiddenModules reports modules of Rust, each a file of its own, that can no longer be seen from where the user newly
// imports from them, by their own path.
func (c *Direction) hiddenModules() {
	for _, e := range c.by.edits {
		if e.Kind != Unexported || e.Old.Kind != code.Module || e.language().Name != code.Rust {
			continue
		}
		around := e.to.file.Path
		for _, ending := range []string{".rs", "/lib", "/main", "/mod"} {
			around = strings.TrimSuffix(around, ending)
		}
		for _, file := range []string{around + "/" + e.New.Name + ".rs", around + "/" + e.New.Name + "/mod.rs"} {
			t := c.targetOf(e)
			t.Target.Path = file
			uses := c.importsThat(func(imp code.Import, src *changedFile) bool {
				sees := strings.HasPrefix(src.file.Path, around+"/")
				if e.New.Visibility == code.Restricted {
					sees = e.language().SeesRestricted(src.file.Path, file)
				}
				_, leads := c.reaches(imp, src.file.Path, t)
				return leads && !sees && src.language == e.language()
			})
			if c.merged.Has(file) {
				c.suspect(ImportConflict, c.placeOf(e), uses, "%s %[3]s, and %[2]s newly imports from it.", e.phrase()).
					instruct("Import it by a path without " + quoted(e.New.Name) + " at " + placesOf(uses) + ".")
			}
		}
	}
}
