package plan

import (
	"cmp"
	"delegate/internal/lazyregexp"
	"slices"
	"strings"
	"unicode"
)

// Task is what a person asks for, before it is a plan.
type Task struct {
	// Title is one line, and Text all of what was said; either may be empty.
	Title, Text string
	// Objectives are the open ones of the progress file; a task that has any is split along them.
	Objectives []Objective
}

// Objective is an open objective of the progress file.
type Objective struct {
	// Name is one line, by which a subtask is linked to it: the text of its "- [ ]" line, or else
	// of its "### NAME" heading.
	Name string
	Text string // what else stands there; it may be empty
}

// maxGoals is how many subtasks a draft has at most: a person has to read it.
const maxGoals = 20

// goalKind is the sort of work that a goal asks for.
type goalKind int

const (
	code goalKind = iota
	tests
	docs
	research
)

// goal is one part of a task.
type goal struct {
	name, text string
	objective  string // the objective that it comes from
	kind       goalKind
	refersBack bool // its words need the goal before it to be understood
}

// goals are the parts of a task, with what was said beside them, and how it was taken apart, as a clause.
func (t Task) goals() (all []goal, other, how string) {
	switch items, rest := listItems(t.Text); {
	case len(t.Objectives) > 0:
		for _, o := range t.Objectives {
			g := newGoal(o.Name + "\n" + o.Text)
			g.name, g.objective = flat(o.Name), flat(o.Name)
			all = append(all, g)
		}
		other, how = t.Text, "along its open objectives"
	case len(items) > 1:
		for _, item := range items {
			all = append(all, newGoal(item))
		}
		other, how = rest, "along its own list"
	default:
		all = sentences(cmp.Or(strings.TrimSpace(t.Text), t.Title))
		how = "where its sentences begin something new"
	}
	if len(all) == 0 {
		all = []goal{newGoal(t.Title)}
	}
	return all, strings.TrimSpace(other), how
}

func newGoal(text string) goal {
	text = strings.TrimSpace(text)
	return goal{text: text, name: title(text), kind: kindOf(text), refersBack: refersBack(text)}
}

var (
	// listLine finds the items of a list at any depth; those of deeper lists belong to the item above.
	listLine = lazyregexp.New(`^([ \t]*)(?:[-*+]|[0-9]{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)$`)
	// seam is where one sentence ends, or joins what may be a goal of its own.
	seam = lazyregexp.New(`(?:[.!?]["')]?\s+|\s*;\s*(?:and |then )*|\n\s*\n|,?\s+and then\s+|,?\s+then\s+|,?\s+and also\s+|,\s+and\s+|\s+and\s+|,\s+)`)
)

// listItems takes a list apart; rest is what stands before and after it.
func listItems(text string) (items []string, rest string) {
	indent := -1
	var other []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		m := listLine.FindStringSubmatch(line)
		switch {
		case m != nil && (indent < 0 || len(m[1]) <= indent):
			indent = len(m[1])
			items = append(items, m[2])
		case len(items) > 0 && strings.TrimLeft(line, " \t") != line && strings.TrimSpace(line) != "":
			items[len(items)-1] += "\n" + strings.TrimSpace(line)
		default:
			other = append(other, line)
		}
	}
	return items, strings.TrimSpace(strings.Join(other, "\n"))
}

// sentences cuts text at its seams, where what follows begins with something to do.
func sentences(text string) []goal {
	var all []goal
	start, then := 0, false
	take := func(end int) {
		if part := strings.TrimSpace(text[start:end]); part != "" {
			g := newGoal(strings.TrimRight(part, " .;,"))
			g.refersBack = g.refersBack || then
			all = append(all, g)
		}
	}
	for _, at := range seam.FindAllStringIndex(text, -1) {
		mark := text[at[0]:at[1]]
		inCode := strings.Count(text[:at[0]], "`")%2 == 1
		if inCode || !beginsWork(text[at[1]:], mark) || len(strings.Fields(text[start:at[0]])) < 2 {
			continue
		}
		take(at[0])
		start, then = at[1], strings.Contains(mark, "then")
	}
	take(len(text))
	return all
}

