package plan

import (
	"bytes"
	"delegate/internal/text/lazyregexp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"delegate/internal/text/budget"
	"delegate/scope"
)

// Parse reads a plan file and checks it whole, scopes and dependencies included.
// What is wrong with the plan is one *Faults;
// patterns of o that are no patterns are an error of their own, since the plan cannot mend them.
func Parse(data []byte, o Options) (*Plan, error) {
	if err := checkOptions(o); err != nil {
		return nil, err
	}
	if len(data) > MaxSize {
		return nil, &Faults{List: []Fault{{1,
			fmt.Sprintf("the plan has %d bytes, the limit is %d", len(data), MaxSize)}}}
	}
	if at := bytes.IndexByte(data, 0); at >= 0 {
		line := 1 + bytes.Count(data[:at], []byte("\n"))
		return nil, &Faults{List: []Fault{{line, "contains a NUL byte: this is no text"}}}
	}
	lines, faults := splitLines(data)
	p := &parser{faults: faults}
	for _, l := range lines {
		p.line(l)
	}
	p.end()
	b := builder{o: o, faults: p.faults}
	out := b.plan(p)
	if err := asError(b.faults); err != nil {
		return nil, err
	}
	return out, nil
}

func checkOptions(o Options) error {
	// The allowed pattern stands in for that of a subtask.
	_, err := scope.New(scope.Config{Allowed: []string{"any"}, Forbidden: o.Forbidden, Roots: o.Roots})
	if err != nil {
		return fmt.Errorf("check the configured patterns: %w", err)
	}
	return nil
}

// builder turns sections into subtasks and faults what they do not mean.
type builder struct {
	o      Options
	faults []Fault
}

func (b *builder) fault(at int, format string, args ...any) {
	b.faults = append(b.faults, Fault{at, fmt.Sprintf(format, args...)})
}

func (b *builder) plan(p *parser) *Plan {
	out := &Plan{Title: p.title, Reasoning: strings.Join(p.reasoning, "\n\n")}
	if len(p.sections) > maxSubtasks {
		b.fault(p.sections[maxSubtasks].line, "the plan has %d subtasks, the limit is %d", len(p.sections), maxSubtasks)
		return nil
	}
	lines := map[int]int{}
	depLines := map[int]int{}
	for _, s := range p.sections {
		if first, twice := lines[s.number]; twice && s.number > 0 {
			b.fault(s.line, "subtask number %d is used twice, first on line %d", s.number, first)
			s.number = 0
		}
		lines[s.number] = s.line
		depLines[s.number] = s.line
		if f := s.fields[fDependencies]; f != nil {
			depLines[s.number] = f.line
		}
		out.Subtasks = append(out.Subtasks, b.subtask(s))
	}
	b.faults = append(b.faults, graphOf(out.Subtasks).faults(depLines)...)
	return out
}

func (b *builder) subtask(s *section) Subtask {
	out := Subtask{
		Number:      s.number,
		Name:        s.name,
		Line:        s.line,
		Description: b.required(s, fDescription),
	}
	if b.o.Context == ContextRequired {
		out.Context = b.required(s, fContext)
	} else if f := s.fields[fContext]; f != nil {
		out.Context = f.text()
	}
	out.Type = TaskType(b.word(s, fType, string(Standard),
		[]string{string(Quick), string(Standard), string(Research), string(Orchestration)}))
	out.Complexity = b.word(s, fComplexity, Medium, []string{Low, Medium, High})
	out.Dependencies = b.dependencies(s)
	out.ExpectedOutputs = b.outputs(s)
	out.Task = b.single(s, fTask)
	out.Agent = b.agent(s)
	out.Budget = b.budget(s)
	out.On = b.on(s)
	out.Model, out.Effort = b.choice(s, fModel), b.choice(s, fEffort)
	b.scope(s, &out)
	return out
}

func (b *builder) agent(s *section) string {
	name := b.single(s, fAgent)
	switch {
	case strings.ContainsAny(name, " \t"):
		b.fault(s.fields[fAgent].line, "agent %q is not the name of a profile; name one, without spaces", name)
	case name != "" && len(b.o.Agents) > 0 && !slices.Contains(b.o.Agents, name):
		b.fault(s.fields[fAgent].line, "no agent profile is called %q; name one of %s, or write it under profiles in "+
			"the configuration", name, strings.Join(b.o.Agents, ", "))
	}
	return name
}

// on reads the engine that the subtask's turns run on.
func (b *builder) on(s *section) string {
	name := b.single(s, fOn)
	if name == "" || slices.Contains(b.o.Engines, name) {
		return name
	}
	b.fault(s.fields[fOn].line, "no engine is called %q; name one of %s, or write it under engines in the "+
		"configuration", name, strings.Join(b.o.Engines, ", "))
	return name
}

// choice reads a word that becomes an argument of the agent program, as it names its models.
func (b *builder) choice(s *section, name string) string {
	text := b.single(s, name)
	if err := CheckChoice(name, text); err != nil {
		b.fault(s.fields[name].line, "%s", err)
		return ""
	}
	return text
}

