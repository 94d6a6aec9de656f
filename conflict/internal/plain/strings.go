package plain

import (
	"path"
	"regexp"
	"strings"

	"delegate/internal/lazyregexp"
)

var (
	symbol = lazyregexp.New(`[\w?!]\(\s*:([a-z_]\w*)\b|\w\[:([a-z_]\w*)\]`)
	// marked are the attributes of markup in a string by which style sheets and scripts know an element.
	marked = lazyregexp.New(`\b(?:class|className|id|data-[\w-]+)=\\?(?:"([^"\\]*)|'([^'\\]*))`)
	// subscript is how code reads a member of a value by a string.
	subscript = lazyregexp.New(`(\w+)(?:\[|\.(?:get|pop|fetch)\(?\s*\(?)$`)
)

// ofSymbols notes what a line of Ruby gives to a method, or reads, by a symbol.
func (r *reading) ofSymbols() {
	if path.Ext(r.name) != ".rb" || !strings.Contains(r.text, ":") {
		return
	}
	for _, match := range symbol.FindAllStringSubmatch(r.text, -1) {
		r.use(match[1]+match[2], false)
	}
}

// ofMarked notes the words of the attributes of markup that a string writes out.
func (r *reading) ofMarked(text string) {
	for part := range strings.Lines(text) {
		if r.wants() {
			for _, match := range marked.FindAllStringSubmatch(part, -1) {
				r.mention(match[1]+match[2], true)
			}
		}
		r.line++
	}
}

// ofEmbedded notes the patterns and folders of files that a program of Go takes into itself, from the top of the
// repository: a folder ends with a slash.
func (r *reading) ofEmbedded(patterns string) {
	for pattern := range strings.FieldsSeq(patterns) {
		name := path.Join(path.Dir(r.name), strings.TrimPrefix(strings.Trim(pattern, "\"`"), "all:"))
		switch {
		case strings.ContainsAny(name, "*?["):
		case path.Ext(name) == "":
			name += "/"
		default:
			continue
		}
		r.use(name, true)
	}
}

// isOwnKey reports whether a string of code is a key of a literal that the file itself has and reads.
func (r *reading) isOwnKey(key, before string) bool {
	if strings.Count(r.code, key) < 2 || !ownKey.MatchString(key) {
		return false
	}
	name, known := r.own[key]
	if !known {
		if r.own == nil {
			r.own = map[string]string{}
		}
		quoted := regexp.QuoteMeta(key)
		literal := regexp.MustCompile(`\b(\w+)\s*:?=\s*(?:[\w.\[\]]+\s*)?\{[^{}]*["']` + quoted + `["']\s*(?::|=>)`)
		if match := literal.FindStringSubmatch(r.code); match != nil && regexp.MustCompile(
			`\b`+match[1]+`(?:\[|\.\w+\(\s*|\.)["']?`+quoted+`\b`).MatchString(r.code) {
			name = match[1]
		}
		r.own[key] = name
	}
	of := subscript.FindStringSubmatch(before)
	return name != "" && (of == nil || of[1] == name)
}

var ownKey = lazyregexp.New(`^[A-Za-z_][\w-]*$`)
