package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Draft makes a first plan of a task without a planner: from what its text names, and what the
// repository says about that.
// It is for a person to correct; [Parse] accepts it with the same options.
// Where nothing fits, the subtask says what to fill in, and its scope matches no file.
func Draft(t Task, f Facts, o Options) *Plan {
	a := newAtlas(f)
	wishes, beside, how := t.wishes()
	var notes []string
	if more := len(wishes) - mostWishes; more > 0 {
		notes = append(notes, fmt.Sprintf(
			"%d further parts of the task are not in this plan; it would be too long to read.", more))
		wishes = wishes[:mostWishes]
	}
	var claims []*claim
	for _, w := range wishes {
		claims = append(claims, a.search(w))
	}
	claims, joined := a.join(claims)
	if len(claims) == 1 && len(t.Objectives) == 0 {
		if claims = a.apart(claims[0]); len(claims) > 1 {
			how = "along the places that it names, which do not need each other both ways"
		}
	}
	a.follow(claims)
	for _, c := range claims {
		a.widen(c)
	}
	a.share(claims)
	a.order(claims)
	p := &Plan{Title: orElse(cut(flat(t.Title), 200), orElse(title(t.Text), "A task")), Subtasks: a.settle(claims, o)}
	for i, c := range claims {
		p.Subtasks[i] = a.finish(p.Subtasks[i], c, o)
		p.Subtasks[i].Context = a.context(c, p.Title, beside)
	}
	p.Reasoning = reasoning(p, claims, slices.Concat(joined, notes, gaps(f)), how)
	return p
}

// order lets tests wait for an earlier claim about what they test.
func (a *atlas) order(claims []*claim) {
	for i, c := range claims {
		for j := range i {
			if c.work == tests && slices.ContainsFunc(c.seeds, func(s string) bool {
				return slices.ContainsFunc(claims[j].seeds, func(o string) bool {
					return slices.Contains(a.mates.of(o), s)
				})
			}) {
				c.after(j, i, fmt.Sprintf("it tests what %q is about", claims[j].name))
			}
		}
	}
}

func orElse(text, other string) string {
	if flat(text) == "" {
		return other
	}
	return text
}

// cut bounds a text, visibly.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " …"
}

// The bounds of what a draft takes over, so that a plan stays one that can be read.
const (
	mostDescription = 20_000
	mostBeside      = 4_000
	mostNotes       = 14
)

// finish fills in everything but the scope and the context.
func (a *atlas) finish(s Subtask, c *claim, o Options) Subtask {
	s.Name = orElse(cut(c.name, 200), fmt.Sprintf("Part %d", s.Number))
	s.Description = cut(strings.TrimSpace(c.text), mostDescription)
	if isNone(strings.TrimSpace(clean(s.Description))) {
		s.Description = "Do this: " + s.Name
	}
	s.Type, s.Complexity = Standard, Medium
	files := len(a.filesOf(c)) + len(c.fresh)
	words := plainWords(c.text)
	heavy := slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains(strings.Fields(
			"refactor rewrite rework redesign migrate port replace restructure everywhere"), w)
	})
	small := len(words) > 0 && slices.Contains(strings.Fields("rename bump fix remove delete correct"), words[0])
	switch {
	case c.work == research:
		s.Type = Research
	case c.work == docs:
		s.Type, s.Complexity = Quick, Low
	case heavy || files > 10:
		s.Complexity = High
	case c.lost():
	case files <= 3 && small:
		s.Type, s.Complexity = Quick, Low
	case files <= 2 || c.work == tests:
		s.Complexity = Low
	}
	if t := flat(c.task); !isNone(unquote(t)) {
		s.Task = t
	}
	s.ExpectedOutputs = a.outputs(s, c, o)
	return s
}

