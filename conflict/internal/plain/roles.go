package plain

import (
	"strings"

	"delegate/internal/text/lazyregexp"
)

var (
	reserved  = lazyregexp.New(`^reserved\s+([\d\s,]+);`)
	caseFlag  = lazyregexp.New(`^\(?((?:-{1,2}[\w-]+(?:=\*)?\s*\|\s*)*-{1,2}[\w-]+(?:=\*)?)\)`)
	inlineVar = lazyregexp.New(`(?:^@?|[;&|]\s*)([A-Z_][A-Z0-9_]*)=[^=]`)
)

// takesFlags notes the flags by whose labels a line of a shell script goes.
func (r *reading) takesFlags() {
	if match := caseFlag.FindStringSubmatch(r.text); match != nil {
		for flag := range strings.SplitSeq(match[1], "|") {
			r.add(Entry{Role: Flag, Name: strings.TrimSuffix(strings.TrimSpace(flag), "=*")})
		}
	}
}

// keptNumbers notes the numbers that a message of protobuf keeps from being given out.
func (r *reading) keptNumbers() {
	if match := reserved.FindStringSubmatch(r.text); match != nil {
		for number := range strings.SplitSeq(match[1], ",") {
			r.add(Entry{Role: FieldNumber, Name: strings.TrimSpace(number), Owner: "reserved"})
		}
	}
}
