package conflict

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/text/shorten"
)

// phrase says what the edit does: "removes the function limit.New".
func (e Edit) phrase() string {
	if e.Kind == ReceiverChanged {
		return e.receiving(noun(e.Old, e.language()))
	}
	return e.fill(e.row().did)
}

// row is the row of the edit in the table of edits.
func (e Edit) row() editWords {
	kind := e.Kind
	switch {
	case kind == Removed && derives(e.Old):
		kind = "derived"
	case kind == Moved && e.from.file.BasePath() == e.to.file.Path:
		kind = "moved package"
	case kind == Unexported && e.New.Visibility != code.Restricted:
		kind = "hidden"
	case kind == AsyncChanged && !e.New.Async:
		kind = "synchronous"
	case kind == MadeFinal && e.New.Sealed:
		kind = "sealed"
	}
	if words, known := editTable()[kind]; known {
		return words
	}
	return editWords{did: string(kind) + " {what}"}
}

// derives reports a definition of a type that stands for a trait which it derives.
func derives(d code.Definition) bool { return d.Partial && d.Kind == code.Method && d.Type != "" }

// fill puts the words for the edit in place of the names in braces.
func (e Edit) fill(text string) string {
	if !strings.Contains(text, "{") {
		return text
	}
	old, now, l := quoted(e.Old.Key()), quoted(e.New.Key()), e.language()
	if isConstructor(e.subject()) {
		old, now = quoted(e.Old.Container), quoted(e.New.Container)
	}
	words := []string{"what", noun(e.subject(), l), "old", old, "new", now, "owner", quoted(e.Old.Container),
		"trait", e.Old.Type, "visibility", string(e.New.Visibility), "thrown", strings.Join(newlyThrown(e), " and "),
		"typeParams", typeParamList(e.Old.TypeParams, l), "newTypeParams", typeParamList(e.New.TypeParams, l),
		"newResult", orNothing(e.New.Result), "newType", orNothing(e.New.Type), "package", packageWord(l)}
	was, is := parameterLists(e.Old.Params, e.New.Params)
	result, newResult := bothBrief(e.Old.Result, e.New.Result)
	typ, newType := bothBrief(e.Old.Type, e.New.Type)
	words = append(words, "params", was, "newParams", is, "result", result+" to "+newResult, "type", typ+" to "+newType)
	if e.to != nil {
		words = append(words, "file", quoted(e.to.file.Path), "newPackage", quoted(e.to.New.Package),
			"kind", article(kindWord(e.New.Kind, l)))
	}
	return fill(text, words)
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

// parameterLists are two lists of parameters as they stand in one sentence, with what else tells them apart than names
// and types.
func parameterLists(old, now []code.Param) (string, string) {
	text := func(params []code.Param, detailed bool) string {
		all := make([]string, len(params))
		for i, p := range params {
			all[i] = paramText(p)
			switch {
			case detailed && p.NamedOnly:
				all[i] += " by name only"
			case detailed && p.PositionalOnly:
				all[i] += " by position only"
			}
		}
		return strings.Join(all, ", ")
	}
	detailed := text(old, false) == text(now, false) || slices.ContainsFunc(now, func(p code.Param) bool {
		return slices.ContainsFunc(old, func(o code.Param) bool {
			return o.Name == p.Name && o.NamedOnly != p.NamedOnly
		})
	})
	was, is := text(old, detailed), text(now, detailed)
	if was == "" || is == "" {
		return brief(was), brief(is)
	}
	return bothBrief(was, is)
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
	case derives(e.Old):
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
