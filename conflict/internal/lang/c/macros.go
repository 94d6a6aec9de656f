//go:build cgo

package c

import (
	"bytes"

	"delegate/conflict/code"
	"delegate/internal/text/lazyregexp"
)

// wrapped is a type in the brackets of a macro at the begin of a line, in front of a function's name:
// `API(int) open(void);`, which without the macro's text reads as a call.
var wrapped = lazyregexp.New(`(?m)^([A-Za-z_]\w*)\(([\w \t*]+)\)([ \t]*\**[ \t]*)([A-Za-z_]\w*)[ \t]*\(`)

// attribute is a macro behind the brackets of a declaration that begins a line, as in
// `void say(char *, ...) FORMAT(1, 2);`, which the grammar knows only by the names of compilers.
var attribute = lazyregexp.New(`(?m)^[A-Za-z_][^;{}#=]*\)[ \t\r\n]*([A-Z][A-Z0-9_]*(?:\([^()\n]*\))?);`)

// withoutAttributes is a file with spaces in place of such macros.
func withoutAttributes(data []byte) []byte {
	cloned := false
	for _, m := range attribute.Compiled().FindAllSubmatchIndex(data, -1) {
		if isStatement(data[m[0]:m[1]]) {
			continue
		}
		if !cloned {
			data, cloned = bytes.Clone(data), true
		}
		for i := m[2]; i < m[3]; i++ {
			data[i] = ' '
		}
	}
	return data
}

// isStatement says whether the text begins with a word of a statement, behind whose brackets a macro is called.
func isStatement(text []byte) bool {
	word := text
	if end := bytes.IndexFunc(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }); end >= 0 {
		word = text[:end]
	}
	switch string(word) {
	case "if", "while", "for", "switch", "else", "return", "do", "case", "goto", "default":
		return true
	}
	return false
}

// continued are macros over several lines with a comment in them, in which the grammar lets a macro end.
var continued = lazyregexp.New(`(?m)^[ \t]*#[ \t]*define[ \t](?:[^\n\\]|\\[^\n])*\\\r?\n(?:(?:[^\n\\]|\\[^\n])*\\\r?\n)*.*$`)

// withoutComments is a file with spaces in place of the comments inside of such macros.
func withoutComments(data []byte) []byte {
	cloned := false
	for _, at := range continued.Compiled().FindAllIndex(data, -1) {
		for from := at[0]; ; {
			begin := bytes.Index(data[from:at[1]], []byte("/*"))
			if begin < 0 {
				break
			}
			begin += from
			end := bytes.Index(data[begin:at[1]], []byte("*/"))
			if end < 0 {
				break // it goes on below the macro
			}
			if from = begin + end + len("*/"); !cloned {
				data, cloned = bytes.Clone(data), true
			}
			for i := begin; i < from; i++ {
				if c := data[i]; c != '\n' && c != '\r' && (c != '\\' || data[i+1] != '\n' && data[i+1] != '\r') {
					data[i] = ' '
				}
			}
		}
	}
	return data
}

// listed are macros that are defined for a line that hands them to another one, and undefined after it, as between the
// braces of an array or an enumeration, where the grammar lets nothing be defined.
var listed = lazyregexp.New(`(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)\([^)\n]*\)(?:[^\n]*\\\r?\n)*[^\n]*\n` +
	`(?:[ \t]*\w+\((\w+)\)[,;]?[ \t]*\r?\n)+[ \t]*#[ \t]*undef[ \t]+(\w+)[ \t]*\r?$`)

// withoutListMacros is a file with spaces in place of such macros. Nothing else can use them.
func withoutListMacros(data []byte) []byte {
	cloned := false
	for _, m := range listed.Compiled().FindAllSubmatchIndex(data, -1) {
		name := func(group int) string { return string(data[m[2*group]:m[2*group+1]]) }
		if name(1) != name(2) || name(1) != name(3) {
			continue
		}
		if !cloned {
			data, cloned = bytes.Clone(data), true
		}
		for i := m[0]; i < m[1]; i++ {
			if data[i] != '\n' && data[i] != '\r' {
				data[i] = ' '
			}
		}
	}
	return data
}

// withoutMacros reads a file with spaces in place of such macros, so that all else stands where it stood.
func withoutMacros(parse func(string, []byte) code.File) func(string, []byte) code.File {
	return func(name string, data []byte) code.File {
		data = withoutAttributes(withoutListMacros(withoutComments(data)))
		found := wrapped.Compiled().FindAllSubmatchIndex(data, -1)
		if len(found) == 0 {
			return parse(name, data)
		}
		data = bytes.Clone(data)
		for _, m := range found {
			switch string(data[m[2]:m[3]]) {
			case "decltype", "alignas", "__declspec", "__attribute__", "if", "while", "for", "switch", "return",
				"sizeof":
				continue
			}
			for i := m[2]; i <= m[3]; i++ {
				data[i] = ' '
			}
			data[m[5]] = ' '
		}
		return parse(name, data)
	}
}
