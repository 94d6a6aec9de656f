package plan

import (
	"delegate/internal/lazyregexp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// renaming is how a task says that a name of the code gets another one.
var renaming = lazyregexp.New(`(?i)\brenam(?:e|es|ing)\s+(?:the\s+|a\s+)?(?:(?:function|method|type|class|` +
	"struct|interface|helper|constant|variable|field|parameter)\\s+)?`?([a-z_][\\w.]*)")

// renamed are the names that a text announces to rename; one may be a plain word.
func renamed(text string) (names []string) {
	for _, m := range renaming.FindAllStringSubmatch(text, -1) {
		name := strings.TrimRight(m[1], ".")
		name = name[strings.LastIndexByte(name, '.')+1:]
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// defines reports whether a source file defines the name, and it is no word that prose has as well.
func (f Facts) defines(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return r == '_' || unicode.IsUpper(r) }) &&
		slices.ContainsFunc(f.Symbols, func(s Symbol) bool { return strings.HasSuffix("."+s.Name, "."+name) })
}

// partOf begins the line of a drafted context that has the words of the whole task, also those of other subtasks.
const partOf = "Part of: "

// speaksOf reports whether a subtask's words hold a name as a word of its own.
func speaksOf(s Subtask, name string) bool {
	word := regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(name) + `(\W|$)`)
	for line := range strings.SplitSeq(s.Name+"\n"+s.Description+"\n"+s.Context, "\n") {
		if word.MatchString(line) && !strings.HasPrefix(strings.TrimSpace(line), partOf) {
			return true
		}
	}
	return false
}

// addCallers adds to a rename the files that use the old name: without them it cannot be done.
func (x *repoIndex) addCallers(p *proposal) {
	names := renamed(p.text)
	for _, s := range p.seeds {
		for _, l := range x.needed[s] {
			if slices.Contains(names, l.Symbol) && l.From != s {
				x.relate(p, l.From, fmt.Sprintf("uses %s of %s on line %d, which gets another name", l.Symbol, s,
					l.Line))
			}
		}
	}
}

// renames makes signs of what one subtask renames while another, which nothing orders, uses the old name.
func (c forecasts) renames(subtasks []Subtask, f Facts) {
	const strength = 100 // before anything that code and history only suggest
	for _, a := range subtasks {
		for _, name := range renamed(a.Name + "\n" + a.Description) {
			named := map[int]bool{a.Number: true}
			for _, l := range f.Links {
				if l.Symbol != name {
					continue
				}
				c.eachPair(l.From, l.To, func(user, owner int) {
					if owner == a.Number && !named[user] {
						named[user] = true
						at := Place{Subtask: user, Path: l.From, Line: l.Line}
						c.add(Sign{SignRenames, fmt.Sprintf("%s (%d) uses %s, which subtask %d renames", at, user, name,
							owner), [2]Place{at, {Subtask: owner, Path: l.To, Line: l.At}}, strength})
					}
				})
			}
			for _, b := range subtasks {
				if !named[b.Number] && f.defines(name) && !c.ordered(a.Number, b.Number) && speaksOf(b, name) {
					says := fmt.Sprintf("subtask %d speaks of %s, which subtask %d renames", b.Number, name, a.Number)
					c.add(Sign{SignRenames, says, [2]Place{{Subtask: b.Number},
						{Subtask: a.Number}}, strength})
				}
			}
		}
	}
}
