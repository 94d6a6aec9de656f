package conflict

import (
	"strings"

	"delegate/internal/syntax"
)

// phrase says what the edit does: "removes the function limit.New".
func (e edit) phrase() string {
	old := noun(e.subject())
	switch e.what {
	case renamed:
		return "renames " + old + " to " + quoted(e.new.Key())
	case moved:
		return "moves " + old + " to " + quoted(e.to.file.Path)
	case turned:
		return "turns " + old + " into a " + string(e.new.Kind)
	case reshaped:
		return "changes " + old + " from (" + paramList(e.old.Params) + ") to (" + paramList(e.new.Params) + ")"
	case returns:
		return "changes the result of " + old + " from " + orNothing(e.old.Result) + " to " + orNothing(e.new.Result)
	case retyped:
		return "changes the type of " + old + " from " + orNothing(e.old.Type) + " to " + orNothing(e.new.Type)
	case hidden:
		return "makes " + old + " " + string(e.new.Visibility)
	}
	return string(e.what) + " " + old
}

func noun(d syntax.Definition) string { return "the " + string(d.Kind) + " " + quoted(d.Key()) }

func orNothing(text string) string {
	if text == "" {
		return "none"
	}
	return brief(text)
}

// brief cuts a long type in a sentence.
func brief(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + "…"
}

func paramList(params []syntax.Param) string {
	all := make([]string, len(params))
	for i, p := range params {
		all[i] = strings.TrimSpace(p.Name + " " + p.Type)
		if p.Rest {
			all[i] = "…" + all[i]
		}
		if p.Optional {
			all[i] += "?"
		}
	}
	return brief(strings.Join(all, ", "))
}

func verb(u syntax.Use) string {
	switch u {
	case syntax.Call:
		return "calls"
	case syntax.Construct:
		return "makes a value of"
	case syntax.Inherit:
		return "builds on"
	case syntax.Match:
		return "matches"
	}
	return "uses"
}
