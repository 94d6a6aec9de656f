package conflict

import (
	"cmp"
	"path"
	"slices"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/text/lazyregexp"
)

// forgetRenamedTypes takes back changes of parameters, results and types in which a type only goes
// by the new name that the side gave it, or by the one that its old name stands for now; in C also one that a new
// name stands for.
func (s *changes) forgetRenamedTypes() {
	names := map[string]string{}
	for _, e := range s.edits {
		switch {
		case e.Kind == Renamed && isType(e.Old):
			names[e.Old.Name] = e.New.Name
		case e.Kind == KindChanged && isType(e.Old) && e.New.Kind == code.Type &&
			word.FindString(e.New.Type) == e.New.Type:
			names[e.Old.Name] = e.New.Type
		}
	}
	for _, src := range s.sources {
		if src.New != nil && src.language.Has(lang.Headers) {
			for _, d := range src.New.Definitions {
				if d.Kind == code.Type && d.Type != "" {
					names[d.Name], names["size_t"] = d.Type, "unsigned long" // as on nearly all systems
				}
			}
		}
	}
	if len(names) == 0 {
		return
	}
	for i, e := range s.edits {
		if e.Kind != ParamsChanged && e.Kind != ResultChanged && e.Kind != TypeChanged {
			continue
		}
		was := e.Old
		was.Params = slices.Clone(was.Params)
		for n := range was.Params {
			was.Params[n].Type = withNames(was.Params[n].Type, names)
		}
		now := e.New
		if e.to.language.Has(lang.Headers) {
			now.Type, now.Result = withNames(now.Type, names), withNames(now.Result, names)
		}
		if sameParams(was.Params, now.Params) && withNames(was.Result, names) == now.Result &&
			withNames(was.Type, names) == now.Type {
			s.edits[i].Kind = BodyChanged
		}
	}
}

// word is a name in a type.
var word = lazyregexp.New(`[_\pL\p{Nd}]+`)

// withNames replaces whole words of a type.
func withNames(typ string, names map[string]string) string {
	return word.ReplaceAllStringFunc(typ, func(old string) string { return cmp.Or(names[old], old) })
}

// inPlace reports whether a Go definition is known by another package's name now and stands in the same folder,
// so that those who import the folder go on to find it.
func inPlace(e Edit) bool {
	return e.Kind == Moved && e.from.language.Has(lang.Folders) &&
		path.Dir(e.from.file.BasePath()) == path.Dir(e.to.file.Path) && !e.language().IsIsolated(e.to.file.Path)
}
