package java

import "strings"

// bounds are the names of the types that a type parameter extends.
func bounds(written string) (names []string) {
	rest, _ := strings.CutPrefix(written, "extends ")
	for part := range strings.SplitSeq(rest, "&") {
		outer, _, _ := strings.Cut(strings.TrimSpace(part), "<")
		if outer != "" {
			names = append(names, outer[strings.LastIndexByte(outer, '.')+1:])
		}
	}
	return names
}
