package plain

import (
	"path"
	"slices"
	"strings"

	"delegate/internal/text/lazyregexp"
)

// Enumeration is a type of code that no grammar here reads, of which everything is one of its members.
type Enumeration struct {
	Name    string
	Members []Named
}

// Has reports whether it has a member of the name.
func (e Enumeration) Has(name string) bool {
	return slices.ContainsFunc(e.Members, func(m Named) bool { return m.Name == name })
}

// Matches reports files of a language in which this file knows enumerations and matches.
func Matches(name string) bool { return path.Ext(name) == ".kt" || path.Ext(name) == ".swift" }

// Matching is an expression of such code that has to have a case for each member of what it matches.
type Matching struct {
	Line  int
	Cases []string
}

var (
	enumerated = lazyregexp.New(`^(?:(?:public|internal|private|indirect)\s+)*(?:enum(?:\s+class)?|sealed\s+(?:class|interface))\s+` +
		`([A-Z]\w*)([^{]*)(\{.*)?$`)
	caseLine  = lazyregexp.New(`^case\s+(\w.*)$`)
	variant   = lazyregexp.New(`\b(?:class|object)\s+([A-Z]\w*)\b.*:\s*([A-Z]\w*)\b`)
	constant  = lazyregexp.New(`^([A-Z]\w*)$`)
	matchHead = lazyregexp.New(`\b(?:when\s*\(.*\)|switch\s+[^{]+)\s*\{$`)
	kotlinArm = lazyregexp.New(`^((?:is\s+)?[A-Z][\w.]*(?:\s*,\s*(?:is\s+)?[A-Z][\w.]*)*)\s*->`)
	swiftArm  = lazyregexp.New(`\.(\w+)`)
	elseArm   = lazyregexp.New(`^(?:else\s*->|default\s*:|@unknown\b|case\s+_)`)
	inner     = lazyregexp.New(`\([^()]*\)`)
)

// Enumerations are those of a file whose matches have to be whole.
func Enumerations(name, text string) (all []Enumeration) {
	kind := path.Ext(name)
	current, depth := -1, 0
	number := 0
	for line := range strings.Lines(text) {
		if number++; len(line) > LongestLine {
			continue
		}
		line = strings.TrimSpace(texts.ReplaceAllString(line, " "))
		for inner.MatchString(line) {
			line = inner.ReplaceAllString(line, "")
		}
		if match := enumerated.FindStringSubmatch(line); match != nil {
			all = append(all, Enumeration{Name: match[1]})
			current, depth = len(all)-1, 0
			line = match[3]
		}
		add := func(to int, member string) {
			all[to].Members = append(all[to].Members, Named{Name: member, Line: number})
		}
		if match := variant.FindStringSubmatch(line); match != nil && kind == ".kt" {
			for i := range all {
				if all[i].Name == match[2] {
					add(i, match[1])
				}
			}
		} else if current >= 0 && (depth == 1 || depth == 0 && line != "") {
			body, _, _ := strings.Cut(strings.Trim(line, "{} "), ";")
			cases := caseLine.FindStringSubmatch(body)
			if cases != nil && kind == ".swift" {
				body = cases[1]
			}
			for part := range strings.SplitSeq(body, ",") {
				part, _, _ = strings.Cut(strings.TrimSpace(part), " =")
				if cases != nil && word.MatchString(part) || kind == ".kt" && constant.MatchString(part) {
					add(current, part)
				}
			}
			if strings.Contains(line, ";") {
				depth++ // what follows are no members
			}
		}
		depth += strings.Count(line, "{") - strings.Count(line, "}")
		if depth <= 0 && strings.Contains(line, "}") {
			current = -1
		}
	}
	return all
}

var word = lazyregexp.New(`^[a-z]\w*$`)

// mostArms is how many lines a match may have to be looked at.
const mostArms = 300

// Matchings are the matches of a file that say nothing of the rest, of those that begin in lines which are wanted.
func Matchings(name, text string, wanted func(line int) bool) (all []Matching) {
	kind := path.Ext(name)
	lines := strings.Split(text, "\n")
	for at, line := range lines {
		if len(line) > LongestLine || !wanted(at+1) || !matchHead.MatchString(strings.TrimSpace(line)) {
			continue
		}
		m, rest, ended := Matching{Line: at + 1}, false, false
		for _, arm := range lines[at+1 : min(len(lines), at+1+mostArms)] {
			text := strings.TrimSpace(arm)
			ended = strings.HasPrefix(text, "}") &&
				len(arm)-len(strings.TrimLeft(arm, " \t")) <= len(line)-len(strings.TrimLeft(line, " \t"))
			if ended || len(arm) > LongestLine {
				break
			}
			rest = rest || elseArm.MatchString(text)
			if match := kotlinArm.FindStringSubmatch(text); match != nil && kind == ".kt" {
				for label := range strings.SplitSeq(match[1], ",") {
					m.Cases = append(m.Cases, label[strings.LastIndexAny(label, ". ")+1:])
				}
			}
			if labels, ok := strings.CutPrefix(text, "case "); ok && kind == ".swift" {
				for _, match := range swiftArm.FindAllStringSubmatch(labels, -1) {
					m.Cases = append(m.Cases, match[1])
				}
			}
		}
		if ended && !rest && len(m.Cases) > 0 {
			all = append(all, m)
		}
	}
	return all
}
