package csharp

import (
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// bounds are the names in a clause of constraints.
func bounds(written string) (names []string) {
	for part := range strings.SplitSeq(written, ",") {
		if part = strings.TrimSpace(part); part != "" {
			outer, _, _ := strings.Cut(part, "<")
			names = append(names, outer[strings.LastIndexByte(outer, '.')+1:])
		}
	}
	return names
}

// values are types of the language that are no classes.
var values = strings.Fields("bool byte sbyte char decimal double float int uint long ulong short ushort nint nuint " +
	"DateTime TimeSpan Guid")

// lacks reports whether a type cannot be given to a parameter with a constraint.
func lacks(bound, typ string, in lang.Types) bool {
	value := slices.Contains(values, typ)
	switch bound {
	case "class":
		return value
	case "struct", "unmanaged":
		return typ == "string" || typ == "object"
	case "notnull":
		return false
	case "new()":
		return typ == "string" || isMadeFromSomething(in.Named(typ), typ)
	}
	if value || typ == "string" {
		return len(in.Named(bound)) > 0
	}
	return lang.LacksBase(bound, typ, in)
}

// isMadeFromSomething reports whether a type has constructors, and none of them takes nothing.
func isMadeFromSomething(all []code.Definition, typ string) bool {
	made := false
	for _, d := range all {
		if d.Kind == code.Method && d.Name == typ {
			if made = true; !slices.ContainsFunc(d.Params, func(p code.Param) bool { return !p.Optional && !p.Rest }) {
				return false
			}
		}
	}
	return made
}
