package javascript

import (
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/lazyregexp"
)

// memberOf begins what the name of a required member has in front of it in a bound that is written out.
const memberOf = "."

var (
	requiredMember = lazyregexp.New(`^(?:readonly\s+)?(\w+)\s*(?:\(|:)`)
	plainType      = lazyregexp.New(`^[A-Za-z_]\w*$`)
)

// bounds are the name of a type that a type parameter extends, or the members that it has to have.
func bounds(written string) (names []string) {
	written = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(written), "extends "))
	if plainType.MatchString(written) {
		return []string{written}
	}
	inside, rest, closed := lang.Closed(written)
	if !strings.HasPrefix(written, "{") || !closed || strings.TrimSpace(rest) != "" {
		return nil
	}
	for part := range strings.FieldsFuncSeq(inside, func(c rune) bool { return c == ';' || c == ',' }) {
		if match := requiredMember.FindStringSubmatch(strings.TrimSpace(part)); match != nil {
			names = append(names, memberOf+match[1])
		}
	}
	return names
}

// lacks reports whether an interface or a class, which builds on no other, has no member that a bound demands.
func lacks(bound, typ string, in lang.Types) bool {
	has, plain := membersOf(in.Named(typ), typ)
	if !plain {
		return false
	}
	if member, written := strings.CutPrefix(bound, memberOf); written {
		return !slices.Contains(has, member)
	}
	demands := in.Named(bound)
	_, plain = membersOf(demands, bound)
	return plain && bound != typ && slices.ContainsFunc(demands, func(d code.Definition) bool {
		return d.Container != "" && !d.Static && !strings.HasSuffix(d.Type, "?") && !slices.Contains(has, d.Name)
	})
}

// membersOf are the members of an interface or class; not if it builds on another or is something else.
func membersOf(all []code.Definition, typ string) (names []string, plain bool) {
	for _, d := range all {
		switch {
		case d.Name == typ && d.Kind.IsType():
			if d.Kind != code.Interface && d.Kind != code.Class || len(d.Bases) > 0 {
				return nil, false
			}
			plain = true
		case !d.Static:
			names = append(names, d.Name)
		}
	}
	return names, plain
}