// beginsWork reports whether the text after a seam is something to do. A comma and "and" also join
// nouns, so they ask for more.
func beginsWork(text, mark string) bool {
	words := strings.Fields(text)
	for len(words) > 0 && isWordOf("please also then finally first", strings.ToLower(strings.Trim(words[0], ","))) {
		words = words[1:]
	}
	if len(words) < 2 {
		return false
	}
	verb, next := strings.ToLower(words[0]), strings.ToLower(strings.Trim(words[1], ".,"))
	joinsNouns := strings.Contains(mark, ",") || strings.Contains(mark, "and")
	return isWordOf(verbs, verb) || isWordOf(nounVerbs, verb) && (!joinsNouns || strings.HasPrefix(next, "`") ||
		isWordOf("a an the it its them all every each that this how what when new up out", next))
}

// isWordOf reports whether a word is one of a list that is separated by blanks.
func isWordOf(list, word string) bool { return slices.Contains(strings.Fields(list), word) }

// The verbs that begin something to do; nounVerbs are as often nouns.
const (
	verbs = `add implement write create make build introduce fix repair correct handle remove delete drop deprecate rename move
		refactor rewrite rework restructure simplify clean split extract unify update upgrade migrate port convert replace switch improve
		optimise optimize describe explain translate validate verify expose allow let enable disable extend investigate find analyse analyze
		evaluate reproduce teach generate render reject accept adapt adjust align apply avoid bring consolidate define ensure integrate keep provide
		publish reduce prevent stop turn wire`
	nounVerbs = `support change document test cover benchmark check log print show report return parse use cache compare research study review audit
		merge bump speed export import read list store load limit register sort format`
)

// kindOf tells the sort of work by its first words and its objects. Names of files and of code say nothing about it.
func kindOf(text string) goalKind {
	var prose []string
	for _, t := range tokens(text) {
		if !t.quoted && !strings.Contains(t.text, "/") {
			prose = append(prose, t.text)
		}
	}
	words := plainWords(strings.Join(prose, " "))
	if len(words) == 0 {
		return code
	}
	has := func(words []string, list string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return isWordOf(list, w) })
	}
	first, making := words[0], isWordOf("add write update extend improve create fix", words[0])
	switch {
	case isWordOf("investigate research analyse analyze evaluate compare study audit", first),
		first == "find" && has(words, "out why"):
		return research
	case isWordOf("document describe explain", first),
		making && has(words, "docs documentation readme changelog tutorial manual guide"):
		return docs
	case isWordOf("test cover", first), making && has(words[1:min(len(words), 5)], "tests test coverage"):
		return tests
	}
	return code
}

// token is a word of a text that may name something.
type token struct {
	text   string
	quoted bool // in backticks
}

func tokens(text string) []token {
	var all []token
	for i, part := range strings.Split(text, "`") {
		if i%2 == 1 {
			all = append(all, token{strings.TrimSpace(part), true})
			continue
		}
		for word := range strings.FieldsSeq(part) {
			word = strings.TrimRight(strings.Trim(word, `,;:!"'<>“”„‘’`), ".?")
			if strings.HasPrefix(word, "(") || !strings.Contains(word, "(") {
				word = strings.Trim(word, "()")
			}
			if word != "" {
				all = append(all, token{word, false})
			}
		}
	}
	return all
}

// plainWords are the words of a text in small letters, without marks.
func plainWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), isMark)
}

func isMark(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// refersBack reports whether the text needs the one before it to be understood: an early pronoun,
// or one behind "for" and its like.
func refersBack(text string) bool {
	words := plainWords(text)
	for i, w := range words[:min(len(words), 8)] {
		if isWordOf("it its them their these those", w) && (i < 4 || isWordOf("for of with about", words[i-1])) {
			return true
		}
	}
	return false
}

// title is the begin of a text as the name of a subtask.
func title(text string) string {
	const most = 60
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(strings.TrimRight(strings.ReplaceAll(flat(line), "`", ""), " .;:,"))
	if len(runes) == 0 {
		return ""
	}
	line = string(unicode.ToUpper(runes[0])) + string(runes[1:])
	if len(runes) > most {
		line = string(unicode.ToUpper(runes[0])) + string(runes[1:most])
		if i := strings.LastIndexByte(line, ' '); i > most/2 {
			line = line[:i]
		}
		line += " …"
	}
	return line
}
