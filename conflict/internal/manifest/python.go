package manifest

import (
	"delegate/internal/text/lazyregexp"
	"strings"

	"delegate/conflict/code"
)

// pythonName gives a name the form in which indexes compare it: lower case, one dash for each run of separators.
func pythonName(name string) string {
	isSeparator := func(r rune) bool { return r == '-' || r == '_' || r == '.' }
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), isSeparator), "-")
}

var (
	// requirementForm is "name[extra] @ URL ; marker" or "name[extra] (>=1,<2) ; marker". A URL can have semicolons.
	requirementForm = lazyregexp.New(
		`^([\w.-]+)\s*(?:\[[^]]*\]\s*)?(?:@\s*(.*?\S)\s*(?: ;.*)?|([^;]*?)\s*(?:;.*)?)$`)
	// versionForm is what may stand behind a name, in parentheses or not.
	versionForm = lazyregexp.New(`^(?:\(\s*)?((?:[<>=!~].*?)?)\s*\)?$`)
	comment     = lazyregexp.New(`(^|[ \t])#.*`)
	editable    = lazyregexp.New(`^(?:-e |--editable[ =])\s*(.*)`)
	eggName     = lazyregexp.New(`#(?:.*&)?egg=([^&[]*)`)
)

// requirement reads a requirement without the extras and the marker.
func requirement(text string) (code.Dependency, bool) {
	found := requirementForm.FindStringSubmatch(text)
	if found == nil {
		return code.Dependency{}, false
	}
	d := code.Dependency{Name: pythonName(found[1]), Version: found[2]}
	if d.Version != "" {
		return d, d.Name != ""
	}
	version := versionForm.FindStringSubmatch(found[3])
	if version == nil {
		return d, false
	}
	d.Version = version[1]
	return d, d.Name != ""
}

// readRequirements reads a list of requirements, in which a line goes on behind a backslash.
// A # begins a comment at the beginning or after white space. Other ones belong to URLs.
func readRequirements(r *reading) { r.requirements(false) }

// readConstraints reads versions that hold only for what something else requires.
func readConstraints(r *reading) { r.requirements(true) }

func (r *reading) requirements(indirect bool) {
	var whole strings.Builder
	first := 0
	add := func() {
		if d, ok := pipLine(strings.TrimSpace(whole.String())); !ok {
			r.fail(first, "%q is no requirement", whole.String())
		} else if d.Name != "" {
			d.Line, d.Indirect = first, indirect
			r.Add(d)
		}
		whole.Reset()
	}
	for l := range textLines(r.data) {
		part, goesOn := strings.CutSuffix(comment.ReplaceAllString(l.text, ""), `\`)
		if whole.Len() == 0 {
			first = l.number
		}
		if whole.WriteString(part); !goesOn {
			add()
		}
	}
	add()
}

// pipLine reads one line of a list. The dependency is nameless if the line does not say what it requires:
// options, among them those that name other files, and folders and archives. It is false for what is none of that.
func pipLine(text string) (d code.Dependency, ok bool) {
	if project := editable.FindStringSubmatch(text); project != nil {
		return pipPlace(project[1]), true
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
	if egg := eggName.FindStringSubmatch(place); egg != nil {
		return code.Dependency{Name: pythonName(egg[1]), Version: place}
	}
	return code.Dependency{}
}
