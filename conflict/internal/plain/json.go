package plain

import (
	"path"
	"slices"
	"strings"

	"delegate/internal/text/lazyregexp"
)

func (r *reading) ofJSON() {
	r.ofElement()
	if match := inlineJSON.FindStringSubmatch(r.text); match != nil {
		r.inside(match[1], match[2])
		return
	}
	if match := jsonKey.FindStringSubmatch(r.text); match != nil {
		r.key(match[1], match[2])
		r.ofPointer()
		if keys := r.keys(); len(keys) > 0 && slices.Contains(schemas, keys[0]) {
			r.give(Sibling, r.name, strings.Join(append(keys, match[1]), "\n"))
		}
		if path.Base(r.name) == "package.json" && r.below(`"scripts": {`) {
			r.give(Script, "", match[1])
		}
		r.ofCommands()
		r.mentionList(match[2])
		return
	}
	r.mentionList(r.text)
}

var inlineJSON = lazyregexp.New(`^("[^"\\]+"\s*:\s*\{)\s*("[^"\\]+"\s*:.*[^\s{])\s*\},?$`)

// inside notes a mapping of one line as it would be with a line for each key.
func (r *reading) inside(head, pairs string) {
	text, stack := r.text, r.stack
	r.text = head
	r.ofJSON()
	r.stack = append(slices.Clone(stack), header{indent: r.stackIndent(), line: r.line, text: head})
	depth, start, quoted := 0, 0, false
	for i, c := range pairs + "," {
		switch {
		case c == '"' && (i == 0 || pairs[i-1] != '\\'):
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ',' && depth == 0:
			if r.text = strings.TrimSpace(pairs[start:i]); r.text != "" {
				r.ofJSON()
			}
			start = i + 1
		}
	}
	r.text, r.stack = text, stack
}

// stackIndent is the indentation of the innermost line around.
func (r *reading) stackIndent() int {
	if n := len(r.stack); n > 0 {
		return r.stack[n-1].indent
	}
	return 0
}

// schemas are the keys below which JSON has what is referred to by its path.
var schemas = []string{"components", "definitions", "$defs"}

// coding are the keys of an element by which a list gives something out: a code, a number, a name.
var coding = lazyregexp.New(`^\{?\s*"((?i)code|id|number|no|errno|name|key|slug)"\s*:\s*(?:(\d+)|"([^"\\]+)")\s*[,}]?`)

// ofElement notes the code, number or name of an element of a list, which is one line or has one for each key.
func (r *reading) ofElement() {
	match := coding.FindStringSubmatch(r.text)
	stack := r.stack
	defer func() { r.stack = stack }()
	if n := len(stack); n > 0 && stack[n-1].text == "{" && r.text[0] != '{' {
		r.stack = stack[:n-1]
	} else if r.text[0] != '{' {
		return
	}
	if n := len(r.stack); match == nil || n == 0 || !strings.HasSuffix(r.stack[n-1].text, "[") || isTest(r.name) {
		return
	}
	e := Entry{Role: Number, Name: match[2], receiver: match[1]}
	switch {
	case errorCode.MatchString(match[3]):
		e.Role, e.Name = ErrorCode, match[3]
	case Distinctive(match[3]):
		e.Role, e.Name = Item, match[3]
	case match[3] != "":
		return
	}
	r.add(e)
}
