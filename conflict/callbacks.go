package conflict

import (
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/text/lazyregexp"
)

// handedFunctions reports types of functions that the one side gives another form, where new code of the other hands a
// function of the old form to what takes or holds one of the type, or makes a value of it so. It found 1 of 168 breaks.
func (c *Direction) handedFunctions() {
	for _, e := range c.by.edits {
		typ, reshaped := e.functionType()
		if !reshaped {
			continue
		}
		uses := c.usesThat(func(u Use) bool {
			return slices.ContainsFunc(u.Ref.Functions, typ.hurts) && c.merged.stillUsed(u.Ref, u.from.file.Path) &&
				(e.Kind != Added && u.Ref.Use == code.Inherit && u.Ref.Name == typ.name &&
					c.means(u.Ref, u.from, typ.edit) >= likely || c.takes(u, typ))
		})
		if len(uses) > 0 {
			c.tell(oldFunction, c.placeOf(e), uses, "did", e.phrase(), "edit", typ.instead)
		}
	}
}

// functionType is a type of functions that got another form.
type functionType struct {
	name     string
	edit     Edit // of the type
	was, is  int  // parameters
	anyShape bool // functions with as many parameters are hurt too
	instead  string
}

// hurts reports whether a function with params parameters had the old function type and does not have the new one.
func (t functionType) hurts(params int) bool {
	return (params == t.was || params == code.AnyNumber) && (t.was != t.is || t.anyShape)
}

// functionType returns the change of a function type: of an interface with one method, or of a type that is written
// as a function signature.
func (e Edit) functionType() (functionType, bool) {
	switch {
	case e.Kind == Added && e.New.Abstract && e.to.Old != nil && e.to.language.Has(lang.FunctionalInterfaces):
		return e.secondMethod()
	case e.Kind == ParamsChanged && e.Old.Abstract && e.New.Abstract && e.from == e.to:
		owner := ownerEdit(e)
		typ, known := definition(e.to.New, owner.Old.Key())
		another := func(d code.Definition) bool {
			return d.Abstract && d.Container == e.New.Container && d.Key() != e.New.Key()
		}
		if !known || typ.Kind != code.Interface || slices.ContainsFunc(e.to.New.Definitions, another) {
			return functionType{}, false
		}
		return functionType{name: owner.Old.Name, edit: owner, was: len(e.Old.Params), is: len(e.New.Params),
			instead: "Give a function of (" + paramList(e.New.Params) + ")"}, true
	case e.Kind == TypeChanged && e.Old.Kind == code.Type:
		was, is := functionParams(e.Old.Type), functionParams(e.New.Type)
		if was == nil || is == nil || slices.Equal(was, is) {
			return functionType{}, false
		}
		return functionType{name: e.Old.Name, edit: e, was: len(was), is: len(is), anyShape: true,
			instead: "Give a function of (" + brief(strings.Join(is, ", ")) + ")"}, true
	}
	return functionType{}, false
}

// secondMethod is an interface of one method, for which functions stood, that has got another.
func (e Edit) secondMethod() (functionType, bool) {
	owner := ownerEdit(e)
	typ, known := definition(e.to.Old, owner.Old.Key())
	var only []code.Definition
	for _, d := range e.to.Old.Definitions {
		if d.Abstract && d.Container == owner.Old.Key() {
			only = append(only, d)
		}
	}
	if !known || typ.Kind != code.Interface || len(typ.Bases) > 0 || len(only) != 1 {
		return functionType{}, false
	}
	n := len(only[0].Params)
	return functionType{name: owner.Old.Name, edit: owner, was: n, is: n, anyShape: true,
		instead: "Give a value of a class that has " + quoted(e.New.Name) + " too"}, true
}

