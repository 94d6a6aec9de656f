package plain

import (
	"path"
	"strings"

	"delegate/internal/text/lazyregexp"
)

// The roles of what code declares in languages that no grammar here reads.
const (
	Callable Role = "function"
	Declared Role = "type"
)

// IsDeclared reports whether a role is one whose names a file may give as well that is read in another way.
func IsDeclared(r Role) bool { return r == Callable || r == Declared || r == Event }

// ungrammatical are the endings of such code.
var ungrammatical = map[string]bool{".kt": true, ".swift": true, ".scala": true, ".ex": true, ".exs": true}

var (
	callable = lazyregexp.New(`(?:^|\s)(?:fun|func|defp?)\s+(?:<[^>]*>\s*)?(?:[\w<>?]+\.)?([A-Za-z_]\w*)\s*[(\[<{=:]`)
	typed    = lazyregexp.New(`(?:^|\s)(?:class|object|interface|struct|enum|trait|protocol|actor|typealias|defmodule)\s+` +
		`([A-Z]\w*)`)
	overrides = lazyregexp.New(`\boverride\s`)
	texts     = lazyregexp.New(`"(?:[^"\\]|\\.)*"|\s//.*|\s#\s.*`)
	calls     = lazyregexp.New(`\b([A-Za-z_]\w*)\s*[({]`)
	typeNames = lazyregexp.New(`\b([A-Z]\w*)\b`)
)

// ofDeclarations notes the functions and types that a line declares and those that it names, as far as their names
// hardly mean two things.
func (r *reading) ofDeclarations() {
	if !ungrammatical[path.Ext(r.name)] {
		return
	}
	text := texts.ReplaceAllString(r.text, " ")
	if at := callable.FindStringSubmatchIndex(text); at != nil {
		if name := text[at[2]:at[3]]; Distinctive(name) && !overrides.MatchString(text) {
			r.give(Callable, "", name)
		}
		text = text[at[3]:]
	} else if at := typed.FindStringSubmatchIndex(text); at != nil {
		if name := text[at[2]:at[3]]; Distinctive(name) {
			r.give(Declared, "", name)
		}
		text = text[at[3]:]
	}
	if strings.HasPrefix(text, "import ") {
		return
	}
	for _, match := range calls.FindAllStringSubmatch(text, -1) {
		if Distinctive(match[1]) {
			r.refer(Callable, "", match[1])
		}
	}
	for _, match := range typeNames.FindAllStringSubmatch(text, -1) {
		if Distinctive(match[1]) {
			r.refer(Declared, "", match[1])
		}
	}
}
