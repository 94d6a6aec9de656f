package conflict

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/shorten"
)

// phrase says what the edit does: "removes the function limit.New".
func (e Edit) phrase() string {
	old := noun(e.subject(), e.language())
	switch e.Kind {
	case Removed:
		if e.Old.Partial && e.Old.Kind == code.Method && e.Old.Type != "" {
			return "no longer derives " + e.Old.Type + " for " + quoted(e.Old.Container)
		}
	case Renamed:
		return "renames " + old + " to " + quoted(e.New.Key())
	case Moved:
		if e.from.file.BasePath() == e.to.file.Path {
			return "moves " + old + " to the " + packageWord(e.language()) + " " + quoted(e.to.New.Package)
		}
		return "moves " + old + " to " + quoted(e.to.file.Path)
	case KindChanged:
		return "turns " + old + " into " + article(kindWord(e.New.Kind, e.language()))
	case ParamsChanged:
		was, is := parameterLists(e.Old.Params, e.New.Params)
		return "changes " + old + " from (" + was + ") to (" + is + ")"
	case ResultChanged:
		was, is := bothBrief(e.Old.Result, e.New.Result)
		return "changes the result of " + old + " from " + was + " to " + is
	case TypeChanged:
		was, is := bothBrief(e.Old.Type, e.New.Type)
		return "changes the type of " + old + " from " + was + " to " + is
	case Unexported:
		if e.New.Visibility == code.Restricted {
			return "narrows the visibility of " + old
		}
		return "makes " + old + " " + string(e.New.Visibility)
	case AsyncChanged:
		if !e.New.Async {
			return "makes " + old + " no longer asynchronous"
		}
		return "makes " + old + " asynchronous"
	case MadeReadOnly:
		return "makes " + old + " read-only"
	case MadeFinal:
		if e.New.Sealed {
			return "makes " + old + " sealed"
		}
		return "makes " + old + " final"
	case NoLongerStatic:
		return "makes " + old + " no longer static"
	case ReceiverChanged:
		return e.receiving(old)
	case ThrowsChanged:
		return "lets " + old + " throw " + strings.Join(newlyThrown(e), " and ")
	case TypeParamsChanged:
		return string(e.Kind) + " " + old + " from " + typeParamList(e.Old.TypeParams, e.language()) + " to " +
			typeParamList(e.New.TypeParams, e.language())
	}
	return string(e.Kind) + " " + old
}

func noun(d code.Definition, l *lang.Language) string {
	if isConstructor(d) {
		return "the constructor of " + quoted(d.Container)
	}
	if d.Kind == code.Type && d.Partial {
		return "the name " + quoted(d.Key())
	}
	return "the " + kindWord(d.Kind, l) + " " + quoted(d.Key())
}

// kindWord is what the language calls the kind.
func kindWord(k code.Kind, l *lang.Language) string {
	if word := l.Kinds[k]; word != "" {
		return word
	}
	return string(k)
}

func (e Edit) language() *lang.Language {
	if e.to != nil {
		return e.to.language
	}
	return e.from.language
}

func packageWord(l *lang.Language) string {
	return cmp.Or(l.Words.Package, "package")
}

func article(word string) string {
	if strings.ContainsAny(word[:1], "aeiou") {
		return "an " + word
	}
	return "a " + word
}

func orNothing(text string) string {
	if text == "" {
		return "none"
	}
	return brief(text)
}

// longestType is how many bytes of a type, or of a list of parameters, stand in a sentence.
const longestType = 60

// brief cuts a long type in a sentence.
func brief(text string) string { return shorten.Bytes(text, longestType) }

// bothBrief are two types as they stand in one sentence: of long ones the part in which they differ.
func bothBrief(a, b string) (string, string) {
	if len(a) <= longestType && len(b) <= longestType || a == "" || b == "" {
		return orNothing(a), orNothing(b)
	}
	const before = longestType / 3
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	if same += -before; same <= 0 {
		return brief(a), brief(b)
	}
	for !utf8.RuneStart(a[same]) {
		same--
	}
	return "…" + brief(a[same:]), "…" + brief(b[same:])
}

func paramText(p code.Param) string {
	text := strings.TrimSpace(p.Name + " " + p.Type)
	if p.Rest {
		text = "…" + text
	}
	if p.Optional {
		text += "?"
	}
	return text
}

func paramList(params []code.Param) string {
	all := make([]string, len(params))
	for i, p := range params {
		all[i] = paramText(p)
	}
	return brief(strings.Join(all, ", "))
}

// parameterLists are two lists of parameters as they stand in one sentence: long ones without those that both begin
// and end with, and with what else tells them apart.
func parameterLists(old, now []code.Param) (string, string) {
	detail := paramText
	otherwise := slices.ContainsFunc(now, func(p code.Param) bool {
		return slices.ContainsFunc(old, func(o code.Param) bool {
			return o.Name == p.Name && o.NamedOnly != p.NamedOnly
		})
	})
	same := func(a, b code.Param) bool { return paramText(a) == paramText(b) }
	if otherwise || slices.EqualFunc(old, now, same) {
		detail = func(p code.Param) string {
			switch text := paramText(p); {
			case p.NamedOnly:
				return text + " by name only"
			case p.PositionalOnly:
				return text + " by position only"
			default:
				return text
			}
		}
	}
	texts := func(params []code.Param) (all []string) {
		for _, p := range params {
			all = append(all, detail(p))
		}
		return all
	}
	a, b := texts(old), texts(now)
	if whole, other := strings.Join(a, ", "), strings.Join(b, ", "); max(len(whole), len(other)) <= longestType {
		return whole, other
	}
	left, right := 0, 0
	for left < min(len(a), len(b)) && a[left] == b[left] {
		left++
	}
	for right < min(len(a), len(b))-left && a[len(a)-1-right] == b[len(b)-1-right] {
		right++
	}
	middle := func(all []string) string { return strings.Join(all[left:len(all)-right], ", ") }
	was, is := middle(a), middle(b)
	if was != "" && is != "" {
		was, is = bothBrief(was, is)
	} else {
		was, is = brief(was), brief(is)
	}
	around := func(text string) string {
		var parts []string
		if left > 0 {
			parts = append(parts, "…")
		}
		if text != "" {
			parts = append(parts, text)
		}
		if right > 0 {
			parts = append(parts, "…")
		}
		return strings.Join(parts, ", ")
	}
	return around(was), around(is)
}

// typeParamList writes type parameters in the brackets of the language.
func typeParamList(params []code.Param, l *lang.Language) string {
	if len(params) == 0 {
		return "none"
	}
	brackets := cmp.Or(l.Brackets, "<>")
	return brackets[:1] + paramList(params) + brackets[1:]
}

// verb says what a use does with what was edited.
func verb(u code.Use, e Edit) string {
	switch {
	case e.Old.Partial && e.Old.Kind == code.Method && e.Old.Type != "": // a trait
		return "needs"
	case e.Kind == MadeReadOnly:
		return "sets"
	case u == code.Call && e.Old.Callable():
		return "calls"
	case u == code.Call && e.Old.Kind == code.Class, u == code.Construct &&
		isType(e.Old):
		return "makes a value of"
	case u == code.Inherit:
		return "builds on"
	case u == code.Match:
		return "matches"
	}
	return "uses"
}
