package conflict

import (
	"delegate/internal/text/lazyregexp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// fits reports whether a call with these arguments can be a call of a function with the parameters.
// A call whose arguments cannot be counted fits everything.
func fits(r code.Reference, params []code.Param) bool {
	if r.Spread || r.Args == code.NoCall {
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

// countedBy is a call of Go that passes on what another one gives, with as many arguments as the function took before.
func countedBy(r code.Reference, e Edit) code.Reference {
	rest := slices.ContainsFunc(e.Old.Params, func(p code.Param) bool { return p.Rest })
	if r.Spread && r.Args == 1 && e.language().Has(lang.Checked) && !rest {
		r.Spread, r.Args = false, len(e.Old.Params)
	}
	return r
}

// meansOther reports whether a call that is valid for both forms of a function has another meaning with the second one:
// a parameter at the same position has another type, starts or stops to destructure an object, or the parameters have
// another order. Arguments that are passed by name are not affected by the order.
func meansOther(u Use, was, is code.Definition) bool {
	old, new := was.Params, is.Params
	places := min(len(old), len(new), u.Ref.Args-len(u.Ref.Named))
	permuted := len(old) == len(new) && sameNames(old, new)
	for i := range places {
		if u.from.language.Has(lang.Typed) && lang.Plain(old[i].Type) != lang.Plain(new[i].Type) &&
			!acceptsType(new[i].Type, old[i].Type) &&
			!hasWord(new[i].Type, is.TypeParams) {
			return true
		}
		if isPartOf(old[i], new[i]) || isPartOf(new[i], old[i]) {
			return true
		}
		isOld := func(p code.Param) bool { return p.Name != "" && p.Name == old[i].Name }
		if old[i].Name != new[i].Name && (permuted || slices.ContainsFunc(new[i+1:], isOld)) {
			return true // another one has come before it
		}
	}
	return false
}

// destructures reports whether a parameter takes an object and has names for parts of it.
func destructures(p code.Param) bool { return strings.HasPrefix(p.Name, "{") }

// isPartOf reports whether what one parameter was passed as a whole is a part of what another takes apart.
func isPartOf(whole, apart code.Param) bool {
	return destructures(apart) && whole.Name != "" && hasWord(apart.Name, []code.Param{whole})
}

// scriptWord is a name, which has dollars in it in JavaScript.
var scriptWord = lazyregexp.New(`[$_\pL\p{Nd}]+`)

// hasWord reports whether a text has the name of one of the parameters as a word.
func hasWord(text string, params []code.Param) bool {
	words := scriptWord.FindAllString(text, -1)
	return slices.ContainsFunc(params, func(p code.Param) bool { return slices.Contains(words, p.Name) })
}

// otherArity reports whether a use of a type that named its arguments can no longer do so with as many.
// Where arguments are left to be inferred, a call is no such use.
func otherArity(u Use, old, new []code.Param) bool {
	named := u.from.language.NamesTypeArguments
	return named != nil && named(u.Ref.Use) && (len(old) < required(new) || required(old) > len(new))
}

// boundsChanged reports whether as many type parameters as before take other types, which is for a checker to judge.
func (e Edit) boundsChanged() bool {
	return e.Kind == TypeParamsChanged && e.language().Has(lang.Checked) &&
		len(e.Old.TypeParams) == len(e.New.TypeParams)
}

// required counts the parameters that cannot be left out.
func required(params []code.Param) (n int) {
	for _, p := range params {
		if !p.Optional && !p.Rest {
			n++
		}
	}
	return n
}

// givesPromise reports whether a call of the function gives what has to be awaited.
func givesPromise(d code.Definition) bool {
	return d.Async || slices.ContainsFunc([]string{"Future", "Promise", "Awaitable", "Coroutine"}, func(s string) bool {
		return strings.Contains(d.Result, s)
	})
}

// sameWhenAwaited reports whether one of two functions is async and the other says in its result
// that it gives just that to await.
func sameWhenAwaited(a, b code.Definition) bool {
	return a.Async != b.Async && givesPromise(a) && givesPromise(b) &&
		(strings.Contains(a.Result, b.Result) || strings.Contains(b.Result, a.Result))
}

// acceptsType reports whether a parameter of the type takes whatever was passed before: any, a type
// parameter by its usual name, an unnamed one, or a union with more alternatives.
func acceptsType(typ, before string) bool {
	return lang.Plain(typ) == "any" || len(typ) == 1 && typ >= "A" && typ <= "Z" || strings.HasPrefix(typ, "impl ") ||
		lang.Among(before, typ) ||
		widerNumber(typ, before) || lang.DemandsLess(typ, before) || lang.WiderCollection(typ, before) ||
		strings.Contains(typ, "const") && withoutConst(typ) == withoutConst(before)
}

// widerNumber reports whether one type of numbers takes all values of another.
func widerNumber(typ, before string) bool {
	order := []string{"byte", "short", "int", "long", "float", "double"}
	a, b := slices.Index(order, before), slices.Index(order, typ)
	return a >= 0 && b > a
}

// withoutConst is a C or C++ type as far as it matters to who passes a value: `const T &` takes a T.
func withoutConst(typ string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("const", " ", "&", " ", "*", " * ").Replace(typ)), " ")
}

// sameNames reports whether two lists of one length have the same names, none of them empty.
func sameNames(old, new []code.Param) bool {
	count := map[string]int{}
	for i, p := range old {
		count[p.Name]++
		count[new[i].Name]--
	}
	_, unnamed := count[""]
	return !unnamed && !slices.ContainsFunc(slices.Collect(maps.Values(count)), func(n int) bool { return n != 0 })
}

// nowDuration reports whether a parameter of Go that was a number of some unit is a duration now.
func (e Edit) nowDuration() bool {
	if e.Kind != ParamsChanged || !e.language().Has(lang.Checked) || len(e.Old.Params) != len(e.New.Params) {
		return false
	}
	for i, p := range e.New.Params {
		if p.Type == "time.Duration" && numeric.MatchString(e.Old.Params[i].Type) {
			return true
		}
	}
	return false
}

var numeric = lazyregexp.New(`^u?int\d*$`)

// givesNumber reports whether a call gives a bare number, which fits a parameter of either type.
func (c *Direction) givesNumber(uses []Use) bool {
	return slices.ContainsFunc(uses, func(u Use) bool {
		gives := regexp.MustCompile(regexp.QuoteMeta(u.Ref.Name) + `\((?:[^()]*,\s*)?[1-9]\d*\s*[,)]`)
		return gives.MatchString(c.lineOf(u))
	})
}
