package plain

import (
	"path"
	"strings"

	"delegate/internal/text/lazyregexp"
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
	if r.own == nil {
		r.own = ownKeys(r.code)
	}
	name := r.own[key]
	of := subscript.FindStringSubmatch(before)
	return name != "" && (of == nil || of[1] == name)
}

var (
	// literal is a value that is written out with keys, of a name; quotedKey is one of its keys.
	literal   = lazyregexp.New(`\b(\w+)\s*:?=\s*(?:[\w.\[\]]+\s*)?\{([^{}]*)`)
	quotedKey = lazyregexp.New(`["']([A-Za-z_][\w-]*)["']\s*(?::|=>)`)
	// memberOf is how code reads what a name has by a key.
	memberOf = lazyregexp.New(`\b(\w+)(?:\[|\.\w+\(\s*|\.)["']?([A-Za-z_][\w-]*)`)
)

// ownKeys are the keys of the literals in code that the code reads, each with the name of its literal.
func ownKeys(code string) map[string]string {
	own := map[string]string{}
	literals := literal.FindAllStringSubmatch(code, -1)
	if len(literals) == 0 {
		return own
	}
	read := map[[2]string]bool{}
	for _, match := range memberOf.FindAllStringSubmatch(code, -1) {
		read[[2]string{match[1], match[2]}] = true
	}
	for _, match := range literals {
		for _, key := range quotedKey.FindAllStringSubmatch(match[2], -1) {
			if name := match[1]; read[[2]string{name, key[1]}] && own[key[1]] == "" {
				own[key[1]] = name
			}
		}
	}
	return own
}
