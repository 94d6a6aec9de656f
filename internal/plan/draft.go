package plan

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"delegate/internal/text/lazyregexp"
	"delegate/internal/text/shorten"
	"delegate/scope"
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

// The bounds of what a draft takes over, so that a plan stays one that can be read; in subtasks and in bytes.
const (
	maxParts       = 20
	maxDescription = 20_000
	maxOther       = 4_000
)

// fillIn stands where a text names no file. No file is there, and the analysis says so.
const fillIn = "fill-in/the-files/**"

// Draft returns a skeleton of a plan for a task, for a person to fill in: a subtask for each objective, or for each
// item of the list in its text, or else one, with the existing files, folders and new files that its words name.
// [Parse] accepts it with the same options. Where a text names none, the scope matches no file.
func Draft(t Task, f Facts, o Options) *Plan {
	out := &Plan{Title: cmp.Or(shorten.Bytes(flat(t.Title), 200), title(t.Text), "A task"),
		Reasoning: "Drafted without a planner: only the paths that the task names are filled in. Correct scopes, " +
			"contexts and the order."}
	parts, other := t.parts()
	if more := len(parts) - maxParts; more > 0 {
		parts = parts[:maxParts]
		out.Reasoning += fmt.Sprintf("\n%d further parts of the task are left out.", more)
	}
	for i, part := range parts {
		s := Subtask{Number: i + 1, Name: cmp.Or(shorten.Bytes(title(part.Name), 200), fmt.Sprintf("Part %d", i+1)),
			Description: shorten.Bytes(strings.TrimSpace(part.Text), maxDescription),
			Type:        Standard, Complexity: Medium}
		if isNone(strings.TrimSpace(clean(s.Description))) {
			s.Description = "Do this: " + s.Name
		}
		if task := flat(part.Name); len(t.Objectives) > 0 && !isNone(unquote(task)) {
			s.Task = task
		}
		s.Context = partOf + flat(out.Title) + "\n"
		if other != "" && flat(other) != flat(out.Title) {
			s.Context += "Said of the whole task:\n" + shorten.Bytes(other, maxOther) + "\n"
		}
		if s.Allowed, s.ExpectedOutputs = f.named(part.Name+"\n"+part.Text, o); len(s.Allowed) == 0 {
			s.Allowed = unfilled(o)
			s.Context += "FILL IN: the text names no file of the repository. Name the files or folders in Allowed, " +
				"and write here what the agent must know: where the code is, what was decided, what must not change.\n"
		}
		for _, before := range out.Subtasks {
			if overlap(before, s, o) {
				s.Dependencies = append(s.Dependencies, before.Number)
			}
		}
		out.Subtasks = append(out.Subtasks, s)
	}
	return out
}

// partOf begins the line of a drafted context that has the title of the whole task.
const partOf = "Part of: "

// parts are the objectives of a task, or the items of its list, or the whole, and what was said besides.
func (t Task) parts() (all []Objective, other string) {
	items, rest := listItems(t.Text)
	switch {
	case len(t.Objectives) > 0:
		for _, o := range t.Objectives {
			all = append(all, Objective{o.Name, o.Name + "\n" + o.Text})
		}
		return all, strings.TrimSpace(t.Text)
	case len(items) > 1:
		for _, item := range items {
			all = append(all, Objective{item, item})
		}
		return all, rest
	}
	text := cmp.Or(strings.TrimSpace(t.Text), t.Title)
	return []Objective{{text, text}}, ""
}

// listLine finds the items of a list at any depth; those of deeper lists belong to the item above.
var listLine = lazyregexp.New(`^([ \t]*)(?:[-*+]|[0-9]{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)$`)

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

// named returns patterns for what the words of a text name, and as outputs the files to make, or else the first.
func (f Facts) named(text string, o Options) (allowed, outputs []string) {
	var fresh []string
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return unicode.IsSpace(r) || r == '`' }) {
		word = strings.TrimRight(strings.Trim(word, `,;:!"'<>()“”„‘’`), ".?")
		pattern, isNew := f.pattern(word)
		if pattern == "" || slices.Contains(allowed, pattern) || !usable(append(slices.Clip(allowed), pattern), o) {
			continue
		}
		allowed = append(allowed, pattern)
		if isNew {
			fresh = append(fresh, pattern)
		}
	}
	if len(fresh) == 0 {
		fresh = allowed[:min(len(allowed), 1)]
	}
	return allowed, fresh
}

// pattern returns the pattern for a word that names a file, a folder, files by a glob, or a file to make in a folder
// that exists; "" for any other.
func (f Facts) pattern(word string) (pattern string, isNew bool) {
	folder := strings.TrimSuffix(strings.TrimSuffix(word, "**"), "/")
	within := func(dir string) bool {
		return slices.ContainsFunc(f.Files, func(name string) bool { return strings.HasPrefix(name, dir+"/") })
	}
	ends := slices.DeleteFunc(slices.Clone(f.Files), func(name string) bool {
		return name != word && !strings.HasSuffix(name, "/"+word)
	})
	switch {
	case slices.Contains(f.Files, word):
		return scope.Literal(word), false
	case strings.Contains(word, "/") && folder != "" && within(folder):
		return scope.Literal(folder) + "/**", false
	case strings.Contains(word, ".") && len(ends) == 1:
		return scope.Literal(ends[0]), false
	case strings.Contains(word, "/") && strings.Contains(word, "*"):
		sc, err := scope.New(scope.Config{Allowed: []string{word}})
		if err == nil && len(sc.Select(f.Files)) > 0 {
			return word, false
		}
	case path.Ext(word) != "" && path.Clean(word) == word && within(path.Dir(word)):
		return scope.Literal(word), true
	}
	return "", false
}

// unfilled is the scope that matches no file, inside of the configured roots.
func unfilled(o Options) []string {
	for _, root := range o.Roots {
		if inside := path.Join(fixedFolder(root+"/"), fillIn); usable([]string{inside}, o) {
			return []string{inside}
		}
	}
	return []string{fillIn}
}

// Unfilled are the numbers of the subtasks that still have what a draft puts where nothing was found in place of files.
func (p *Plan) Unfilled() (numbers []int) {
	for _, s := range p.Subtasks {
		unnamed := func(pattern string) bool { return strings.HasSuffix("/"+pattern, "/"+fillIn) }
		if slices.ContainsFunc(s.Allowed, unnamed) {
			numbers = append(numbers, s.Number)
		}
	}
	return numbers
}

// overlap reports two subtasks whose scopes can meet, or are refused.
func overlap(a, b Subtask, o Options) bool {
	scopeA, errA := a.Scope(o)
	scopeB, errB := b.Scope(o)
	if errA != nil || errB != nil {
		return true
	}
	_, meet := scope.Overlap(scopeA, scopeB)
	return meet
}

// usable reports patterns that a plan file can hold, that make a scope together, and of which the
// last allows something.
func usable(patterns []string, o Options) bool {
	last := patterns[len(patterns)-1]
	// without control characters, so that what has any comes back as another
	l := line{no: 1, text: joinList([]string{last})}
	if items := (&field{lines: []line{l}}).items(); len(items) != 1 || items[0].text != last {
		return false
	}
	if _, err := (Subtask{Allowed: patterns}).Scope(o); err != nil {
		return false
	}
	sc, err := (Subtask{Allowed: []string{last}}).Scope(o)
	return err == nil && !slices.ContainsFunc(sc.Warnings(), func(w scope.Warning) bool {
		return w.Kind == scope.WhollyForbidden
	})
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