// onlyHandsOn reports whether a use of a type of functions is that of a parameter or a field which the user's new code
// neither sets to a function nor calls, so that it is no matter what the functions take.
func (c *Direction) onlyHandsOn(e Edit, u Use) bool {
	if _, reshaped := e.functionType(); !reshaped || u.Ref.Use != code.Read {
		return false
	}
	var names []string
	for _, d := range u.from.New.Definitions {
		if (d.Kind == code.Local || d.Kind == code.Field) && d.Line <= u.Ref.Line && u.Ref.Line <= d.End &&
			hasWord(d.Type, []code.Param{{Name: e.Old.Name}}) {
			names = append(names, regexp.QuoteMeta(d.Name))
		}
	}
	if len(names) == 0 {
		return false
	}
	any := `\b(?:` + strings.Join(names, "|") + `)\b`
	called := regexp.MustCompile(any + `\s*(?:\)\s*)?(?:\??\.(?:Invoke|call|apply|BeginInvoke)\s*)?\(|` + any +
		`\s*=\s*(?:delegate|\(|\w+\s*=>|\[|new\b)`)
	for i, line := range c.sourceLines(c.user, version{head: true, name: u.Path()}) {
		if (u.from.Old == nil || within(u.from.hunks, i+1)) && called.MatchString(line) {
			return false
		}
	}
	return true
}

// parameterName is the name behind the type of a parameter.
var parameterName = lazyregexp.New(`([ *&])[_\pL][_\pL\p{Nd}]*$`)

// functionParams are the types of the parameters in a type of functions, without the parameters' names: those behind
// the pointer in C, or in the first brackets. nil: it is none.
func functionParams(typ string) []string {
	_, list, found := strings.Cut(typ, ")(")
	if !found {
		if _, list, found = strings.Cut(typ, "("); !found {
			return nil
		}
	}
	depth, start, params := 0, 0, []string{}
	for i, r := range list {
		switch {
		case strings.ContainsRune("([<{", r):
			depth++
		case depth > 0 && strings.ContainsRune(")]>}", r):
			depth--
		case depth == 0 && (r == ',' || r == ')'):
			one := strings.TrimSpace(list[start:i])
			if one = strings.TrimSpace(parameterName.ReplaceAllString(one, "$1")); one != "" && one != "void" {
				params = append(params, one)
			}
			if start = i + 1; r == ')' {
				return params
			}
		}
	}
	return nil
}

// takes reports whether a use hands a function to what takes or holds one of the type, before the edit and after it.
func (c *Direction) takes(u Use, typ functionType) bool {
	has := func(f *code.File) (code.Definition, bool) {
		if f != nil {
			for _, d := range f.Definitions {
				if d.Name == u.Ref.Name && d.Kind != code.Local && takesType(d, typ.name) {
					return d, true
				}
			}
		}
		return code.Definition{}, false
	}
	if c.holds(u, typ) {
		return true
	}
	return slices.ContainsFunc(c.by.sources, func(src *changedFile) bool {
		if src.Old == nil || src.New == nil || !src.language.Related(typ.edit.language()) {
			return false
		}
		_, before := has(src.Old)
		d, after := has(src.New)
		return before && after &&
			c.means(u.Ref, u.from, classOf(Edit{Kind: BodyChanged, Old: d, New: d, from: src, to: src})) >= likely
	})
}

// holds reports whether a use hands a function to a variable of its own file that is a collection of values of the
// type.
func (c *Direction) holds(u Use, typ functionType) bool {
	name, of := lastOf(u.Ref.Qualifier), []code.Param{{Name: typ.name}}
	return u.Ref.Type != "" && slices.ContainsFunc(u.from.New.Definitions, func(d code.Definition) bool {
		_, arguments, generic := strings.Cut(d.Type, "<")
		here := d.Kind == code.Field || d.Kind == code.Local && d.Container == u.Ref.In
		return generic && d.Name == name && here &&
			!hasWord(d.Type[:len(d.Type)-len(arguments)], of) && hasWord(arguments, of)
	}) && c.sees(u.from, c.targetOf(typ.edit)) && slices.Contains(keeping, u.Ref.Name)
}

// keeping are the methods of Java's collections that keep a value.
var keeping = []string{"add", "addFirst", "addLast", "put", "putIfAbsent", "offer", "push", "set"}

// takesType reports whether a definition has a parameter of a type, or is a value of it.
func takesType(d code.Definition, name string) bool {
	named := []code.Param{{Name: name}}
	if d.Callable() {
		return slices.ContainsFunc(d.Params, func(p code.Param) bool { return hasWord(p.Type, named) })
	}
	return !isType(d) && hasWord(d.Type, named)
}
