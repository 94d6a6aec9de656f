package conflict

import (
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/internal/text/lazyregexp"
)

// resultType is the type of the variable that a use has a member of, where its file does not say it but for a call
// whose result a changed file of either side declares: var line = cart.Find(sku). "" if that does not show.
func (c *Direction) resultType(r code.Reference, from *changedFile) string {
	if r.Qualifier == "" || r.Qualifier == code.Expression || strings.Contains(r.Qualifier, ".") {
		return ""
	}
	lines := c.statements(from.file.Path)
	assigned := regexp.MustCompile(`(?:^|[\s(&*])` + regexp.QuoteMeta(r.Qualifier) + `\s*:?=\s*[^=].*\(`)
	for at := min(r.Line, len(lines)); at > 0 && at > r.Line-mostBetween; at-- {
		if !assigned.MatchString(lines[at-1]) {
			continue
		}
		i := slices.IndexFunc(from.refs, func(o code.Reference) bool {
			return statementAt(lines, o.Line) == at-1 && o.In == r.In && o.Use == code.Call && o.Type != "" &&
				strings.Contains(lines[at-1], o.Name+"(")
		})
		if i < 0 {
			return ""
		}
		return c.declaredResult(lastOf(from.refs[i].Type), from.refs[i].Name, from)
	}
	return ""
}

// mostBetween bounds how far above its use a variable is looked for.
const mostBetween = 40

// declaredResult is the type that a method of a type gives in all changed files of either side, "" if they differ.
func (c *Direction) declaredResult(typ, method string, from *changedFile) string {
	result := ""
	for _, s := range []*changes{c.by, c.user} {
		for _, src := range s.sources {
			if src.New == nil || !src.language.Related(from.language) {
				continue
			}
			for _, d := range src.New.Definitions {
				if d.Name != method || d.Kind != code.Method || lastOf(d.Container) != typ {
					continue
				}
				one := d.Result
				if match := wrappedResult.FindStringSubmatch(one); match != nil {
					one = match[1]
				}
				if one = typeName(strings.Trim(one, "?*& ")); one == "" || result != "" && one != result {
					return ""
				}
				result = one
			}
		}
	}
	return result
}

// wrappedResult are results that a variable has without what is around them, as a rule.
var wrappedResult = lazyregexp.New(`^(?:Task|Promise|Optional|Option)[<\[](.*)[>\]]$`)
