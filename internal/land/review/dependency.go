package review

import (
	"delegate/internal/text/lazyregexp"
	"delegate/internal/text/ui"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict/code"
	"delegate/conflict/source"
)

// dependencies reports new and moved requirements of the project that the subtask does not name.
// Lock files follow from manifests, and what a manifest itself calls indirect follows from other requirements.
func dependencies(w *work) ([]Remark, error) {
	var remarks []Remark
	for _, f := range w.Changes {
		if f.NewMode == 0 || !isText(f) || !fs.ValidPath(f.Path) || !source.IsManifest(f.Path) {
			continue
		}
		found, err := w.required(f)
		if err != nil {
			return nil, err
		}
		remarks = append(remarks, found...)
	}
	return remarks, nil
}

// required compares one manifest. A manifest that cannot be read before tells nothing of what is new.
func (w *work) required(f change.File) ([]Remark, error) {
	data, ok, err := w.text(w.After, f.Path)
	if err != nil || !ok {
		return nil, err
	}
	now, err := source.ParseManifest(f.Path, data)
	if err != nil {
		r := Remark{Severity: Warning, Path: f.Path, Text: "cannot be read: " + err.Error()}
		if fault, ok := errors.AsType[code.Fault](err); ok {
			r.Line, r.Text = fault.Line, "cannot be read as a manifest: "+fault.Reason
		}
		return []Remark{r}, nil
	}
	if now.Lock {
		return nil, nil
	}
	var was code.Manifest
	if f.OldMode != 0 && source.IsManifest(f.BasePath()) {
		if data, err = w.before(f); err != nil {
			return nil, err
		}
		if was, err = source.ParseManifest(f.BasePath(), data); err != nil {
			return nil, nil
		}
	}
	return w.unasked(f.Path, was, now), nil
}

// unasked lists the direct requirements of a manifest that are new or moved, each once. A new
// manifest is told in one remark.
func (w *work) unasked(path string, was, now code.Manifest) []Remark {
	before := map[string][]string{}
	for _, d := range was.Dependencies {
		before[d.Name] = append(before[d.Name], d.Version)
	}
	var remarks []Remark
	var first []string
	said := map[string]bool{}
	for _, d := range now.Dependencies {
		versions, had := before[d.Name]
		if said[d.Name] || d.Indirect || slices.Contains(versions, d.Version) ||
			names(w.Asked, d.Name) {
			continue
		}
		if isLanguage(d.Name) && !had {
			continue
		}
		said[d.Name] = true
		first = append(first, d.Name)
		text := fmt.Sprintf("requires %s, which it did not, and the subtask does not name it",
			strings.TrimSpace(d.Name+" "+d.Version))
		if had {
			text = fmt.Sprintf("moves %s from %s to %s, and the subtask does not name it", d.Name, orNone(versions[0]),
				orNone(d.Version))
		}
		remarks = append(remarks, Remark{Severity: Warning, Path: path, Line: d.Line, Text: text})
	}
	if was.Ecosystem == "" && len(first) > 0 {
		return []Remark{{Severity: Warning, Path: path,
			Text: "a new manifest, which requires what the subtask does not name: " + ui.Some(first, 5)}}
	}
	return remarks
}

// isLanguage reports names that stand for the language itself, whose version every manifest has to give.
func isLanguage(name string) bool {
	return slices.Contains([]string{"go", "toolchain", "python", "php"}, name)
}

func orNone(version string) string {
	if version == "" {
		return "no version"
	}
	return version
}

// major is the last element of a Go module's path from its second major version on.
var major = lazyregexp.New(`/v[0-9]+$`)

// names reports whether a text names a dependency: as it is written in the manifest, or by its last
// element, as a word in any case.
func names(text, dependency string) bool {
	whole := major.ReplaceAllString(strings.ToLower(dependency), "")
	last := whole[strings.LastIndexAny(whole, "/:")+1:]
	text = strings.ToLower(text)
	return word(text, whole) || word(text, last)
}

// word reports whether text has the word with nothing around it that would belong to the same name.
func word(text, name string) bool {
	if name == "" {
		return false
	}
	inName := func(c byte) bool {
		return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 0x80
	}
	for at := 0; ; {
		i := strings.Index(text[at:], name)
		if i < 0 {
			return false
		}
		begin, end := at+i, at+i+len(name)
		if (begin == 0 || !inName(text[begin-1])) && (end == len(text) || !inName(text[end])) {
			return true
		}
		at = begin + 1
	}
}
