package manifest

import (
	"iter"
	"strings"

	"delegate/conflict/code"
)

// pythonName gives a name the form in which indexes compare it: lower case, one dash for each run of separators.
func pythonName(name string) string {
	isSeparator := func(r rune) bool { return r == '-' || r == '_' || r == '.' }
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), isSeparator), "-")
}

// requirement reads "name[extra] >=1,<2; marker" and "name @ URL", without the extras and the marker.
func requirement(text string) (code.Dependency, bool) {
	end := 0
	for end < len(text) && isNameByte(text[end]) {
		end++
	}
	d := code.Dependency{Name: pythonName(text[:end])}
	rest := strings.TrimSpace(text[end:])
	if extras, ok := strings.CutPrefix(rest, "["); ok {
		if _, rest, ok = strings.Cut(extras, "]"); !ok {
			return d, false
		}
		rest = strings.TrimSpace(rest)
	}
	if url, ok := strings.CutPrefix(rest, "@"); ok {
		// A URL can have semicolons in it.
		url, _, _ = strings.Cut(url, " ;")
		d.Version = strings.TrimSpace(url)
		return d, d.Name != "" && d.Version != ""
	}
	rest, _, _ = strings.Cut(rest, ";")
	rest = strings.TrimSpace(rest)
	if inner, ok := strings.CutPrefix(rest, "("); ok {
		rest = strings.TrimSpace(strings.TrimSuffix(inner, ")"))
	}
	d.Version = rest
	return d, d.Name != "" && (rest == "" || strings.IndexByte("<>=!~", rest[0]) >= 0)
}

func isNameByte(c byte) bool {
	return c == '-' || c == '_' || c == '.' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

func readRequirements(data []byte) (code.Manifest, error) { return pipFile(data, "") }

func readConstraints(data []byte) (code.Manifest, error) { return pipFile(data, "constraint") }

// pipFile reads a list of requirements.
func pipFile(data []byte, group string) (code.Manifest, error) {
	f := code.Manifest{Ecosystem: Python}
	for l := range joinedLines(data) {
		d, ok := pipLine(l.text)
		if !ok {
			return f, faultAt(l.number, "%q is no requirement", l.text)
		}
		if d.Name != "" {
			d.Line = l.number
			f.Add(group, d)
		}
	}
	return f, nil
}

// joinedLines yields lines without comments, each together with those in which it goes on behind a backslash.
func joinedLines(data []byte) iter.Seq[textLine] {
	return func(yield func(textLine) bool) {
		var whole strings.Builder
		first := 0
		for l := range textLines(data) {
			part, goesOn := strings.CutSuffix(cutComment(l.text), `\`)
			if whole.Len() == 0 {
				first = l.number
			}
			if whole.WriteString(part); goesOn {
				continue
			}
			if whole.Len() > 0 && !yield(textLine{number: first, text: whole.String()}) {
				return
			}
			whole.Reset()
		}
		if whole.Len() > 0 {
			yield(textLine{number: first, text: whole.String()})
		}
	}
}

// cutComment cuts off what stands behind a # at the beginning or after white space. Other ones belong to URLs.
func cutComment(text string) string {
	if strings.HasPrefix(text, "#") {
		return ""
	}
	text, _, _ = strings.Cut(text, " #")
	text, _, _ = strings.Cut(text, "\t#")
	return text
}

// pipLine reads one line of a list. The dependency is nameless if the line does not say what it requires:
// options, among them those that name other files, and folders and archives. It is false for what is none of that.
func pipLine(text string) (d code.Dependency, ok bool) {
	text = strings.TrimSpace(text)
	for _, editable := range []string{"-e ", "--editable ", "--editable="} {
		if project, found := strings.CutPrefix(text, editable); found {
			return pipPlace(strings.TrimSpace(project)), true
		}
	}
	if text == "" || text[0] == '-' {
		return code.Dependency{}, true
	}
	text, _, _ = strings.Cut(text, " --") // options for this requirement alone, such as hashes
	if d, ok := requirement(text); ok {
		return d, true
	}
	return pipPlace(text), text[0] == '.' || strings.ContainsAny(text, `/\`)
}

// pipPlace is the dependency on what lies at a URL, which can say the name in its fragment.
func pipPlace(place string) code.Dependency {
	_, fragment, _ := strings.Cut(place, "#")
	for part := range strings.SplitSeq(fragment, "&") {
		if name, ok := strings.CutPrefix(part, "egg="); ok {
			name, _, _ = strings.Cut(name, "[")
			return code.Dependency{Name: pythonName(name), Version: place}
		}
	}
	return code.Dependency{}
}
