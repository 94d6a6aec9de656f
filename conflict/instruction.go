package conflict

import (
	"fmt"
	"slices"
	"strings"

	"delegate/conflict/code"
)

// instruct puts what to edit before what to do with the two sides.
func (f *Finding) instruct(edit string) *Finding {
	if edit != "" && f.Edit == "" {
		f.Edit = edit
		f.Advice = edit + " " + f.Advice
	}
	return f
}

// instruction says what uses of an edited definition have to become, and where the side that edited it has done so.
func (c *Direction) instruction(e Edit, uses []Use) string {
	what := e.imperative(uses[0].Ref)
	if what == "" {
		return ""
	}
	what += " at " + placesOf(uses)
	if e.Kind != Unexported {
		what += c.example(e, uses[0].Ref.Use)
	}
	return what + "."
}

// imperative says what becomes of a reference, without the place.
func (e Edit) imperative(r code.Reference) string {
	old, now := quoted(e.Old.Key()), quoted(e.New.Key())
	if isConstructor(e.subject()) {
		old, now = quoted(e.Old.Container), quoted(e.New.Container)
	}
	use := "Use"
	if r.Use == code.Call {
		use = "Call"
	}
	switch e.Kind {
	case Removed:
		if e.Old.Partial && e.Old.Kind == code.Method && e.Old.Type != "" {
			return "Implement " + e.Old.Type + " for " + quoted(e.Old.Container) + ", or do without it"
		}
		return "Do without " + old
	case Renamed:
		return use + " " + now + " in place of " + old
	case Moved:
		if e.from.file.BasePath() == e.to.file.Path {
			return "Take " + old + " from the " + packageWord(e.language()) + " " + quoted(e.to.New.Package)
		}
		return "Take " + old + " from " + quoted(e.to.file.Path)
	case KindChanged:
		return "Use " + now + " as " + article(kindWord(e.New.Kind, e.language()))
	case ParamsChanged:
		return passing(e, old)
	case ResultChanged:
		return "Take what " + old + " results in as " + orNothing(e.New.Result)
	case TypeChanged:
		return "Use " + old + " as " + orNothing(e.New.Type)
	case Unexported:
		if other := e.otherName(); other != "" {
			return use + " " + quoted(other) + " in place of " + old
		}
		return "Do without " + old + " (it cannot be seen there any more)"
	case AsyncChanged:
		if e.New.Async {
			return "Await " + old
		}
		return "Do not await " + old
	case MadeReadOnly:
		return "Do not set " + old
	case MadeFinal:
		if e.New.Sealed {
			return "Name among those that " + old + " permits what builds on it"
		}
		return "Do not build on " + old
	case NoLongerStatic:
		return "Call " + old + " on a value"
	case ReceiverChanged:
		return "Call " + old + " on a value that may be changed or taken"
	case ThrowsChanged:
		return "Catch or declare " + strings.Join(newlyThrown(e), " and ") + " of " + old
	case TypeParamsChanged:
		return "Give " + old + " the type parameters " + typeParamList(e.New.TypeParams, e.language())
	}
	return ""
}

