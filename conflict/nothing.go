package conflict

import (
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/text/lazyregexp"
)

// nothingOrException reports functions that throw in place of giving nothing, where new code of the user asks for
// nothing, and the other way round, where it catches what is thrown no longer. It found 1 of 168 breaks.
func (c *Direction) nothingOrException() {
	for e := range c.by.kept() {
		way := e.language().Nothing
		if way.Given == nil || !e.Old.Callable() || e.Old.Hash == e.New.Hash {
			continue
		}
		uses := c.usesOrCalls(e)
		if len(uses) == 0 {
			continue
		}
		old, new := c.texts(e)
		what := initial(noun(e.Old, e.language()))
		nothing := matching(way.Given, old) - matching(way.Given, new)
		throws := matching(way.Thrown, new) - matching(way.Thrown, old)
		catches := matching(way.Caught, new) - matching(way.Caught, old)
		if gone, now := c.otherException(way, old, new); gone != "" {
			c.tell(otherException, c.placeOf(e), slices.DeleteFunc(slices.Clone(uses), func(u Use) bool {
				return !c.catchesOnly(u, way.Caught, gone, now)
			}), "what", what, "now", quoted(now), "gone", quoted(gone))
		}
		switch {
		case matching(way.Given, new) == 0 && nothing > 0 && (throws > 0 || catches < 0):
			uses = slices.DeleteFunc(uses, func(u Use) bool { return !c.asksForNothing(u) || c.tries(u, way.Caught) })
			c.tell(throwsForNothing, c.placeOf(e), uses, "what", what, "name", quoted(e.Old.Key()))
		case matching(way.Given, old) == 0 && nothing < 0 && throws < 0:
			thrown := way.Thrown.FindStringSubmatch(firstMatching(way.Thrown, old))[1]
			uses = slices.DeleteFunc(uses, func(u Use) bool {
				return c.asksForNothing(u) || !c.catches(u, way.Caught, lastOf(thrown))
			})
			c.tell(nothingForThrows, c.placeOf(e), uses, "what", what, "name", quoted(e.Old.Key()))
		}
	}
}

// otherException is the exception that a function threw and throws no longer, and the one that it throws in its place:
// none unless the side defines that one too, as made from what all are made from.
func (c *Direction) otherException(way lang.Nothing, old, new []string) (gone, now string) {
	before, after := thrown(way, old), thrown(way, new)
	if len(before) != 1 || len(after) != 1 || before[0] == after[0] {
		return "", ""
	}
	bases := c.by.bases[after[0]]
	if len(bases) == 0 || slices.ContainsFunc(bases, func(b string) bool {
		return !widest.MatchString(b) || b == before[0]
	}) {
		return "", ""
	}
	return before[0], after[0]
}

// thrown are the names of what lines throw, each once.
func thrown(way lang.Nothing, lines []string) (names []string) {
	for _, line := range lines {
		if match := way.Thrown.FindStringSubmatch(line); match != nil && !slices.Contains(names, lastOf(match[1])) {
			names = append(names, lastOf(match[1]))
		}
	}
	return names
}

// catchesOnly reports whether a use stands in a block that catches the one exception by its name and not the other.
func (c *Direction) catchesOnly(u Use, caught *lazyregexp.Regexp, gone, now string) bool {
	_, after := c.around(u)
	at := slices.IndexFunc(after, caught.MatchString)
	return at >= 0 && c.catches(u, caught, gone) && !slices.ContainsFunc(after, func(line string) bool {
		return strings.Contains(line, now) || untyped.MatchString(line) ||
			caught.MatchString(line) && widest.MatchString(line)
	})
}

// widest are the exceptions that most others are made from.
var widest = lazyregexp.New(`^(?:(?:Base|Runtime)?Exception|StandardError|Throwable|Error)$|` +
	`\b(?:(?:Base|Runtime)?Exception|StandardError|Throwable)\b`)

// matching counts the lines that match.
func matching(pattern *lazyregexp.Regexp, lines []string) (n int) {
	for _, line := range lines {
		if pattern.MatchString(line) {
			n++
		}
	}
	return n
}

func firstMatching(pattern *lazyregexp.Regexp, lines []string) string {
	i := slices.IndexFunc(lines, pattern.MatchString)
	if i < 0 {
		return ""
	}
	return lines[i]
}

// mostAfter is how many lines below a call belong to what is done with its value.
const mostAfter = 6

// around are the lines above a use, and those from it on, that belong to it.
func (c *Direction) around(u Use) (before, after []string) {
	lines := c.statements(u.Path())
	at := statementAt(lines, u.Ref.Line)
	if at < 0 {
		return nil, nil
	}
	return lines[max(0, at-mostAfter):at], lines[at:min(len(lines), at+mostAfter+1)]
}

// asksForNothing reports whether code asks of what a call gives whether it is nothing, there or of the variable that
// has it.
func (c *Direction) asksForNothing(u Use) bool {
	_, lines := c.around(u)
	if u.Ref.Use != code.Call || len(lines) == 0 {
		return false
	}
	call := `[\w.$]*\b` + regexp.QuoteMeta(u.Ref.Name) + `\(`
	inPlace := regexp.MustCompile(call + `.*\)\s*(?:is\s+(?:not\s+)?(?:None|null)|[!=]==?\s*(?:null|undefined|nil|None)|\?\?|` +
		`\?\.)|(?:!|\bnot\s+)` + call)
	if inPlace.MatchString(lines[0]) {
		return true
	}
	given := regexp.MustCompile(`([\w$]+)\s*(?::[^=]*)?:?=\s*(?:await\s+)?` + call).FindStringSubmatch(lines[0])
	if given == nil {
		return false
	}
	name := regexp.QuoteMeta(given[1])
	asks := regexp.MustCompile(name + `\s*(?:is\s+(?:not\s+)?(?:None|null)\b|[!=]==?\s*(?:null|undefined|nil|None)\b|\?\?|\?\.|` +
		`\.nil\?)|(?:!|\bnot\s+|is_null\(\s*)` + name + `(?:[^\w.(]|$)|\b(?:if|unless|while)\s*\(?\s*` + name + `\s*\)?\s*[:{]?$`)
	return slices.ContainsFunc(lines[1:], asks.MatchString)
}

// tries reports whether a use stands in a block whose failure is caught.
func (c *Direction) tries(u Use, caught *lazyregexp.Regexp) bool { return c.catches(u, caught, "") }

// catches reports whether a use stands in a block whose failure is caught by a name, "" for any.
func (c *Direction) catches(u Use, caught *lazyregexp.Regexp, name string) bool {
	before, after := c.around(u)
	tried := slices.ContainsFunc(slices.Concat(before, after[:min(1, len(after))]), beginsTrying.MatchString)
	return tried && slices.ContainsFunc(after, func(line string) bool {
		return caught.MatchString(line) && (name == "" || strings.Contains(line, name) || untyped.MatchString(line))
	})
}

// beginsTrying is where a block begins whose failure is caught.
var beginsTrying = lazyregexp.New(`^\s*(?:try|begin)\s*[:{]?(?:\s|$)`)

// untyped catches anything.
var untyped = lazyregexp.New(`\b(?:catch\s*(?:\(\s*\w+\s*\))?\s*\{|except\s*:|rescue\s*$)`)
