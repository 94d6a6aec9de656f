package conflict

import (
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/internal/lazyregexp"
)

// readOnlyResults reports functions that give a collection which cannot be changed in place of one that can, where new
// code of the user changes what they give.
func (c *Direction) readOnlyResults() {
	for e := range c.by.kept() {
		way := e.language().ReadOnlyResults
		if way.Constant != nil && (e.Old.Kind == code.Constant || e.Old.Kind == code.Variable) {
			c.readOnlyConstant(e)
		}
		if way.Given == nil || !e.Old.Callable() || e.Old.Hash == e.New.Hash {
			continue
		}
		uses := c.Uses(e)
		if len(uses) == 0 {
			continue
		}
		old, new := c.texts(e)
		returns := matching(givesBack, new)
		if matching(way.Given, old) > 0 || returns == 0 || matching(way.Given, new) != returns {
			continue
		}
		uses = slices.DeleteFunc(uses, func(u Use) bool { return !c.doesWithResult(u, way.Changed) })
		c.suspect(APIConflict, c.placeOf(e), uses,
			"%s lets %[3]s give what cannot be changed, and new code of %[2]s changes what it gives.",
			noun(e.Old, e.language())).
			instruct("Change a copy of what " + quoted(e.Old.Key()) + " gives at " + placesOf(uses) +
				".").runtimeOnly = true
	}
}

// readOnlyConstant reports a constant that is a collection which cannot be changed in place of one that can, where new
// code of the user changes it.
func (c *Direction) readOnlyConstant(e Edit) {
	uses, way := c.Uses(e), e.language().ReadOnlyResults
	if len(uses) == 0 {
		return
	}
	old, new := c.texts(e)
	if matching(way.Constant, old) > 0 || matching(way.Constant, new) == 0 {
		return
	}
	changed := way.Changed(`(?:\w+(?:\.|::))*` + regexp.QuoteMeta(e.Old.Name))
	uses = slices.DeleteFunc(uses, func(u Use) bool { return !changed.MatchString(c.lineOf(u)) })
	c.suspect(APIConflict, c.placeOf(e), uses,
		"%s lets %[3]s not be changed any more, and new code of %[2]s changes it.", noun(e.Old, e.language())).
		instruct("Change a copy of " + quoted(e.Old.Key()) + " at " + placesOf(uses) + ".").runtimeOnly = true
}

// givesBack is a line that gives something back.
var givesBack = lazyregexp.New(`^\s*return\s+[^\s;]`)

// doesWithResult reports whether code does something with the very value that a call gave: in place, or by the variable
// that has it, until that is set anew. The pattern of it is made of one for the value.
func (c *Direction) doesWithResult(u Use, pattern func(value string) *regexp.Regexp) bool {
	lines := c.sourceLines(c.user, version{head: true, name: u.Path()})
	at := u.Ref.Line - 1
	if at < 0 || at >= len(lines) {
		return false
	}
	call, whole := `[\w.$]*\b`+regexp.QuoteMeta(u.Ref.Name)+`\(`, `[^()]*\)`
	if u.from.language.Name == code.Ruby && !strings.Contains(lines[at], u.Ref.Name+"(") {
		call, whole = strings.TrimSuffix(call, `\(`), "" // its calls do without brackets
	}
	if pattern(call + whole).MatchString(lines[at]) {
		return true
	}
	given := regexp.MustCompile(`(?:^|[\s>\]])([\w$]+)\s*(?::[^=]*)?=\s*(?:await\s+)?` + call + `(.*)$`).
		FindStringSubmatch(lines[at])
	if given == nil || strings.Contains(afterCall(given[2]), ".") || whole == "" && given[2] != "" {
		return false
	}
	name := regexp.QuoteMeta(given[1])
	does, again := pattern(name), regexp.MustCompile(`(?:^|[^\w.])`+name+`\s*(?::[^=]*)?=[^=]`)
	for _, line := range lines[at+1:] {
		if text := strings.TrimSpace(line); text != "" && indentOf(line) < indentOf(lines[at]) {
			return false
		}
		if does.MatchString(line) {
			return true
		}
		if again.MatchString(line) {
			return false
		}
	}
	return false
}

// afterCall is what follows a call, given what stands behind its opening bracket.
func afterCall(rest string) string {
	if _, after, closed := lang.Closed("(" + rest); closed {
		return after
	}
	return ""
}
