package conflict

import (
	"slices"
	"strings"

	"delegate/internal/syntax"
)

// fits reports whether a call with these arguments can be a call of a function with the parameters.
// A call whose arguments cannot be counted fits everything.
func fits(r syntax.Reference, params []syntax.Param) bool {
	if r.Spread || r.Args == syntax.NoCall {
		return true
	}
	left := slices.Clone(r.Named)
	positional := r.Args - len(r.Named)
	takesAny := false
	for _, p := range params {
		named := slices.Index(left, p.Name)
		switch {
		case p.Rest && p.NamedOnly:
			left = nil
		case p.Rest:
			takesAny, positional = true, 0
		case positional > 0 && !p.NamedOnly:
			positional--
		case named >= 0 && !p.PositionalOnly:
			left = slices.Delete(left, named, named+1)
		case !p.Optional:
			return false
		}
	}
	return len(left) == 0 && (positional == 0 || takesAny)
}

// typed reports whether the language checks types before anything runs.
func typed(l syntax.Language) bool {
	switch l {
	case syntax.Python, syntax.JavaScript, syntax.Ruby, syntax.PHP:
		return false
	}
	return true
}

// otherwise reports whether a call that fits both lists of parameters means something else by the second:
// a place has another type, or the same names come in another order. Arguments given by name do not mind.
func otherwise(u use, old, new []syntax.Param) bool {
	places := min(len(old), len(new), u.ref.Args-len(u.ref.Named))
	permuted := len(old) == len(new) && samePlacesAside(old, new)
	for i := range places {
		if typed(u.from.language) && plain(old[i].Type) != plain(new[i].Type) && !takes(new[i].Type, old[i].Type) {
			return true
		}
		if permuted && old[i].Name != new[i].Name {
			return true
		}
	}
	return false
}

// takes reports whether a parameter of the type takes whatever was passed before: any, a type parameter by its usual name,
// an unnamed one, or a union with more alternatives.
func takes(typ, before string) bool {
	return plain(typ) == "any" || len(typ) == 1 && typ >= "A" && typ <= "Z" || strings.HasPrefix(typ, "impl ") || among(before, typ) ||
		wider(typ, before) || strings.Contains(typ, "const") && withoutConst(typ) == withoutConst(before)
}

// wider reports whether one type of numbers takes all values of another.
func wider(typ, before string) bool {
	order := []string{"byte", "short", "int", "long", "float", "double"}
	a, b := slices.Index(order, before), slices.Index(order, typ)
	return a >= 0 && b > a
}

// withoutConst is a C or C++ type as far as it matters to who passes a value: `const T &` takes a T.
func withoutConst(typ string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("const", " ", "&", " ", "*", " * ").Replace(typ)), " ")
}

// among reports whether all alternatives of one union type are alternatives of another.
func among(typ, union string) bool {
	theirs := alternatives(union)
	return !slices.ContainsFunc(alternatives(typ), func(a string) bool { return !slices.Contains(theirs, a) })
}

// alternatives are the members of a union type, or the type alone.
func alternatives(typ string) []string {
	var all []string
	depth, start := 0, 0
	for i, r := range typ + "|" {
		switch {
		case strings.ContainsRune("([{<", r):
			depth++
		case strings.ContainsRune(")]}>", r):
			depth--
		case r == '|' && depth <= 0:
			if part := strings.TrimSpace(typ[start:i]); part != "" {
				all = append(all, plain(part))
			}
			start = i + 1
		}
	}
	return all
}

// samePlacesAside reports whether two lists have the same names.
func samePlacesAside(old, new []syntax.Param) bool {
	a, b := paramNames(old), paramNames(new)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b) && !slices.Contains(a, "")
}

func paramNames(params []syntax.Param) []string {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return names
}

// matters reports whether a change from one result or type to another can hurt who uses the value.
// Where types are inferred an undeclared one says nothing, and a union with fewer alternatives hurts nobody.
func matters(l syntax.Language, old, new string) bool {
	switch l {
	case syntax.TypeScript:
		return old != "" && new != "" && !among(new, old)
	case syntax.Python, syntax.PHP, syntax.JavaScript, syntax.Ruby:
		return anotherSort(old, new)
	}
	return true
}

// anotherSort reports whether two annotations of a language that does not check them name different things,
// and not only one of them more exactly.
func anotherSort(old, new string) bool {
	a, _, _ := strings.Cut(old, "[")
	b, _, _ := strings.Cut(new, "[")
	vague := func(s string) bool {
		return s == "" || s == "None" || s == "Any" || s == "object" || s == "mixed" || strings.ContainsAny(s, "|?") || strings.HasPrefix(s, "Optional") || strings.HasPrefix(s, "Union")
	}
	return !vague(a) && !vague(b) && !strings.EqualFold(a, b)
}
