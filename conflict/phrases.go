package conflict

import (
	"cmp"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
)

// phrase says what the edit does: "removes the function limit.New".
func (e Edit) phrase() string {
	old := noun(e.subject(), e.language())
	switch e.Kind {
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
		return "changes " + old + " from (" + paramList(e.Old.Params) + ") to (" + paramList(e.New.Params) + ")"
	case ResultChanged:
		return "changes the result of " + old + " from " + orNothing(e.Old.Result) + " to " + orNothing(e.New.Result)
	case TypeChanged:
		return "changes the type of " + old + " from " + orNothing(e.Old.Type) + " to " + orNothing(e.New.Type)
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

func paramList(params []code.Param) string {
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
	case u == code.Call && e.Old.Callable():
		return "calls"
	case u == code.Call && e.Old.Kind == code.Class && !e.language().Converts, u == code.Construct &&
		isType(e.Old):
		return "makes a value of"
	case u == code.Inherit:
		return "builds on"
	case u == code.Match:
		return "matches"
	}
	return "uses"
}