// outputs are what there is when the work is done: the files to make, or else those that the task is about.
func (a *atlas) outputs(s Subtask, c *claim, o Options) []string {
	sc, err := s.Scope(o)
	if err != nil {
		return nil
	}
	const most = 4
	var out []string
	for _, f := range slices.Concat(c.seeds[:min(len(c.seeds), most/2)], c.fresh) {
		if len(out) < most && sc.Check(f).Allowed && usable([]string{escape(f)}, o) {
			out = append(out, escape(f))
		}
	}
	if len(out) == 0 && !c.lost() {
		out = slices.Clone(s.Allowed[:1])
	}
	return out
}

// context is what the agent is told beside its task, and where nothing was found, what the person has to say.
func (a *atlas) context(c *claim, whole, beside string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Part of: %s\n", flat(whole))
	if beside != "" && flat(beside) != flat(whole) {
		fmt.Fprintf(&b, "Said of the whole task:\n%s\n", cut(beside, mostBeside))
	}
	if c.lost() {
		b.WriteString("FILL IN: nothing that the text names was found in the repository. " +
			"Name the files or folders in Allowed, and write here what the agent must know: where the code is, what " +
			"was decided, what must not change.\n")
		for _, line := range c.why {
			fmt.Fprintf(&b, "- %s\n", clean(flat(line)))
		}
		return b.String()
	}
	b.WriteString("Found in the repository:\n")
	for i, line := range c.why {
		if i == mostNotes {
			fmt.Fprintf(&b, "- and %d more\n", len(c.why)-i)
			break
		}
		fmt.Fprintf(&b, "- %s\n", flat(line))
	}
	if users := a.usersOf(c); len(users) > 0 {
		b.WriteString("Used from outside, so keep what they need or say that it changes:\n")
		for _, line := range users {
			fmt.Fprintf(&b, "- %s\n", flat(line))
		}
	}
	return b.String()
}

// usersOf names the first places outside of a claim that use what it is about.
func (a *atlas) usersOf(c *claim) []string {
	own := map[string]bool{}
	for _, f := range a.filesOf(c) {
		own[f] = true
	}
	const most = 4
	var out []string
	more := 0
	for _, s := range c.seeds {
		from := map[string]bool{}
		for _, l := range a.needed[s] {
			if own[l.From] || from[l.From] || a.mates.tests[l.From] || l.Symbol == "" {
				continue
			}
			from[l.From] = true
			if len(out) == most {
				more++
				continue
			}
			out = append(out, fmt.Sprintf("%s:%d uses %s of %s", l.From, l.Line, l.Symbol, s))
		}
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("and %d more files", more))
	}
	return out
}

// reasoning says how the plan came about, and what a person has to do with it.
func reasoning(p *Plan, claims []*claim, notes []string, how string) string {
	var b strings.Builder
	b.WriteString("Drafted from the words of the task, the code and its history, without a planner. Read it as a " +
		"proposal: correct scopes, contexts and the order.\n\n")
	if len(claims) > 1 {
		fmt.Fprintf(&b, "It is split %s.\n", how)
	} else {
		b.WriteString("It is one subtask: the text names one thing to do, or things that are in the same files. " +
			"To split it, write the parts as a list, or name the folders that can be worked on apart.\n")
	}
	for i, c := range claims {
		if c.lost() {
			fmt.Fprintf(&b, "Subtask %d: nothing of its text was found in the repository. Fill in Allowed and "+
				"Context before you start.\n", i+1)
		}
		for k, d := range c.deps {
			fmt.Fprintf(&b, "Subtask %d comes after %d: %s.\n", i+1, d+1, flat(c.because[k]))
		}
		if f := p.Subtasks[i].Forbidden; len(f) > 0 {
			fmt.Fprintf(&b, "Subtask %d leaves to others: %s.\n", i+1, strings.Join(f, ", "))
		}
	}
	for _, n := range notes {
		b.WriteString(flat(n) + "\n")
	}
	return strings.TrimSpace(b.String())
}

func gaps(f Facts) []string {
	var out []string
	for _, g := range f.Gaps {
		out = append(out, "Not looked at: "+g+".")
	}
	return out
}
