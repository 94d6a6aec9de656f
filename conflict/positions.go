package conflict

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"delegate/conflict/code"
	"delegate/conflict/internal/plain"
	"delegate/internal/text/lazyregexp"
)

// earlierValues are the values that an enumeration had before a new one, in their order: its members, or in Go the
// constants of one named type in the file. What only counts them is none.
func (e Edit) earlierValues() (values []code.Definition) {
	isConstant := e.New.Kind == code.Constant && e.New.Type != "" && e.to != nil && e.to.language.Name == code.Go
	if e.Kind != Added || e.to.Old == nil || !isConstant && e.New.Kind != code.Member {
		return nil
	}
	for _, d := range e.to.Old.Definitions {
		if d.Kind == e.New.Kind && d.Container == e.New.Container && (!isConstant || d.Type == e.New.Type) &&
			!countsOthers.MatchString(d.Name) {
			values = append(values, d)
		}
	}
	slices.SortStableFunc(values, func(a, b code.Definition) int { return a.Line - b.Line })
	return values
}

var countsOthers = lazyregexp.New(`(?i:(?:^|_)(?:count|max|num|last|end|size|total))$|[a-z](?:Count|Max|Num|Last|End)$`)

// enumeration is what a value is one of.
func (e Edit) enumeration() string {
	if e.New.Kind == code.Constant {
		return lastOf(e.New.Type)
	}
	return lastOf(e.New.Container)
}

var (
	listed = lazyregexp.New(`\b(\w+)(?:\[\w*\])?\s*(?::[^=\n]+)?:?=\s*(?:\[[\w.]*\]\s*[\w.*]+\s*|` +
		`new\s+[\w.]+\[\]\s*)?([{\[(])`)
)

// listsOf is all that fits listed, in which there is one "=" with a bracket or "new" behind it. To try the whole text
// takes many times as long.
func listsOf(text string) (all [][]int) {
	from, next := 0, strings.IndexByte(text, '=')
	for next >= 0 {
		at, end := next, len(text)
		if next = strings.IndexByte(text[at+1:], '='); next >= 0 {
			next += at + 1
			end = next
		}
		behind := strings.TrimLeft(text[at+1:end], "\t\n\f\r ")
		if behind != "" && strings.IndexByte("{[(n", behind[0]) >= 0 {
			if match := listed.FindStringSubmatchIndex(text[from:end]); match != nil {
				for i := range match {
					match[i] += from
				}
				all = append(all, match)
				at = match[1] - 1
			}
		}
		from = at + 1
	}
	return all
}

// shiftedNumbers reports a new value before others of an enumeration that is numbered by itself, where the user newly
// writes the number of one of those into data, by a key that is called like the enumeration.
func (g *goneWords) shiftedNumbers() error {
	for _, e := range g.by.edits {
		others := e.earlierValues()
		if len(others) < 2 {
			continue
		}
		first, behind := g.numbersBehind(e, others)
		if behind == 0 {
			continue
		}
		key := regexp.MustCompile(`(?i)["']?\b` + regexp.QuoteMeta(e.enumeration()) + `["']?\s*[:=]\s*(\d+)\b`)
		for _, f := range g.written {
			if ending := path.Ext(f.file.Path); ending != ".json" && ending != ".yaml" && ending != ".yml" {
				continue
			}
			data, err := g.writes.plainText(g.writes.set.HeadFS, f.file.Path, f.file.NewMode)
			if err != nil {
				return err
			}
			for i, line := range strings.Split(string(data), "\n") {
				match := key.FindStringSubmatch(line)
				if match == nil || !f.isNew(i+1) {
					continue
				}
				n, err := strconv.Atoi(match[1])
				if err != nil || n < first+len(others)-behind || n >= first+len(others) {
					continue
				}
				g.tellShifted(e, []Use{freshWord{plain.Word{Text: match[1], Line: i + 1}, f}.use()})
				break
			}
		}
	}
	return nil
}

func (g *goneWords) tellShifted(e Edit, uses []Use) {
	g.suspect(APIConflict, g.placeOf(e), uses, "%s %[3]s before others, whose numbers that shifts, and %[2]s newly "+
		"writes the number of one of those.", e.phrase()).
		instruct("Write the number that it has now at " + placesOf(uses) + ".").runtimeOnly = true
}

// numbersBehind are the number with which an enumeration begins that is numbered by itself, and how many of its
// former values come after the new one: 0 if it is not known to be numbered so.
func (g *goneWords) numbersBehind(e Edit, others []code.Definition) (first, behind int) {
	lines := g.sourceLines(g.by, version{head: true, name: e.to.file.Path})
	bare := func(d code.Definition) bool {
		if d.Line < 1 || d.Line > len(lines) {
			return false
		}
		text, _, _ := strings.Cut(lines[d.Line-1], "//")
		text = strings.TrimRight(strings.TrimSpace(text), ",")
		return text == d.Name || strings.HasSuffix(text, "auto()")
	}
	numbered := e.to.language.Name == code.Go || e.to.language.Headers || e.to.language.Name == code.Python ||
		e.to.language.Name == code.CSharp
	if !numbered || !bare(e.New) {
		return 0, 0
	}
	for i, was := range others {
		now, there := definition(e.to.New, was.Key())
		if !there {
			return 0, 0
		}
		text := lines[now.Line-1]
		if i == 0 && (strings.Contains(text, "auto()") || strings.Contains(text, "iota + 1")) {
			first = 1
		}
		if now.Line > e.New.Line {
			if !bare(now) {
				return 0, 0
			}
			behind++
		}
	}
	return first, behind
}
