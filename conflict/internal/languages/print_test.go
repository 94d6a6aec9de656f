//go:build cgo

package languages

import (
	"fmt"
	"strings"

	"delegate/conflict/code"
)

// printed writes a file's lists in a compact form, one thing a line.
func printed(f code.File) string {
	var b strings.Builder
	if f.Package != "" {
		fmt.Fprintf(&b, "package %s\n", f.Package)
	}
	for _, i := range f.Imports {
		fmt.Fprintf(&b, "import %s[%s] as %s%s\n", i.Module, i.Member, i.Name,
			flags(map[string]bool{"reexported": i.Reexported, "types": i.TypeOnly}))
	}
	for _, d := range f.Definitions {
		fmt.Fprintf(&b, "%s\n", printedDefinition(d))
	}
	for _, r := range f.References {
		fmt.Fprintf(&b, "%d %s\n", r.Line, printedReference(r))
	}
	for _, e := range f.Faults {
		fmt.Fprintf(&b, "fault %v\n", e)
	}
	return b.String()
}

func printedDefinition(d code.Definition) string {
	s := fmt.Sprintf("%d-%d %s %s %s", d.Line, d.End, d.Visibility, d.Kind, d.Key())
	if d.TypeParams != nil {
		s += "[" + strings.Trim(printedParams(d.TypeParams), "()") + "]"
	}
	if d.Callable() {
		s += printedParams(d.Params)
	}
	if d.Result != "" {
		s += " -> " + d.Result
	}
	if d.Type != "" {
		s += ": " + d.Type
	}
	if d.Bases != nil {
		s += fmt.Sprintf(" < %s", strings.Join(d.Bases, ", "))
	}
	if d.Throws != nil {
		s += " throws " + strings.Join(d.Throws, ", ")
	}
	return s + flags(map[string]bool{"abstract": d.Abstract, "async": d.Async, "overrides": d.Overrides,
		"static": d.Static, "default": d.Default, "test": d.Test, "partial": d.Partial})
}

func printedParams(params []code.Param) string {
	var all []string
	for _, p := range params {
		s := p.Name
		if p.Rest {
			s = "*" + s
		}
		if p.Optional {
			s += "?"
		}
		if p.NamedOnly {
			s = "named " + s
		}
		if p.PositionalOnly {
			s = "positional " + s
		}
		if p.Type != "" {
			s += " " + p.Type
		}
		all = append(all, s)
	}
	return "(" + strings.Join(all, ", ") + ")"
}

func printedReference(r code.Reference) string {
	s := string(r.Use) + " "
	if r.Qualifier != "" {
		s += r.Qualifier + "."
	}
	s += r.Name
	if r.Use == code.Call || r.Use == code.Construct {
		s += fmt.Sprintf("/%d", r.Args)
	}
	if len(r.Named) > 0 {
		s += fmt.Sprint(r.Named)
	}
	if r.Spread {
		s += "…"
	}
	if r.Type != "" {
		s += " of " + r.Type
	}
	if r.In != "" {
		s += " in " + r.In
	}
	return s + flags(map[string]bool{"awaited": r.Awaited})
}

func flags(all map[string]bool) (s string) {
	for _, name := range []string{"abstract", "async", "awaited", "default", "overrides", "partial", "reexported",
		"static", "test", "types"} {
		if all[name] {
			s += " !" + name
		}
	}
	return s
}
