package conflict

import (
	"slices"

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
// another type at one place, or the same names in another order.
func otherwise(l syntax.Language, old, new []syntax.Param) bool {
	for i := range min(len(old), len(new)) {
		if typed(l) && old[i].Type != new[i].Type {
			return true
		}
	}
	return permuted(old, new)
}

func permuted(old, new []syntax.Param) bool {
	if len(old) != len(new) {
		return false
	}
	a, b := paramNames(old), paramNames(new)
	if slices.Equal(a, b) || slices.Contains(a, "") {
		return false
	}
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

func paramNames(params []syntax.Param) []string {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return names
}
