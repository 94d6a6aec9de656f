package conflict

import (
	"slices"

	"delegate/change"
	"delegate/internal/syntax"
)

// orphans reports names of the merged file that mean nothing in it although each side knew what they meant:
// a variable that one side renamed or took out of a function while the other's new code there uses it.
func (c *clash) orphans() ([]Finding, error) {
	var found []Finding
	for _, src := range c.by.sources {
		other := c.counterpart(src)
		if other == nil || src.new == nil || !c.merged.knows(other.file.Path) {
			continue
		}
		both := c.merged.source(other.file.Path)
		if both == nil || len(both.Faults) > 0 {
			continue
		}
		free, err := c.freeNames(src, other, both)
		if err != nil {
			return nil, err
		}
		for _, e := range c.by.edits {
			if e.old.Kind != syntax.Local || !e.gone() || e.from != src {
				continue
			}
			if uses := slices.DeleteFunc(slices.Clone(free), func(u use) bool { return firstOf(u.ref) != e.old.Name || u.ref.In != e.old.Container }); len(uses) > 0 {
				gone := e
				gone.what = taken // what matters is where it was
				f := c.finding(APIConflict, gone, uses)
				f.Message = c.by.set.Name + " takes the variable " + quoted(e.old.Name) + " out of " + quoted(e.old.Container) + " or renames it, and new code of " + c.user.set.Name + " there uses it."
				found = append(found, f)
			}
		}
	}
	return found, nil
}

// freeNames are the references of the merged file whose first name neither side refers to in that function, since there it is a variable.
func (c *clash) freeNames(src, other *source, both *syntax.File) ([]use, error) {
	known := map[[2]string]bool{}
	for _, version := range []struct {
		s   *side
		src *source
	}{{c.by, src}, {c.user, other}} {
		f, err := version.s.reread(version.src)
		if err != nil {
			return nil, err
		}
		locals := map[[2]string]bool{}
		for _, d := range f.Definitions {
			locals[[2]string{d.Container, d.Name}] = d.Kind == syntax.Local
		}
		for _, r := range f.References {
			if at := [2]string{r.In, firstOf(r)}; !locals[at] {
				known[at] = true
			}
		}
	}
	inHead, err := c.linesInHead(other)
	if err != nil {
		return nil, err
	}
	var free []use
	for _, r := range both.References {
		if !known[[2]string{r.In, firstOf(r)}] {
			r.Line = inHead.lineNow(r.Line)
			free = append(free, use{r, other})
		}
	}
	return free, nil
}

// linesInHead takes lines of the merged file to those of the user's head.
func (c *clash) linesInHead(src *source) (*source, error) {
	merged, _, err := readUpTo("the merge", c.merged.tree, src.file.Path, largestSource)
	if err != nil {
		return nil, err
	}
	head, _, err := readUpTo(c.user.set.Name, c.user.set.HeadFS, src.file.Path, largestSource)
	if err != nil {
		return nil, err
	}
	return &source{hunks: change.Hunks(merged, head)}, nil
}

// reread parses the head of a source once more, for its references.
func (s *side) reread(src *source) (syntax.File, error) {
	data, _, err := readUpTo(s.set.Name, s.set.HeadFS, src.file.Path, largestSource)
	if err != nil {
		return syntax.File{}, err
	}
	f, _ := syntax.Parse(src.file.Path, data)
	return f, nil
}
