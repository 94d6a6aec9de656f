package git

import (
	"fmt"
	"io"
	"strings"
)

// quoted writes a path in the C quotes of git's lists.
func quoted(p string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(p) {
		if c := p[i]; c < 0x20 || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// quotePath writes a path as git's line-based input takes it: plain, or in C quotes if it holds something odd.
func quotePath(p string) string {
	if !strings.ContainsAny(p, "\n\r\"\\\t") {
		return p
	}
	return quoted(p)
}

// records joins fields for git's -z input.
func records(all []string) io.Reader {
	if len(all) == 0 {
		return strings.NewReader("")
	}
	return strings.NewReader(strings.Join(all, "\x00") + "\x00")
}

// asLines is the input that names objects.
func asLines(ids []string) io.Reader { return strings.NewReader(strings.Join(ids, "\n") + "\n") }

// revisions is git's line-based input for what some commits reach and others do not.
func revisions(from, below []string) io.Reader {
	var input strings.Builder
	for _, id := range from {
		input.WriteString(id + "\n")
	}
	for _, id := range below {
		input.WriteString("^" + id + "\n")
	}
	return strings.NewReader(input.String())
}

// offline is the environment that keeps git from fetching the missing objects of a partial clone: ids come from agents.
func offline() []string { return []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"} }
