package conflict

import (
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// tuplesUnpacked reports named tuples that get another number of fields, or the same ones in another order, where new
// code of the user takes a value of one apart: what a field has, what a function gives, or a variable of its own.
func (c *Direction) tuplesUnpacked() {
	for e := range c.by.kept() {
		read := e.language().NamedTuple
		if read == nil || e.Old.Container != "" || e.Old.Hash == e.New.Hash {
			continue
		}
		old, new := c.texts(e)
		was, is := read(old), read(new)
		if was == nil || is == nil || len(was) == len(is) && !permuted(was, is) {
			continue
		}
		uses := slices.DeleteFunc(c.valuesOf(e), func(u Use) bool {
			return len(takenApart(c.lineOf(u), u.Ref.Name)) != len(was)
		})
		c.suspect(APIConflict, c.placeOf(e), uses,
			"%s gives %[3]s the fields (%[4]s) in place of (%[5]s), and new code of %[2]s takes one apart.",
			noun(e.Old, e.language()), brief(strings.Join(is, ", ")), brief(strings.Join(was, ", "))).
			instruct("Take (" + brief(strings.Join(is, ", ")) + ") from " + quoted(e.Old.Key()) + " at " +
				placesOf(uses) + ".").runtimeOnly = true
	}
}

// valuesOf are the user's new uses of what has or gives a value of a type: fields and functions of the side's files
// that say it, and variables of the user's.
func (c *Direction) valuesOf(e Edit) (uses []Use) {
	for _, src := range c.by.sources {
		if src.Old == nil || src.New == nil || src.language != e.language() {
			continue
		}
		for _, d := range src.New.Definitions {
			if typ := d.Type + d.Result; d.Kind != code.Local && typeName(strings.Trim(typ, `"'`)) == e.Old.Name {
				uses = append(uses, c.Uses(Edit{Kind: BodyChanged, Old: d, New: d, from: src, to: src})...)
			}
		}
	}
	for _, src := range c.user.sources {
		if src.New == nil || src.language != e.language() {
			continue
		}
		for _, d := range src.New.Definitions {
			typ := code.Reference{Name: strings.Trim(d.Type, `"'`), Use: code.Read, Args: code.NoCall, In: d.Container}
			if d.Kind != code.Local || lastOf(typ.Name) != e.Old.Name {
				continue
			}
			typ.Qualifier, typ.Name, _ = cutLast(typ.Name)
			if c.means(typ, src, e) >= likely {
				uses = append(uses, c.takenApartIn(src, d)...)
			}
		}
	}
	return uses
}

// takenApartIn are the new lines of the function around a variable that take it apart.
func (c *Direction) takenApartIn(src *changedFile, variable code.Definition) (uses []Use) {
	around, known := definition(src.New, variable.Container)
	if !known {
		return nil
	}
	lines := c.sourceLines(c.user, version{head: true, name: src.file.Path})
	for at := around.Line; at <= around.End && at <= len(lines); at++ {
		new := src.Old == nil || within(src.hunks, at)
		if new && takenApart(lines[at-1], variable.Name) != nil {
			uses = append(uses, Use{code.Reference{Name: variable.Name, Line: at, Args: code.NoCall,
				In: variable.Container}, src})
		}
	}
	return uses
}

// takenApart are the names to which a line gives the parts of what a name stands for: a variable, a field, what a call
// gives. nil if it does not take it apart, or not all of it.
func takenApart(line, name string) []string {
	m := regexp.MustCompile(`^\s*\(?([\w., ]+?),?\)?\s*=\s*(?:[\w.]+\.)?` + regexp.QuoteMeta(name) +
		`(\(.*\))?\s*(?:#.*)?$`).FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	targets := lang.PlainNames(m[1])
	if len(targets) < 2 {
		return nil
	}
	if _, rest, closed := lang.Closed(m[2]); m[2] != "" && (!closed || rest != "") {
		return nil
	}
	return targets
}
