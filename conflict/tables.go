package conflict

import (
	"regexp"
	"slices"
	"strings"

	"delegate/conflict/code"
	"delegate/internal/lazyregexp"
)

// tablesWithoutMember reports a new member of an enumeration, in languages that do not demand all of them, where new
// code of the user has an entry or a case for each of the others and says nothing of the rest.
func (c *Direction) tablesWithoutMember() {
	for _, e := range c.by.edits {
		others := e.earlierMembers()
		if len(others) < 2 {
			continue
		}
		tables := map[string][]Use{}
		var order []string
		c.eachUse(func(u Use) {
			if !slices.Contains(append(others, e.New.Name), u.Ref.Name) || !u.from.language.Related(e.to.language) {
				return
			}
			if table := c.tableOf(u); table != "" {
				if tables[table] == nil {
					order = append(order, table)
				}
				tables[table] = append(tables[table], u)
			}
		})
		for _, table := range order {
			uses := tables[table]
			named := func(name string) bool {
				return slices.ContainsFunc(uses, func(u Use) bool { return u.Ref.Name == name })
			}
			if named(e.New.Name) || slices.ContainsFunc(others, func(name string) bool { return !named(name) }) ||
				c.saysRest(table, uses[len(uses)-1]) || !c.meansMember(uses[0], e) {
				continue
			}
			c.suspect(APIConflict, c.placeOf(e), uses[:1],
				"%s %[3]s, and new code of %[2]s has an entry for each of the others and none for it.", e.phrase()).
				instruct("Add " + quoted(e.New.Name) + " at " + placesOf(uses[:1]) + ".").runtimeOnly = true
		}
	}
}

// earlierMembers are the members that an enumeration had before a new one, or in Go the constants of one named type in
// the file. None for a language that tells by itself.
func (e Edit) earlierMembers() (names []string) {
	if e.Kind != Added || e.to.Old == nil || e.to.language.Exhaustive {
		return nil
	}
	inGo := e.to.language.Name == code.Go && e.New.Kind == code.Constant && e.New.Type != "" &&
		slices.ContainsFunc(e.to.Old.Definitions, func(d code.Definition) bool {
			return d.Key() == e.New.Type && isType(d)
		})
	isMember := e.New.Kind == code.Member && (e.to.language.Headers ||
		e.to.language.Name == code.Python || e.to.language.Name == code.CSharp)
	if !inGo && !isMember {
		return nil
	}
	for _, d := range e.to.Old.Definitions {
		if inGo && d.Kind == code.Constant && d.Type == e.New.Type ||
			isMember && d.Kind == code.Member && d.Container == e.New.Container {
			names = append(names, d.Name)
		}
	}
	return names
}

// meansMember reports whether a use is of another member of the same enumeration, as far as names tell.
func (c *Direction) meansMember(u Use, e Edit) bool {
	for _, d := range e.to.Old.Definitions {
		if d.Name == u.Ref.Name && d.Kind == e.New.Kind && d.Container == e.New.Container {
			return c.means(u.Ref, u.from, Edit{Kind: BodyChanged, Old: d, New: d, from: e.to, to: e.to}) >= likely
		}
	}
	return false
}

// heads begin what has an entry in each line: a switch, a table of keys.
var heads = lazyregexp.New(`\b(?:switch|match)\b|[{(\[]$`)

// tableOf names the switch or table in which a use is the label or the key of a line, "" if it is in none: its file,
// and the line that begins it.
func (c *Direction) tableOf(u Use) string {
	lines := c.sourceLines(c.user, version{head: true, name: u.Path()})
	if u.Ref.Line < 1 || u.Ref.Line > len(lines) {
		return ""
	}
	line := lines[u.Ref.Line-1]
	name := `(?:[\w.:]+[.:])?` + regexp.QuoteMeta(u.Ref.Name)
	label := regexp.MustCompile(`^\s*(?:case\s+(?:[\w.]+\s*[,|]\s*)*)?` + name +
		`\s*(?:[,|]\s*[\w.]+\s*)*:(?:[^=]|$)`)
	if !label.MatchString(line) {
		return ""
	}
	labels := strings.HasPrefix(strings.TrimSpace(line), "case ")
	for at := u.Ref.Line - 2; at >= 0; at-- {
		above := lines[at]
		outside := indentOf(above) < indentOf(line) || labels && indentOf(above) == indentOf(line)
		if text := strings.TrimSpace(above); text == "" || !outside || labels && strings.HasPrefix(text, "case ") {
			continue
		}
		if !heads.MatchString(strings.TrimSpace(above)) {
			return ""
		}
		return u.Path() + "\x00" + above + "\x00" + string(rune(at))
	}
	return ""
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

var (
	restLabel = lazyregexp.New(`^\s*(?:default\s*:|case\s+_\s*:|\w*\*\*)`)
	fails     = lazyregexp.New(`\b(?:panic|raise|Fatal\w*|Errorf|errors\.New|assert_never|throw)\b`)
	tableName = lazyregexp.New(`(\w+)\s*(?::[^=]*)?:?=`)
)

// saysRest reports whether a switch or table says what is with all other values: by a default that does not fail, or by
// reads of the table that say what else there is.
func (c *Direction) saysRest(table string, last Use) bool {
	lines := c.sourceLines(c.user, version{head: true, name: last.Path()})
	indent := indentOf(lines[last.Ref.Line-1])
	for at := last.Ref.Line; at < len(lines); at++ {
		if strings.TrimSpace(lines[at]) == "" {
			continue
		}
		if restLabel.MatchString(lines[at]) && indentOf(lines[at]) == indent {
			return !slices.ContainsFunc(lines[at:min(len(lines), at+3)], fails.MatchString)
		}
		if indentOf(lines[at]) < indent || strings.TrimSpace(lines[at]) == "}" {
			break
		}
	}
	head := strings.Split(table, "\x00")[1]
	if strings.Contains(head, "defaultdict") {
		return true
	}
	match := tableName.FindStringSubmatch(head)
	if match == nil {
		return false
	}
	name := regexp.QuoteMeta(match[1])
	asks := regexp.MustCompile(`\b` + name + `\.get\(|,\s*\w+\s*:?=\s*` + name + `\[|\bin\s+` + name + `\b`)
	return slices.ContainsFunc(lines, asks.MatchString)
}
