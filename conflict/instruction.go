package conflict

import (
	"fmt"
	"slices"
	"strconv"
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
	if e.Kind == ParamsChanged {
		return passing(e, e.fill("{old}"))
	}
	text := e.row().do
	if e.Kind == Unexported {
		if other := e.otherName(); other != "" {
			text = "{use} " + quoted(other) + " in place of {old}"
		}
	}
	use := "Use"
	if r.Use == code.Call {
		use = "Call"
	}
	return strings.ReplaceAll(e.fill(text), "{use}", use)
}

// passing says how the arguments of a call change: by the one that came, else by all.
func passing(e Edit, name string) string {
	known := func(p code.Param) bool {
		return slices.ContainsFunc(e.Old.Params, func(o code.Param) bool {
			return o.Name == p.Name && o.Type == p.Type
		})
	}
	at := slices.IndexFunc(e.New.Params, func(p code.Param) bool { return !known(p) })
	if at >= 0 && len(e.New.Params) == len(e.Old.Params)+1 && !slices.ContainsFunc(e.New.Params[at+1:],
		func(p code.Param) bool { return !known(p) }) {
		return "Pass " + argument(e.New.Params[at]) + place(at, len(e.New.Params), e.New.Params[at]) + " to " + name
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

// placeText is a place in a sentence; the line 0 is the whole file.
func placeText(name string, line int) string {
	if line == 0 {
		return quoted(name)
	}
	return quoted(name) + ":" + strconv.Itoa(line)
}

// placesOf lists where the uses stand.
func placesOf(uses []Use) string {
	var all []string
	for _, u := range uses {
		at := placeText(u.Path(), u.Ref.Line)
		if !slices.Contains(all, at) {
			all = append(all, at)
		}
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
