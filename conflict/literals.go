package conflict

import (
	"cmp"
	"delegate/internal/text/lazyregexp"
	"slices"
	"strconv"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// nowRequired reports whether a field could be left out before.
func nowRequired(e Edit) bool {
	return e.Kind == TypeChanged && strings.HasSuffix(e.Old.Type, "?") && !strings.HasSuffix(e.New.Type, "?")
}

// literalsOf reports values that the user newly writes out and that the new or lost field makes wrong.
func (c *Direction) literalsOf(e Edit) {
	owners := append(c.componentsOf(e), ownerEdit(e))
	uses := c.usesThat(func(u Use) bool {
		if !isLiteral(u, e) || !literalNeedsField(u, e) {
			return false
		}
		return c.inFieldOf(u, e) || slices.ContainsFunc(owners, func(o Edit) bool {
			covered := e.gone() && o.Old.Key() == e.Old.Container // as a use of the field
			return u.Ref.Name == o.Old.Name && !covered && c.means(u.Ref, u.from, o) >= likely &&
				(o.Old.Kind != code.Function || ofFields(u, e))
		})
	})
	if len(uses) == 0 {
		return
	}
	edit := "Remove " + quoted(e.subject().Name)
	switch {
	case e.Kind == Renamed:
		edit = "Write " + quoted(e.New.Name) + " in place of " + quoted(e.Old.Name)
	case e.Kind != Removed:
		edit = "Set " + quoted(e.New.Key())
	}
	c.tell(oldForm, c.placeOf(e), uses, "did", e.phrase(), "edit", edit)
}

// inFieldOf reports whether a value is written out in a field of another, in which one of the edited field's type
// belongs: as the types of its file say.
func (c *Direction) inFieldOf(u Use, e Edit) bool {
	first, rest, inside := strings.Cut(u.Ref.Qualifier+"."+u.Ref.Name, ".")
	src := cmp.Or(e.to, e.from)
	if !inside || first == "" || !src.language.Has(lang.AnyFile) || src.New == nil || e.gone() && e.from.New == nil {
		return false
	}
	outer, known := definition(src.New, first)
	if !known || !isType(outer) || c.means(code.Reference{Name: first, Use: code.Read, Args: code.NoCall}, u.from,
		Edit{Kind: BodyChanged, Old: outer, New: outer, from: src, to: src}) < likely {
		return false
	}
	for field := range strings.SplitSeq(rest, ".") {
		d, _ := definition(src.New, first+"."+field)
		first = ""
		for _, name := range word.FindAllString(d.Type, -1) {
			if typ, ok := definition(src.New, name); ok && isType(typ) {
				if first != "" || ofSome.MatchString(d.Type) {
					return false
				}
				first = name
			}
		}
	}
	return first == e.subject().Container
}

// componentsOf are the components of the field's file that take the fields of the type as
// properties: an element of JSX writes out a value of it. Each stands for the type, as an edit of
// nothing.
func (c *Direction) componentsOf(e Edit) []Edit {
	src := e.to
	if e.Kind == Removed {
		src = e.from
	}
	if !src.language.Has(lang.AnyFile) || src.New == nil {
		return nil
	}
	var all []Edit
	typ := []code.Param{{Name: lastOf(e.subject().Container)}}
	for _, d := range src.New.Definitions {
		takes := slices.ContainsFunc(d.Params, func(p code.Param) bool {
			return hasWord(p.Type, typ) && !ofSome.MatchString(p.Type)
		}) || strings.Contains(d.Type, "<") && hasWord(d.Type, typ)
		if d.Container == "" && takes && d.Kind != code.Local {
			o := ownerEdit(e)
			o.Old, o.New = d, d
			all = append(all, o)
		}
	}
	return all
}

// ofSome are types of TypeScript with some of the fields of another one, or with all of them optional.
var ofSome = lazyregexp.New(`\b(?:\w*Partial|Pick|Omit|keyof)\b`)

// ofFields reports whether all that a value names are fields of the edited one's type, so that it can be a value of it.
func ofFields(u Use, e Edit) bool {
	src := e.to
	if src == nil {
		src = e.from
	}
	known := append(fieldNames(fieldsOf(src.New, e.subject().Container)), fieldNames(fieldsOf(src.Old,
		e.subject().Container))...)
	return !slices.ContainsFunc(u.Ref.Named, func(name string) bool {
		return name != "children" && !slices.Contains(known, name)
	})
}

// isLiteral reports whether the use writes out a value; those of types with numbered fields look like calls.
func isLiteral(u Use, e Edit) bool {
	return u.Ref.Use == code.Construct || u.Ref.Use == code.Call && isNumber(e.subject().Name)
}

func isNumber(name string) bool { return strings.Trim(name, "0123456789") == "" }

// literalNeedsField reports whether a literal has to name all fields, or gives them by position.
func literalNeedsField(u Use, e Edit) bool {
	switch u.from.language.Literal {
	case lang.LiteralByPosition:
		return byPosition(u)
	case lang.LiteralAggregate:
		// The rest of the fields is zero, and {0} is a way to say that they all are.
		return byPosition(u) && u.Ref.Args > max(1, slices.Index(fieldNames(fieldsAround(e)), e.subject().Name)) &&
			isAggregate(e, fieldsAround(e))
	case lang.LiteralWhole:
		if isNumber(e.subject().Name) {
			return numberOfFieldsDiffers(u, e)
		}
		if e.Kind == Removed || e.Kind == Renamed && slices.Contains(u.Ref.Named, e.Old.Name) {
			return slices.Contains(u.Ref.Named, e.Old.Name)
		}
		return !u.Ref.Spread && !strings.HasSuffix(e.New.Type, "?") &&
			!slices.Contains(u.Ref.Named, e.New.Name)
	}
	return false
}

func byPosition(u Use) bool { return u.Ref.Args > 0 && len(u.Ref.Named) == 0 }

// fieldsAround are the fields of the version that has the edited one, in their order.
func fieldsAround(e Edit) []code.Definition {
	if e.Kind == Removed {
		return fieldsOf(e.from.Old, e.Old.Container)
	}
	return fieldsOf(e.to.New, e.New.Container)
}

// isAggregate reports whether a C++ type is written out field by field: none is hidden, and no
// constructor takes the values.
func isAggregate(e Edit, fields []code.Definition) bool {
	f, typ := e.to, e.subject().Container
	if e.Kind == Removed {
		f = e.from
	}
	makes := f.New != nil && slices.ContainsFunc(f.New.Definitions, func(d code.Definition) bool {
		return d.Container == typ && isConstructor(d)
	})
	return !makes && !slices.ContainsFunc(fields, func(d code.Definition) bool {
		return d.Visibility != code.Public
	})
}

// fieldsOf are the fields of a type's values.
func fieldsOf(f *code.File, typ string) (fields []code.Definition) {
	if f == nil {
		return nil
	}
	for _, d := range f.Definitions {
		if d.Container == typ && d.Kind == code.Field && !d.Static {
			fields = append(fields, d)
		}
	}
	return fields
}

func fieldNames(defs []code.Definition) (all []string) {
	for _, d := range defs {
		all = append(all, d.Name)
	}
	return all
}

// numberOfFieldsDiffers reports whether a literal of a Rust tuple struct has another number of fields than the struct
// has now. If several fields were added or removed, only the first one reports it.
func numberOfFieldsDiffers(u Use, e Edit) bool {
	src := e.to
	if e.Kind == Removed {
		src = e.from
	}
	container := e.subject().Container
	old, new := numbered(src.Old, container), numbered(src.New, container)
	first := e.subject().Name == strconv.Itoa(min(old, new))
	return old != new && first && new > 0 && !u.Ref.Spread && u.Ref.Args != new
}

// numbered counts the fields of a Rust type, which may be written down once for each build.
func numbered(f *code.File, typ string) int {
	return len(slices.Compact(slices.Sorted(slices.Values(fieldNames(fieldsOf(f, typ))))))
}
