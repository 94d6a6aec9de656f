package conflict

import (
	"cmp"
	"delegate/internal/text/lazyregexp"
	"strconv"
	"strings"
)

// bound is one condition of a requirement on a version.
type bound struct {
	relation string
	version  []int
}

var boundPattern = lazyregexp.New(`^\s*(\^|~=|~>|~|===?|>=|<=|>|<)?\s*v?(\d+(?:\.\d+)*)\s*$`)

// boundsOf reads a requirement as a list of conditions that all have to hold, nil if it is of another form.
func boundsOf(requirement string) (all []bound) {
	for part := range strings.SplitSeq(requirement, ",") {
		match := boundPattern.FindStringSubmatch(part)
		if match == nil {
			return nil
		}
		b := bound{relation: cmp.Or(match[1], "==")}
		for number := range strings.SplitSeq(match[2], ".") {
			n, err := strconv.Atoi(number)
			if err != nil {
				return nil
			}
			b.version = append(b.version, n)
		}
		all = append(all, b)
	}
	return all
}

// agree reports whether one version that a requirement names serves another requirement as well. Two pins never do.
func agree(a, b string) bool {
	mine, others := boundsOf(a), boundsOf(b)
	if mine == nil || others == nil {
		return false
	}
	all, ranges := append(mine, others...), false
	for _, one := range all {
		ranges = ranges || !strings.HasPrefix(one.relation, "==")
	}
	for _, candidate := range all {
		serves := ranges && !strings.ContainsAny(candidate.relation, "<") && candidate.relation != ">"
		for _, b := range all {
			serves = serves && b.admits(candidate.version)
		}
		if serves {
			return true
		}
	}
	return false
}

// admits reports whether a version meets the condition.
func (b bound) admits(version []int) bool {
	order := 0
	for i := 0; order == 0 && i < max(len(version), len(b.version)); i++ {
		order = cmp.Compare(component(version, i), component(b.version, i))
	}
	same := func(parts int) bool {
		for i := range parts {
			if component(version, i) != component(b.version, i) {
				return false
			}
		}
		return true
	}
	switch b.relation {
	case ">=":
		return order >= 0
	case ">":
		return order > 0
	case "<=":
		return order <= 0
	case "<":
		return order < 0
	case "^":
		significant := 1 // up to the first that is not zero
		for significant < len(b.version) && component(b.version, significant-1) == 0 {
			significant++
		}
		return order >= 0 && same(significant)
	case "~", "~=", "~>":
		return order >= 0 && same(max(len(b.version)-1, 1))
	}
	return order == 0
}

func component(version []int, i int) int {
	if i < len(version) {
		return version[i]
	}
	return 0
}