// passing says how the arguments of a call change: by the one that came or went, else by all.
func passing(e Edit, name string) string {
	lacks := func(params []code.Param, p code.Param) bool {
		return !slices.ContainsFunc(params, func(o code.Param) bool { return o.Name == p.Name && o.Type == p.Type })
	}
	var came, went []int
	for i, p := range e.New.Params {
		if lacks(e.Old.Params, p) {
			came = append(came, i)
		}
	}
	for i, p := range e.Old.Params {
		if lacks(e.New.Params, p) {
			went = append(went, i)
		}
	}
	named := slices.DeleteFunc(slices.Clone(e.New.Params), func(p code.Param) bool {
		return !p.NamedOnly || p.Rest || !slices.ContainsFunc(e.Old.Params, func(o code.Param) bool {
			return o.Name == p.Name && !o.NamedOnly
		})
	})
	demanded := slices.ContainsFunc(came, func(i int) bool {
		return !e.New.Params[i].Optional && !e.New.Params[i].Rest
	})
	switch {
	case len(named) > 0 && len(went) == 0 && !demanded:
		return "Pass " + paramNames(named) + " by name to " + name
	case len(came) == 1 && len(went) == 0:
		p := e.New.Params[came[0]]
		return "Pass " + argument(p) + place(came[0], len(e.New.Params), p) + " to " + name
	case len(went) == 1 && len(came) == 0:
		return "Leave out " + argument(e.Old.Params[went[0]]) + " of " + name
	case len(came) == 1 && len(went) == 1 && came[0] == went[0] && e.Old.Params[went[0]].Name != "":
		now, old := e.New.Params[came[0]], e.Old.Params[went[0]]
		return "Pass " + argument(now) + " in place of " + argument(old) + " to " + name
	case len(came) == 0 && len(went) == 0 && len(e.Old.Params) == len(e.New.Params) && reordered(e):
		return "Pass the arguments in the order (" + paramNames(e.New.Params) + ") to " + name
	}
	_, now := parameterLists(e.Old.Params, e.New.Params)
	return "Pass (" + now + ") to " + name
}

// argument is what stands for a parameter, with its type beside the name.
func argument(p code.Param) string {
	switch {
	case p.Type == "":
		return paramText(code.Param{Name: p.Name, Rest: p.Rest})
	case p.Name == "" || p.Name == "_":
		return paramText(code.Param{Type: p.Type, Rest: p.Rest})
	}
	return p.Name + " (" + brief(p.Type) + ")"
}

// reordered reports whether the same parameters stand in another order.
func reordered(e Edit) bool {
	return slices.IndexFunc(e.New.Params, func(p code.Param) bool { return p.Name == "" }) < 0 &&
		paramNames(e.Old.Params) != paramNames(e.New.Params)
}

func paramNames(params []code.Param) string {
	all := make([]string, len(params))
	for i, p := range params {
		all[i] = p.Name
	}
	return strings.Join(all, ", ")
}

// place is where a parameter stands among the others.
func place(at, of int, p code.Param) string {
	switch {
	case p.NamedOnly:
		return " by name"
	case of == 1:
		return ""
	case at == 0:
		return " first"
	case at == of-1:
		return " last"
	}
	return fmt.Sprintf(" as argument %d", at+1)
}

// placesOf lists where the uses stand.
func placesOf(uses []Use) string {
	var all []string
	for _, u := range uses {
		at := fmt.Sprintf("%s:%d", quoted(u.Path()), u.Ref.Line)
		if u.Ref.Line == 0 {
			at = quoted(u.Path())
		}
		if !slices.Contains(all, at) {
			all = append(all, at)
		}
	}
	if len(all) == 0 { // the finding is not noted
		return ""
	}
	return list(all, "more places")
}

// example is where new code of the side that made the edit already refers to the definition as it is now.
func (c *Direction) example(e Edit, use code.Use) string {
	if e.New.Name == "" {
		return ""
	}
	for _, src := range c.by.sources {
		for _, r := range src.refs {
			if r.Name == e.New.Name && r.Use == use && (use != code.Call || fits(r, e.New.Params)) &&
				!(src == e.to && r.In == e.New.Key()) {
				return fmt.Sprintf(", as %s:%d does", quoted(src.file.Path), r.Line)
			}
		}
	}
	return ""
}

// otherName is a name by which a file gives out what it no longer gives out by its own, "" if there is none.
func (e Edit) otherName() string {
	for _, d := range e.to.New.Definitions {
		if d.Line == e.New.Line && d.Hash == e.New.Hash && d.Kind == e.New.Kind && d.Container == e.New.Container &&
			d.Visibility == code.Public && d.Name != e.New.Name {
			return d.Name
		}
	}
	return ""
}
