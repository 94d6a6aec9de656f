package conflict

import (
	"errors"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict/code"
)

// undefinedVariables reports names of the merged file that mean nothing in it although they were
// variables in each side: one side renamed a variable, took it out, or moved the code around it,
// and the other's new code there uses it.
func (c *Direction) undefinedVariables() {
	for _, src := range c.by.sources {
		other := c.counterpart(src)
		if other == nil || !c.merged.knows(other.file.Path) {
			continue
		}
		both := c.merged.source(other.file.Path)
		if both == nil || len(both.Faults) > 0 {
			continue
		}
		free, err := c.freeNames(src, other, both)
		if err != nil {
			c.err = err
			return
		}
		for _, uses := range byVariable(free, other) {
			if within(other.hunks, uses[0].Ref.Line) {
				c.undefinedVariable(uses, src)
			}
		}
	}
}

// byVariable groups the uses by what was a variable in the user's head, in the order of the first use.
func byVariable(free []Use, other *changedFile) [][]Use {
	var groups [][]Use
	place := map[[2]string]int{}
	for _, u := range free {
		name := firstOf(u.Ref)
		if !slices.ContainsFunc(other.New.Definitions, func(d code.Definition) bool {
			return d.Kind == code.Local && d.Name == name
		}) {
			continue
		}
		key := [2]string{u.Ref.In, name}
		i, known := place[key]
		if !known {
			i = len(groups)
			place[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], u)
	}
	return groups
}

// undefinedVariable notes a variable that is not there any more where it is used.
func (c *Direction) undefinedVariable(uses []Use, src *changedFile) {
	name, in := firstOf(uses[0].Ref), uses[0].Ref.In
	for _, e := range c.by.edits {
		if e.Old.Kind == code.Local && e.gone() && e.from == src && e.Old.Name == name && e.Old.Container == in {
			e.Kind = Removed // what matters is where it was
			c.suspect(APIConflict, c.placeOf(e), uses,
				"%s takes the variable %[3]s out of %[4]s or renames it, and new code of %[2]s there uses it.",
				quoted(name), quoted(in))
			return
		}
	}
	c.suspect(APIConflict, c.placeIn(src, 0, in), uses, "%s changes the code around, and new code of %s in %s "+
		"uses the variable %s, which is not known there in the merge.", quoted(in), quoted(name))
}

// freeNames are the bare references of the merged file to names that neither side refers to in that
// function, since there they are variables: a name that is bound is no reference.
func (c *Direction) freeNames(src, other *changedFile, both *code.File) ([]Use, error) {
	inBy, byErr := c.by.bareNames(src)
	inUser, userErr := c.user.bareNames(other)
	if err := errors.Join(byErr, userErr); err != nil {
		return nil, err
	}
	defined := map[string]bool{}
	for _, d := range both.Definitions {
		defined[d.Key()+localMark(d)] = true
	}
	var free []Use
	for _, r := range both.References {
		at := bareName{r.In, r.Name}
		if r.Qualifier == "" && !inBy[at] && !inUser[at] && !defined[r.Name] && !binds(both.Imports, r.Name) {
			free = append(free, Use{r, other})
		}
	}
	if len(free) == 0 {
		return nil, nil
	}
	inHead, err := c.linesInHead(other)
	if err != nil {
		return nil, err
	}
	for i := range free {
		free[i].Ref.Line = inHead.lineNow(free[i].Ref.Line)
	}
	return free, nil
}

// linesInHead takes lines of the merged file to those of the user's head.
func (c *Direction) linesInHead(src *changedFile) (*changedFile, error) {
	merged, _, err := readUpTo("the merge", c.merged.tree, src.file.Path, largestSource)
	if err != nil {
		return nil, err
	}
	head, _, err := readUpTo(c.user.set.Name, c.user.set.HeadFS, src.file.Path, largestSource)
	if err != nil {
		return nil, err
	}
	return &changedFile{hunks: change.Hunks(merged, head)}, nil
}

// bareName is a name without a qualifier that a function refers to.
type bareName struct{ in, name string }

type bareNames map[bareName]bool

// bareNames are the names of the head of a source, made once for all pairs.
func (s *changes) bareNames(src *changedFile) (bareNames, error) {
	if known := s.bare[src]; known != nil {
		return known, nil
	}
	data, _, err := readUpTo(s.set.Name, s.set.HeadFS, src.file.Path, largestSource)
	if err != nil {
		return nil, err
	}
	f := s.memory.parsed(named{src.file.Path, src.file.NewID}, data)
	names := bareNames{}
	for _, r := range f.References {
		if r.Qualifier == "" {
			names[bareName{strings.Clone(r.In), strings.Clone(r.Name)}] = true
		}
	}
	s.bare[src] = names
	return names, nil
}