// CheckChoice says what is wrong with the value of a field such as Model, which becomes an argument of the agent
// program; "" is fine.
func CheckChoice(field, text string) error {
	if text != "" && (!chosen.MatchString(text) || utf8.RuneCountInString(text) > longestChoice) {
		return fmt.Errorf("%s %q is not one word of letters, digits and ._:/@+-[] that begins with a letter or digit",
			strings.ToLower(field), text)
	}
	return nil
}

// budget reads the field of that name.
func (b *builder) budget(s *section) string {
	text := b.single(s, fBudget)
	amount, err := ReadBudget(text)
	if err != nil {
		b.fault(s.fields[fBudget].line, "%s", err)
	}
	return amount
}

// ReadBudget reads what an agent may use up, such as 2 US$ or 500k tokens; "" is no limit.
func ReadBudget(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	amount, err := budget.Parse(text)
	if err != nil || amount.Off() {
		return "", fmt.Errorf("budget %q is none; %s", text, budget.Form)
	}
	return amount.String(), nil
}

var chosen = lazyregexp.New(`^[\pL\pN][\pL\pN._:/@+\[\]-]*$`)

const longestChoice = 200 // characters; counted apart, since a pattern with the bound takes megabytes

func (b *builder) required(s *section, name string) string {
	f := s.fields[name]
	if f == nil {
		b.fault(s.line, "subtask has no field %q", name)
		return ""
	}
	text := f.text()
	switch {
	case text == "" && name == fContext:
		b.fault(f.line, "field %q is empty; say what the agent must know, or start the plan with --no-context", name)
	case text == "":
		b.fault(f.line, "field %q is empty", name)
	}
	return text
}

func (b *builder) single(s *section, name string) string {
	f := s.fields[name]
	if f == nil {
		return ""
	}
	text, wrong := f.oneLine()
	if wrong != "" {
		b.fault(f.line, "%s", wrong)
	}
	return text
}

// word reads a field that takes one of a few words, whose absence means the fallback.
func (b *builder) word(s *section, name, fallback string, words []string) string {
	text := b.single(s, name)
	if text == "" {
		return fallback
	}
	at := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(text, w) })
	if at < 0 {
		b.fault(s.fields[name].line, "unknown %s %q; write one of: %s", name, text, strings.Join(words, ", "))
		return fallback
	}
	return words[at]
}

// dependencies reads numbers, also written as "#1" and "Subtask 1". Which of them exist is for the graph.
func (b *builder) dependencies(s *section) []int {
	f := s.fields[fDependencies]
	if f == nil {
		return nil
	}
	var out []int
	for _, item := range f.items() {
		text := item.text
		if len(text) > 7 && strings.EqualFold(text[:7], "subtask") {
			text = strings.TrimSpace(text[7:])
		}
		n, err := strconv.Atoi(strings.TrimPrefix(text, "#"))
		if err != nil || n <= 0 {
			b.fault(item.no, "dependency %q is not the number of a subtask", item.text)
			continue
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// outputs reads the expected outputs, which must be paths below the root or patterns of such:
// they are looked for in the agent's work.
func (b *builder) outputs(s *section) []string {
	f := s.fields[fOutputs]
	if f == nil {
		return nil
	}
	items := f.items()
	for _, item := range items {
		if _, err := scope.ParsePattern(item.text); err != nil {
			b.fault(item.no, "expected output: %v", err)
		}
	}
	return texts(items)
}

func (b *builder) scope(s *section, out *Subtask) {
	lists := map[string][]line{}
	for _, name := range []string{fAllowed, fForbidden} {
		if f := s.fields[name]; f != nil {
			lists[name] = f.items()
		}
	}
	out.Allowed, out.Forbidden = texts(lists[fAllowed]), texts(lists[fForbidden])
	if s.fields[fAllowed] == nil {
		b.fault(s.line, "subtask has no field %q", fAllowed)
		return
	}
	if len(out.Allowed) == 0 {
		b.fault(s.fields[fAllowed].line, "field %q is empty; name the paths that may be written", fAllowed)
		return
	}
	_, err := out.Scope(b.o)
	var bad *scope.FaultsError
	if err != nil && !errors.As(err, &bad) {
		b.fault(s.line, "scope: %v", err)
		return
	}
	if err != nil {
		for _, one := range bad.Faults {
			b.fault(patternLine(s, lists, one), "%v", one)
		}
	}
}

// patternLine finds where a refused pattern stands;
// a fault of several patterns together is put on their field.
func patternLine(s *section, lists map[string][]line, bad *scope.PatternError) int {
	for name, items := range lists {
		if !strings.EqualFold(name, bad.Field) {
			continue
		}
		for _, item := range items {
			if item.text == bad.Pattern {
				return item.no
			}
		}
		return s.fields[name].line
	}
	return s.line
}
