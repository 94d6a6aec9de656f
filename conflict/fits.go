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
		if typed(u.from.language) && plain(old[i].Type) != plain(new[i].Type) && !takesAll(new[i].Type) {
			return true
		}
		if permuted && old[i].Name != new[i].Name {
			return true
		}
	}
	return false
}

// takesAll reports whether a parameter of the type takes whatever was passed before: any, or a type parameter by its usual name.
func takesAll(typ string) bool {
	return plain(typ) == "any" || len(typ) == 1 && typ >= "A" && typ <= "Z"
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
