package plan

import (
	"regexp"
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
	// Text is what else stands there; it may be empty.
	Text string
}

// mostWishes is how many subtasks a draft has at most: a person has to read it.
const mostWishes = 20

// work is what sort of work a wish asks for.
type work int

const (
	code work = iota
	tests
	docs
	research
)

// wish is one part of a task.
type wish struct {
	name, text string
	task       string // the objective that it comes from
	work       work
	follows    bool // its words refer to the wish before it
}

// wishes are the parts of a task, with what was said beside them, and how it was taken apart, as a clause.
func (t Task) wishes() (all []wish, beside, how string) {
	switch items, rest := listItems(t.Text); {
	case len(t.Objectives) > 0:
		for _, o := range t.Objectives {
			w := newWish(strings.TrimSpace(o.Name + "\n" + o.Text))
			w.name, w.task = flat(o.Name), flat(o.Name)
			all = append(all, w)
		}
		beside, how = t.Text, "along its open objectives"
	case len(items) > 1:
		for _, item := range items {
			all = append(all, newWish(item))
		}
		beside, how = rest, "along its own list"
	default:
		text := strings.TrimSpace(t.Text)
		if text == "" {
			text = t.Title
		}
		all, how = sentences(text), "where its sentences begin something new"
	}
	if len(all) == 0 {
		all = []wish{newWish(t.Title)}
	}
	return all, strings.TrimSpace(beside), how
}

func newWish(text string) wish {
	text = strings.TrimSpace(text)
	w := wish{text: text, work: workOf(text), follows: refersBack(text)}
	w.name = title(text)
	return w
}

// listLine finds the items of a list at any depth; those of deeper lists belong to the item above.
func listLine() *regexp.Regexp {
	return regexp.MustCompile(`^([ \t]*)(?:[-*+]|[0-9]{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)$`)
}

// listItems takes a list apart; rest is what stands before and after it.
func listItems(text string) (items []string, rest string) {
	form, indent := listLine(), -1
	var other []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		m := form.FindStringSubmatch(line)
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

// seam is where one sentence ends, or joins what may be a wish of its own.
func seam() *regexp.Regexp {
	return regexp.MustCompile(`(?:[.!?]["')]?\s+|\s*;\s*(?:and |then )*|\n\s*\n|,?\s+and then\s+|,?\s+then\s+|,?\s+and also\s+|,\s+and\s+|\s+and\s+|,\s+)`)
}

// sentences cuts text at its seams, where what follows begins with something to do.
func sentences(text string) []wish {
	var all []wish
	start := 0
	take := func(end int, then bool) {
		part := strings.TrimSpace(text[start:end])
		if part == "" {
			return
		}
		w := newWish(strings.TrimRight(part, " .;,"))
		w.follows = w.follows || then
		all = append(all, w)
	}
	then := false
	for _, at := range seam().FindAllStringIndex(text, -1) {
		mark := text[at[0]:at[1]]
		if strings.Count(text[:at[0]], "`")%2 == 1 || !beginsWork(text[at[1]:], mark) ||
			len(strings.Fields(text[start:at[0]])) < 2 {
			continue
		}
		take(at[0], then)
		start, then = at[1], strings.Contains(mark, "then")
	}
	take(len(text), then)
	return all
}

// beginsWork reports whether the text after a seam is something to do. A comma and "and" also join
// nouns, so they ask for more.
func beginsWork(text, mark string) bool {
	words := strings.Fields(text)
	for len(words) > 0 && slices.Contains([]string{"please", "also", "then", "finally", "first"},
		strings.ToLower(strings.Trim(words[0], ","))) {
		words = words[1:]
	}
	if len(words) < 2 {
		return false
	}
	verb, next := strings.ToLower(words[0]), strings.ToLower(strings.Trim(words[1], ".,"))
	weak := strings.Contains(mark, ",") || strings.Contains(mark, "and")
	switch {
	case slices.Contains(verbs(), verb):
		return true
	case slices.Contains(nounVerbs(), verb):
		return !weak || slices.Contains([]string{"a", "an", "the", "it", "its", "them", "all", "every", "each", "that",
			"this", "how", "what", "when", "new", "up", "out"}, next) || strings.HasPrefix(next, "`")
	}
	return false
}

func verbs() []string {
	return strings.Fields(`add implement write create make build introduce fix repair correct handle remove delete drop deprecate rename move
		refactor rewrite rework restructure simplify clean split extract unify update upgrade migrate port convert replace switch improve
		optimise optimize describe explain translate validate verify expose allow let enable disable extend investigate find analyse analyze
		evaluate reproduce teach generate render reject accept adapt adjust align apply avoid bring consolidate define ensure integrate keep provide
		publish reduce prevent stop turn wire`)
}

// nounVerbs are verbs that are as often nouns.
func nounVerbs() []string {
	return strings.Fields(`support change document test cover benchmark check log print show report return parse use cache compare research study review audit
		merge bump speed export import read list store load limit register sort format`)
}

// workOf tells the sort of work by its first words and its objects.
func workOf(text string) work {
	words := plainWords(prose(text))
	first := ""
	if len(words) > 0 {
		first = words[0]
	}
	has := func(any ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(any, w) })
	}
	making := slices.Contains([]string{"add", "write", "update", "extend", "improve", "create", "fix"}, first)
	switch {
	case slices.Contains([]string{"investigate", "research", "analyse", "analyze", "evaluate", "compare", "study",
		"audit"}, first) || first == "find" && has("out", "why"):
		return research
	case slices.Contains([]string{"document", "describe", "explain"}, first) ||
		making && has("docs", "documentation", "readme", "changelog", "tutorial", "manual", "guide"):
		return docs
	case (first == "test" || first == "cover") ||
		making && len(words) > 1 && slices.ContainsFunc(words[1:min(len(words), 5)], func(w string) bool {
			return w == "tests" || w == "test" || w == "coverage"
		}):
		return tests
	}
	return code
}

// prose is a text without the names of files and of code in it.
func prose(text string) string {
	var kept []string
	for _, t := range tokens(text) {
		if !t.quoted && !strings.Contains(t.text, "/") {
			kept = append(kept, t.text)
		}
	}
	return strings.Join(kept, " ")
}

// plainWords are the words of a text in small letters, without marks.
func plainWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// refersBack reports whether the text needs the one before it to be understood: an early pronoun,
// or one behind "for" and its like.
func refersBack(text string) bool {
	words := plainWords(text)
	for i, w := range words[:min(len(words), 8)] {
		pronoun := slices.Contains([]string{"it", "its", "them", "their", "these", "those"}, w)
		if pronoun && (i < 4 || slices.Contains([]string{"for", "of", "with", "about"}, words[i-1])) {
			return true
		}
	}
	return false
}

// title is the begin of a text as the name of a subtask.
func title(text string) string {
	const most = 60
	line := flat(strings.SplitN(strings.TrimSpace(text), "\n", 2)[0])
	line = strings.TrimRight(strings.ReplaceAll(line, "`", ""), " .;:,")
	if runes := []rune(line); len(runes) > most {
		line = string(runes[:most])
		if i := strings.LastIndexByte(line, ' '); i > most/2 {
			line = line[:i]
		}
		line += " …"
	}
	for i, r := range line {
		return string(unicode.ToUpper(r)) + line[i+len(string(r)):]
	}
	return ""
}
