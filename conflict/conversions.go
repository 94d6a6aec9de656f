package conflict

import (
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// madeExplicit reports constructors, and operators of conversion, that no longer convert where nothing says so, and the
// new lines of the user that need it.
func (c *Direction) madeExplicit() {
	for e := range c.by.kept() {
		if e.language().Converting.Places == nil || e.Old.Explicit || !e.New.Explicit || c.convertsElse(e) {
			continue
		}
		var uses []Use
		for _, src := range c.user.sources {
			if src.New != nil && src.language.Related(e.language()) &&
				c.means(code.Reference{Name: lastOf(e.Old.Container), Use: code.Read}, src, ownerEdit(e)) >= likely {
				uses = append(uses, c.converting(src, e)...)
			}
		}
		c.suspect(APIConflict, c.placeOf(e), uses,
			"%s makes %[3]s explicit, and new code of %[2]s converts by it implicitly.",
			noun(e.Old, e.language())).
			instruct("Write the conversion to " + quoted(convertedTo(e)) + " out at " + placesOf(uses) + ".")
	}
}

// convertedTo is the type that an edited constructor or operator converts to.
func convertedTo(e Edit) string {
	if to, is := strings.CutPrefix(e.New.Name, "operator "); is {
		return to
	}
	return lastOf(e.New.Container)
}

// convertsElse reports whether another constructor of the type goes on to convert, or this one never did.
func (c *Direction) convertsElse(e Edit) bool {
	if !isConstructor(e.New) {
		return !strings.HasPrefix(e.New.Name, "operator ")
	}
	if required(e.New.Params) > 1 || len(e.New.Params) == 0 {
		return true
	}
	return slices.ContainsFunc(e.to.New.Definitions, func(d code.Definition) bool {
		return d.Container == e.New.Container && isConstructor(d) && !d.Explicit && len(d.Params) > 0 &&
			required(d.Params) <= 1 && !hasWord(d.Params[0].Type, []code.Param{{Name: lastOf(e.New.Container)}})
	})
}

// converting are the new lines of a source that need the conversion.
func (c *Direction) converting(src *changedFile, e Edit) (uses []Use) {
	lines := c.sourceLines(c.user, version{head: true, name: src.file.Path})
	read, to := e.language().Converting, convertedTo(e)
	for i, text := range lines {
		line := i + 1
		if src.Old != nil && !within(src.hunks, line) {
			continue
		}
		in := around(src.New, line)
		found := false
		for _, p := range read.Places(text) {
			if p.Returned {
				p.To = in.Result
			}
			found = found || typeName(p.To) == to && c.converts(p.Value, src, in, e)
		}
		for _, r := range src.refs {
			found = found || r.Line == line && r.Use == code.Call && c.passes(r, text, to, func(value string) bool {
				return c.converts(value, src, in, e)
			})
		}
		if u := (Use{code.Reference{Name: to, In: in.Key(), Line: line, Args: code.NoCall}, src}); found &&
			c.merged.hasLine(src.file.Path, text) {
			uses = append(uses, u)
		}
	}
	return uses
}

// around is the innermost function around a line.
func around(f *code.File, line int) (in code.Definition) {
	for _, d := range f.Definitions {
		if d.Callable() && d.Kind != code.Macro && d.Line <= line && line <= d.End && d.Line >= in.Line {
			in = d
		}
	}
	return in
}

// converts reports whether a value, in a function, is of the type that the edited one converts from.
func (c *Direction) converts(value string, src *changedFile, in code.Definition, e Edit) bool {
	if isConstructor(e.New) {
		return e.language().Converting.Literal(value) || isOfType(value, src, in, e.Old.Params[0].Type)
	}
	typ := localType(Use{code.Reference{In: in.Key()}, src}, value)
	for _, word := range []string{"const ", "&"} {
		typ = strings.TrimSpace(strings.ReplaceAll(typ, word, ""))
	}
	return typ != "" && typeName(typ) == lastOf(e.New.Container)
}

// isOfType reports whether a value is a variable of a function, or of its file, that is declared with a type which is
// written just so, but for whether it may be changed.
func isOfType(value string, src *changedFile, in code.Definition, typ string) bool {
	has := localType(Use{code.Reference{In: in.Key()}, src}, value)
	for _, d := range src.New.Definitions {
		if has == "" && d.Name == value && (d.Kind == code.Variable || d.Kind == code.Constant) &&
			(d.Container == "" || strings.HasPrefix(in.Key(), d.Container+".")) {
			has = d.Type
		}
	}
	return has != "" && withoutConst(has) == withoutConst(typ)
}

// passes reports whether a call on a line passes a value that needs converting for a parameter of a type, by all that
// both sides define under the function's name.
func (c *Direction) passes(r code.Reference, line, typ string, needs func(value string) bool) bool {
	_, behind, found := strings.Cut(line, r.Name+"(")
	list, _, closed := lang.Closed("(" + behind)
	if !found || !closed || r.Args == 0 {
		return false
	}
	for i, value := range lang.Comma(list) {
		known, takes := false, true
		for _, src := range slices.Concat(c.by.sources, c.user.sources) {
			if src.New == nil {
				continue
			}
			for _, d := range src.New.Definitions {
				if d.Name == r.Name && d.Callable() && !isConstructor(d) {
					known = true
					takes = takes && i < len(d.Params) && typeName(withoutConst(d.Params[i].Type)) == typ
				}
			}
		}
		if known && takes && needs(value) {
			return true
		}
	}
	return false
}
