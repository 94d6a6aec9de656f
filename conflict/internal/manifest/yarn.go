package manifest

import (
	"strings"

	"delegate/conflict/code"
)

// readYarnLock reads both forms: the first yarn's own, with `version "1.2.3"`, and the YAML of its successors.
// A block of either begins with the requirements that it answers, such as "a@^1, a@^1.2:".
func readYarnLock(r *reading) {
	var block []code.Dependency
	for l := range blockLines(r.data) {
		if l.indent > 0 {
			yarnField(block, l)
			continue
		}
		header, ok := strings.CutSuffix(l.text, ":")
		r.Dependencies = append(r.Dependencies, block...)
		if block = addYarnBlock(r, header, l.number); !ok || header != "__metadata" && block == nil {
			r.fail(l.number, "%q begins no block", l.text)
		}
	}
	r.Dependencies = onceEach(append(r.Dependencies, block...))
}

// addYarnBlock returns one entry for each requirement of the header, none for the project itself,
// and nil if the header requires nothing.
func addYarnBlock(r *reading, header string, line int) []code.Dependency {
	var block []code.Dependency
	for spec := range strings.SplitSeq(strings.ReplaceAll(header, `"`, ""), ", ") {
		name, requirement, ok := cutSpec(spec)
		switch {
		case !ok:
			continue
		case requirement == "workspace:.":
			return []code.Dependency{}
		}
		block = append(block, code.Dependency{Name: name, Line: line})
	}
	return block
}

// yarnField takes the version, which all names of a block share.
func yarnField(block []code.Dependency, l textLine) {
	key, value, _ := strings.Cut(l.text, " ")
	if l.indent != 2 || strings.TrimSuffix(key, ":") != "version" {
		return
	}
	for i := range block {
		block[i].Version = unquote(strings.TrimSpace(value))
	}
}

// cutSpec splits "name@requirement"; the name of a scope begins with an @ itself.
func cutSpec(spec string) (name, requirement string, ok bool) {
	if spec == "" {
		return "", "", false
	}
	name, requirement, ok = strings.Cut(spec[1:], "@")
	return spec[:1] + name, requirement, ok
}
