//go:build cgo

package c

import (
	"bytes"

	"delegate/conflict/code"
	"delegate/internal/lazyregexp"
)

// wrapped is a type in the brackets of a macro at the begin of a line, in front of a function's name:
// `API(int) open(void);`, which without the macro's text reads as a call.
var wrapped = lazyregexp.New(`(?m)^([A-Za-z_]\w*)\(([\w \t*]+)\)([ \t]*\**[ \t]*)([A-Za-z_]\w*)[ \t]*\(`)

// withoutMacros reads a file with spaces in place of such macros, so that all else stands where it stood.
func withoutMacros(parse func(string, []byte) code.File) func(string, []byte) code.File {
	return func(name string, data []byte) code.File {
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
