package conflict

import (
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/internal/lazyregexp"
)

// lostCopies reports types whose values are no longer copied where they are given away, and new code of the user that
// gives one away twice, or gives away what a reference leads to.
func (c *Direction) lostCopies() {
	for _, e := range c.by.edits {
		read := e.language().Copies
		if read == nil || e.Kind != Removed || e.Old.Name != "Copy" || !e.Old.Partial {
			continue
		}
		var uses []Use
		for _, src := range c.user.sources {
			if src.New != nil && src.language == e.language() &&
				c.means(code.Reference{Name: lastOf(e.Old.Container), Use: code.Read}, src, ownerEdit(e)) >= likely {
				uses = append(uses, c.copiedIn(src, e)...)
			}
		}
		typ := regexp.QuoteMeta(lastOf(e.Old.Container))
		if len(uses) > 0 && !c.mentions(e.language(), `\bCopy\s+for\s+(?:\w+::)*`+typ+`\b`) {
			c.suspect(APIConflict, c.placeOf(e), uses,
				"%s %[3]s, and new code of %[2]s needs a copy of a value of it.", e.phrase()).
				instruct("Clone the value, or borrow it, at " + placesOf(uses) + ".")
		}
	}
}

// copiedIn are the lines of new or changed functions of a source that need a value of the type to be copied.
func (c *Direction) copiedIn(src *changedFile, e Edit) (uses []Use) {
	typ := lastOf(e.Old.Container)
	for _, d := range src.New.Definitions {
		if d.Kind != code.Local || typeName(d.Type) != typ && !(d.Type == "" && c.madeAs(src, d, typ)) {
			continue
		}
		i := slices.IndexFunc(src.New.Definitions, func(o code.Definition) bool {
			return o.Callable() && o.Key() == d.Container && o.Line <= d.Line && d.Line <= o.End
		})
		if i < 0 {
			continue
		}
		function := src.New.Definitions[i]
		lines := c.textOf(c.user, version{head: true, name: src.file.Path}, function)
		at := e.language().Copies(lines, d.Name, strings.HasPrefix(d.Type, "&"))
		line := function.Line + at
		if at >= 0 && (src.Old == nil || within(src.hunks, line)) && c.merged.hasLine(src.file.Path, lines[at]) {
			ref := code.Reference{Name: d.Name, In: function.Key(), Line: line, Args: code.NoCall}
			uses = append(uses, Use{ref, src})
		}
	}
	return uses
}

// madeAs reports whether a variable is declared with a value that is made of the type on the spot, or that a function
// gives which a changed file of either side declares.
func (c *Direction) madeAs(src *changedFile, d code.Definition, typ string) bool {
	lines := c.textOf(c.user, version{head: true, name: src.file.Path}, d)
	made := regexp.MustCompile(`^\s*let\s+(?:mut\s+)?` + regexp.QuoteMeta(d.Name) + `\s*=\s*(?:\w+::)*` +
		regexp.QuoteMeta(typ) + `\s*(?:::|\{|\()`)
	if len(lines) == 0 || made.MatchString(lines[0]) {
		return len(lines) > 0
	}
	call := givenBy.FindStringSubmatch(lines[0])
	return call != nil && call[1] == d.Name && c.allGive(call[2], typ, src)
}

// givenBy is a declaration of a variable of Rust with what a call of a function gives.
var givenBy = lazyregexp.New(`^\s*let\s+(?:mut\s+)?(\w+)\s*=\s*(?:[a-z_]\w*::)*([a-z_]\w*)\([^()]*\);`)

// allGive reports whether there are functions of a name in changed files, and all of them give a value of the type.
func (c *Direction) allGive(name, typ string, from *changedFile) (give bool) {
	for _, s := range []*changes{c.by, c.user} {
		for _, src := range s.sources {
			if src.New == nil || src.language != from.language {
				continue
			}
			for _, d := range src.New.Definitions {
				if d.Name == name && d.Callable() {
					if d.Kind != code.Function || d.Result != typ {
						return false
					}
					give = true
				}
			}
		}
	}
	return give
}
