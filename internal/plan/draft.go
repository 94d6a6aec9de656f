package plan

import (
	"fmt"
	"slices"
	"strings"

	"delegate/internal/shorten"
)

// lookUp finds what the text of a goal is about: what it names, or else where its words stand.
func (x *repoIndex) lookUp(g goal) *proposal {
	p := &proposal{goal: g, named: map[string]bool{}, spoken: plainWords(g.text)}
	slices.Sort(p.spoken)
	p.spoken = slices.Compact(p.spoken)
	for _, t := range tokens(g.text) {
		if t.text == "" || strings.Contains(t.text, "://") || strings.ContainsAny(t.text, " \t\n\\") ||
			x.byPath(p, t) || x.byModule(p, t) {
			continue
		}
		x.bySymbol(p, t)
	}
	x.byPhrase(p)
	for _, s := range p.seeds {
		p.named[s] = true
	}
	if p.lost() || len(p.seeds)+len(p.patterns) == 0 && (g.kind == docs || g.kind == tests) {
		x.byWords(p)
	}
	if p.lost() && p.within != "" {
		x.addLargeFolder(p, p.within)
	}
	switch g.kind {
	case docs:
		x.onlyDocs(p)
	case tests:
		x.onlyTests(p)
	}
	if more := len(p.seeds) - maxSeeds; more > 0 {
		p.note("%d further files fit as well; add those that are needed", more)
		p.seeds = p.seeds[:maxSeeds]
	}
	return p
}

// Draft makes a first plan of a task without a planner: from what its text names, and what the
// repository says about that. It is for a person to correct; [Parse] accepts it with the same
// options. Where nothing fits, the subtask says what to fill in, and its scope matches no file.
func Draft(t Task, f Facts, o Options) *Plan {
	x := newRepoIndex(f)
	goals, other, how := t.goals()
	var proposals []*proposal
	for _, g := range goals[:min(len(goals), maxGoals)] {
		proposals = append(proposals, x.lookUp(g))
	}
	proposals, notes := merge(proposals)
	if more := len(goals) - maxGoals; more > 0 {
		notes = append(notes, fmt.Sprintf(
			"%d further parts of the task are not in this plan; it would be too long to read.", more))
	}
	for _, gap := range f.Gaps {
		notes = append(notes, "Not read: "+gap+".")
	}
	if len(proposals) == 1 && len(t.Objectives) == 0 {
		if proposals = x.splitByPlace(proposals[0]); len(proposals) > 1 {
			how = "along the places that it names, which do not need each other both ways"
		}
	}
	order(proposals)
	for _, p := range proposals {
		x.addRelated(p)
	}
	x.share(proposals)
	p := &Plan{Title: orElse(shorten.Bytes(flat(t.Title), 200), orElse(title(t.Text), "A task")),
		Subtasks: x.subtasks(proposals, o)}
	for i, one := range proposals {
		x.describe(&p.Subtasks[i], one, o)
		p.Subtasks[i].Context = x.context(one, p.Title, other)
	}
	p.Reasoning = reasoning(proposals, notes, how)
	return p
}

func orElse(text, other string) string {
	if flat(text) == "" {
		return other
	}
	return text
}

// The bounds of what a draft takes over, so that a plan stays one that can be read.
const (
	maxDescription = 20_000
	maxOther       = 4_000
	maxNotes       = 14
)

// describe fills in everything but the scope and the context.
func (x *repoIndex) describe(s *Subtask, p *proposal, o Options) {
	s.Name = orElse(shorten.Bytes(p.name, 200), fmt.Sprintf("Part %d", s.Number))
	s.Description = shorten.Bytes(strings.TrimSpace(p.text), maxDescription)
	if isNone(strings.TrimSpace(clean(s.Description))) {
		s.Description = "Do this: " + s.Name
	}
	s.Type, s.Complexity = Standard, Medium
	files := len(x.filesOf(p)) + len(p.fresh)
	switch {
	case p.kind == research:
		s.Type = Research
	case p.kind == docs:
		s.Type, s.Complexity = Quick, Low
	case files > 10:
		s.Complexity = High
	case !p.lost() && files <= 2 || p.kind == tests:
		s.Complexity = Low
	}
	if t := flat(p.objective); !isNone(unquote(t)) {
		s.Task = t
	}
	s.ExpectedOutputs = outputs(*s, p, o)
}

// outputs are the expected outputs: the files to make, or else the files that the task is about.
func outputs(s Subtask, p *proposal, o Options) []string {
	sc, err := s.Scope(o)
	if err != nil {
		return nil
	}
	const most = 4
	var out []string
	for _, f := range slices.Concat(p.seeds[:min(len(p.seeds), most/2)], p.fresh) {
		if len(out) < most && sc.Check(f).Allowed && usable([]string{escape(f)}, o) {
			out = append(out, escape(f))
		}
	}
	if len(out) == 0 && !p.lost() {
		out = slices.Clone(s.Allowed[:1])
	}
	return out
}

// context is the subtask's context: what the repository says of it, or what the person has to fill in.
func (x *repoIndex) context(p *proposal, whole, other string) string {
	var b strings.Builder
	list := func(lines []string) {
		for _, line := range lines {
			fmt.Fprintf(&b, "- %s\n", clean(flat(line)))
		}
	}
	fmt.Fprintf(&b, partOf+"%s\n", flat(whole))
	if other != "" && flat(other) != flat(whole) {
		fmt.Fprintf(&b, "Said of the whole task:\n%s\n", shorten.Bytes(other, maxOther))
	}
	if p.lost() {
		b.WriteString("FILL IN: nothing that the text names was found in the repository. " +
			"Name the files or folders in Allowed, and write here what the agent must know: where the code is, what " +
			"was decided, what must not change.\n")
		list(p.notes)
		return b.String()
	}
	b.WriteString("Found in the repository:\n")
	list(p.notes[:min(len(p.notes), maxNotes)])
	if more := len(p.notes) - maxNotes; more > 0 {
		list([]string{fmt.Sprintf("and %d more", more)})
	}
	return b.String()
}

// reasoning says how the plan came about, and what a person has to do with it.
func reasoning(proposals []*proposal, notes []string, how string) string {
	lines := []string{"Drafted from the words of the task, the code and its history, without a planner. Read it as a " +
		"proposal: correct scopes, contexts and the order.", ""}
	if len(proposals) > 1 {
		lines = append(lines, "It is split "+how+".")
	} else {
		lines = append(lines, "It is one subtask: the text names one thing to do, or things that are in the same "+
			"files. To split it, write the parts as a list, or name the folders that can be worked on apart.")
	}
	for i, p := range proposals {
		if p.lost() {
			lines = append(lines, fmt.Sprintf("Subtask %d: nothing of its text was found in the repository. Fill in "+
				"Allowed and Context before you start.", i+1))
		}
		for _, d := range p.deps {
			lines = append(lines, fmt.Sprintf("Subtask %d comes after %d: %s.", i+1, d.on+1, flat(d.why)))
		}
	}
	for _, n := range notes {
		lines = append(lines, flat(n))
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
