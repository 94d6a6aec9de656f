package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"delegate/change"
	"delegate/checkpoint"
	"delegate/conflict"
	"delegate/internal/control/session"
	"delegate/internal/land/candidate"
	"delegate/internal/land/review"
	"delegate/internal/project"
	"delegate/internal/text/lazyregexp"
	"delegate/internal/text/shorten"
	"delegate/internal/text/ui"
	"delegate/internal/turn/transcript"
	"delegate/internal/view/status"
	"delegate/registry"
)

// fact is one line above a question: what it is about, and what is so.
type fact struct {
	name, words string
	paint       func(string) string
}

// mostRows is how many rows stand above a question's answers, the question among them; the rest is behind `why`.
const mostRows = 10

// printFacts prints a title and the facts that have something to say; at a terminal in so many rows, where the longest
// give way. No number of rows cuts nothing.
func (a *app) printFacts(title string, facts []fact, most int) {
	facts = slices.DeleteFunc(facts, func(f fact) bool { return f.words == "" })
	widest, width := 0, a.term.Width()
	for _, f := range facts {
		widest = max(widest, len(f.name))
	}
	margin := 2 + widest + 2
	lines := make([][]string, len(facts))
	rows := 1
	for i, f := range facts {
		lines[i] = ui.Wrap(fmt.Sprintf("  %-*s  ", widest, f.name), f.words, margin, width)
		rows += len(lines[i])
	}
	for ; most > 0 && rows > most && width > 0; rows-- {
		longest := 0
		for i := range lines {
			if len(lines[i]) > len(lines[longest]) {
				longest = i
			}
		}
		l := lines[longest]
		if len(l) < 2 {
			break
		}
		end := len(l) - 2
		l[end] = ui.Cut(l[end]+" "+strings.TrimSpace(l[end+1]), width-1)
		if !strings.HasSuffix(l[end], "…") {
			l[end] += "…"
		}
		lines[longest] = l[:end+1]
	}
	if width > 0 {
		title = ui.Cut(title, width)
	}
	a.printf("\n%s\n", a.term.Bold(title))
	for i, f := range facts {
		for _, l := range lines[i] {
			if f.paint != nil {
				l = l[:margin] + f.paint(l[margin:])
			}
			a.printf("%s\n", l)
		}
	}
}

// printCandidate is what a person has to know of what would be merged, in a few lines. Where nobody can ask for more,
// all of it follows.
func (a *app) printCandidate(p *project.Project, state registry.State, c candidate.Candidate) {
	var facts []fact
	for _, m := range c.Members {
		facts = append(facts, a.saysOf(p, state, c, m), reportNotes(p, state, c, m))
		if c.Kind == candidate.Landing && p.Gone(m.Agent) {
			words := fmt.Sprintf("is gone; its work is in %.12s, and a yes merges that. To make it again: delegate "+
				"restore %s", m.Head, m.Agent.Name)
			facts = append(facts, fact{"worktree", words, a.term.Yellow})
		}
	}
	facts = append(facts, pushedOf(state, c), fact{name: "message", words: text(c.Message)},
		fact{name: "changes", words: changesText(filesOf(c))}, a.conflictsOf(state, c), a.testsOf(p, c))
	for _, m := range c.Members {
		if c.Kind != candidate.Rollback {
			facts = append(facts, a.refusedOf(m.Agent)...)
		}
	}
	for _, rule := range []struct{ name, rule string }{{"runs", review.RuleRuns}, {"history", review.RuleHistory}} {
		facts = append(facts, fact{rule.name, remarksText(ofRule(c.Review, rule.rule)), a.term.Yellow})
	}
	facts = append(facts, fact{"review", remarksText(ofRule(c.Review, "")), a.term.Yellow}, usedBy(c))
	if c.TargetFails() {
		a.printf("\n")
		a.printWrapped("", a.term.Red(targetFails(c)), 0)
	}
	a.printFacts(headline(c), facts, mostRows-1+len(c.Members)-1)
	if !a.term.Interactive() {
		a.printf("\n")
		a.printWhy(p, state, c)
	}
}

// headline names the work by its titles, and the agents.
func headline(c candidate.Candidate) string {
	if len(c.Members) > 1 {
		return fmt.Sprintf("%s together into %s (%s)", agentsOf(c), c.TargetName(), c.Title())
	}
	ag := c.Members[0].Agent
	title := text(ag.Subtask)
	if c.Kind == candidate.Rollback {
		title = fmt.Sprintf("Take back out of %s: %s", c.TargetName(), title)
	}
	return fmt.Sprintf("%s (%s, %s)", title, ag.Name, ag.ID)
}

// agentsOf names a candidate's agents.
func agentsOf(c candidate.Candidate) string {
	names := make([]string, len(c.Members))
	for i, m := range c.Members {
		names[i] = m.Agent.Name
	}
	return strings.Join(names, ", ")
}

// filesOf is what a candidate changes; of one that does not merge, what its agents did.
func filesOf(c candidate.Candidate) []change.File {
	if c.Tree != "" {
		return c.Changes
	}
	var all []change.File
	for _, m := range c.Members {
		all = append(all, m.Work.Files...)
	}
	return all
}

// changesText is the files with what came and went, in one line.
func changesText(files []change.File) string {
	if len(files) == 0 {
		return "none"
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = name(f) + modeNote(f)
	}
	added, removed := lines(files)
	return fmt.Sprintf("%s, +%d −%d: %s", ui.Plural(len(files), "file"), added, removed, strings.Join(names, ", "))
}

// saysOf is an agent's own words, and whether its report holds. What is taken back out of the target says nothing.
func (a *app) saysOf(p *project.Project, state registry.State, c candidate.Candidate, m candidate.Member) fact {
	if c.Kind == candidate.Rollback {
		return fact{}
	}
	report := status.ReportOf(p, state, m.Agent)
	f := fact{name: "says"}
	var parts []string
	differs := m.Agent.Flags.Has(registry.FlagNoNewWork)
	if differs {
		parts = append(parts, "It "+status.Idle+".")
	}
	if report.Summary != "" {
		parts = append(parts, `"`+text(shorten.Runes(transcript.Spoken(report.Summary), transcript.MostSummary))+`"`)
	}
	if matches, wrong := claimsText(report); matches != "" {
		parts, differs = append(parts, matches), differs || wrong
	}
	if doubts := append(openIn(report), doubtsOf(p, state, m)...); len(doubts) > 0 {
		parts, differs = append(parts, "Note: "+strings.Join(doubts, "; ")+"."), true
	}
	if differs {
		f.paint = a.term.Yellow
	}
	f.words = strings.Join(parts, " ")
	if len(c.Members) > 1 {
		f.words = fmt.Sprintf("%s: %s", m.Agent.Name, cmp.Or(f.words, "nothing"))
	}
	return f
}

// openIn is what an agent's last report names as open, whatever it says of its work.
func openIn(r status.Report) (open []string) {
	block, err := checkpoint.Parse(r.Block)
	if err != nil {
		return nil
	}
	for _, part := range [][2]string{{"is blocked by", block.Blockers}, {"asks", block.Questions}} {
		if part[1] != "" {
			words := text(shorten.Runes(project.OneLine(part[1]), transcript.MostSummary))
			open = append(open, fmt.Sprintf(`its report %s: "%s"`, part[0], words))
		}
	}
	return open
}

// claimsText says in a sentence whether an agent's claims are what there is.
func claimsText(r status.Report) (sentence string, differs bool) {
	var wrong []string
	for _, row := range r.Claims {
		if row.Differs {
			wrong = append(wrong, rowSubject(row))
		}
	}
	switch {
	case len(wrong) == 1:
		return fmt.Sprintf("1 claim differs from the diff: %s.", wrong[0]), true
	case len(wrong) > 1:
		return fmt.Sprintf("%d claims differ from the diff: %s.", len(wrong), strings.Join(wrong, ", ")), true
	case slices.ContainsFunc(r.Claims, func(row checkpoint.Row) bool {
		return row.Kind == checkpoint.RowFile && row.Claimed == ""
	}):
		return "Its report does not list the files that it changed.", false
	case len(r.Claims) > 0:
		return "Its report matches the diff.", false
	}
	return "", false
}

// doubtsOf are what else is known against an agent's work, but what its claims say.
func doubtsOf(p *project.Project, state registry.State, m candidate.Member) []string {
	doubts := m.Agent.Flags.Without(registry.FlagContradicted, registry.FlagIntegrated, registry.FlagNoNewWork).Words()
	if words := session.ViolationWords(p, state.Session.ID, m.Agent); words != "" {
		doubts = append(doubts, words)
	}
	return doubts
}

// conflictsOf is what the work does to the target and to agents that are not merged.
func (a *app) conflictsOf(state registry.State, c candidate.Candidate) fact {
	f := fact{name: "conflicts"}
	if c.Kind == candidate.Rollback {
		return f
	}
	var parts []string
	real := conflictsWith(c)
	for _, found := range real {
		what := forPeople(state, found.Message)
		switch {
		case found.Blocking && len(c.Open()) == 0: // what blocks is told in full below
			what = "One with " + sideBelow(state, found, c) + " blocks"
		case a.printed[what]:
			what = "With " + sideBelow(state, found, c) + " " + asAbove
		}
		parts = append(parts, sure(what, string(found.Certainty)))
		if f.paint = a.term.Yellow; found.Blocking {
			f.paint = a.term.Red
		}
	}
	if len(real) == 0 {
		parts = append(parts, "none with "+c.TargetName()+".")
	}
	for _, m := range c.Members {
		for _, found := range m.Findings {
			if isClean(found) {
				parts = append(parts, forPeople(state, found.Message))
			}
		}
		for _, r := range m.Resolved {
			parts = append(parts, forPeople(state, r.String())+".")
		}
	}
	for _, found := range c.Others {
		if isClean(found) {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(found.Agents), func(id string) bool {
			return slices.Contains(c.IDs(), id)
		})
		what, who := forPeople(state, found.Message), strings.Join(state.NamesOf(others), ", ")
		if a.printed[what] {
			what = "With " + who + " " + asAbove
		}
		parts = append(parts, sure(what, fmt.Sprintf("%s; %s is not merged yet", found.Certainty, who)))
	}
	f.words = strings.Join(parts, " ")
	return f
}

// conflictsWith are the conflicts with the target, without what git merges.
func conflictsWith(c candidate.Candidate) []conflict.Finding {
	return slices.DeleteFunc(append(findingsOf(c), c.Attribution.Findings...), isClean)
}

// findingsOf are those between the candidate's agents and what lies below each.
func findingsOf(c candidate.Candidate) (all []conflict.Finding) {
	for _, m := range c.Members {
		all = append(all, m.Findings...)
	}
	return all
}

// isClean says that both sides change a file and git merges that: no conflict, and worth a look.
func isClean(f conflict.Finding) bool {
	return f.Type == conflict.FileConflict && f.Severity != conflict.Error && f.Certainty != conflict.Unknown
}

// sure puts how sure a sentence is behind it.
func sure(sentence, how string) string {
	return strings.TrimSuffix(sentence, ".") + " (" + how + ")."
}

// commitIDs are whole ids of commits, as a person or a program names the tips of a comparison.
var commitIDs = lazyregexp.New(`\b([0-9a-f]{40}|[0-9a-f]{64})\b`)

// forPeople is a finding's text for people: agents by their names, the target by the name of its branch, commits by
// short ids.
func forPeople(state registry.State, s string) string {
	s = commitIDs.ReplaceAllStringFunc(text(s), func(id string) string { return id[:12] })
	if state.Session == nil {
		return s
	}
	return conflict.OnBranch(state.WithNames(s), state.Session.Target)
}

// forAgent is a finding's text for an agent: others by their names, itself by the id that it knows, and the branch by
// its name.
func (a *app) forAgent(to registry.Agent, s string) string {
	state := a.state
	state.Agents = slices.DeleteFunc(slices.Clone(state.Agents), func(ag registry.Agent) bool { return ag.ID == to.ID })
	if state.Session != nil {
		s = conflict.OnBranch(s, state.Session.Target)
	}
	return state.WithNames(s)
}

// testsOf is what the verify commands say of what would be merged.
func (a *app) testsOf(p *project.Project, c candidate.Candidate) fact {
	style, t, f := a.term.Style, c.Tests, fact{name: "tests"}
	switch t.Result {
	case project.Pass:
		commands, verb := "the verify commands", "pass"
		if list := p.Config.Verify; len(list) > 0 {
			commands = text(strings.Join(list, "; "))
			if len(list) == 1 {
				verb = "passes"
			}
		}
		f.words, f.paint = fmt.Sprintf("%s on the merged result (%s): %s", verb, passedHow(t), commands), style.Green
		if len(t.Flaky) > 0 {
			f.words, f.paint = f.words+"; not every time: "+flakes(t), style.Yellow
		}
	case project.Fail:
		of := ""
		if c.TargetFails() {
			of = ", as on " + c.TargetName() + " alone"
		}
		f.words = fmt.Sprintf("fails on the merged result%s (%s): %q: %s", of, t.Reason, t.Command,
			text(lastLine(project.Tail(t.Output, 12))))
		f.paint = style.Red
	case project.NoCommands:
		f.words = "none were run: " + untested(t)
	}
	return f
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// refusedOf is what an agent tried and was refused, and what would allow it.
func (a *app) refusedOf(ag registry.Agent) []fact {
	tried := status.Tried(ag.Refused, ag.RefusedCalls)
	if tried == "" {
		return nil
	}
	facts := []fact{{"refused", text("tried " + tried), a.term.Yellow}}
	if beyond := a.opened.Beyond(ag); len(beyond) > 0 {
		facts = append(facts, fact{"careful", text(status.BeyondText(ag, beyond)), a.term.Red})
	}
	for _, way := range status.Allowing(a.opened, ag).Each() {
		facts = append(facts, fact{name: "to allow", words: text(way)})
	}
	return facts
}

// ofRule are the remarks of a rule; without one, those of all rules that have no line of their own.
func ofRule(all []review.Remark, rule string) []review.Remark {
	return slices.DeleteFunc(slices.Clone(all), func(r review.Remark) bool {
		if rule == "" {
			return r.Rule == review.RuleRuns || r.Rule == review.RuleHistory
		}
		return r.Rule != rule
	})
}

// remarksText is remarks in one line. What runs by itself is known by its path.
func remarksText(all []review.Remark) string {
	var parts, paths []string
	for _, r := range all {
		if r.Rule != review.RuleRuns {
			parts = append(parts, text(r.String()))
		} else if !slices.Contains(paths, pathText(r.Path)) {
			paths = append(paths, pathText(r.Path))
		}
	}
	switch len(paths) {
	case 0:
	case 1:
		parts = append(parts, paths[0]+" runs by itself once merged")
	default:
		parts = append(parts, strings.Join(paths, ", ")+" run by themselves once merged")
	}
	return strings.Join(parts, "; ")
}

// printWhy is everything that is known of what would be merged.
func (a *app) printWhy(p *project.Project, state registry.State, c candidate.Candidate) {
	for _, m := range c.Members {
		a.printMember(p, state, c, m)
	}
	if len(c.Members) > 1 {
		a.printf("%s\n", a.term.Bold("All of them"))
		a.printFiles(c.Changes)
	}
	a.printRemarks(c.Review)
	if len(c.Others) > 0 {
		a.printf("Conflicts with unmerged agents (not blocking):\n")
		a.printFindings(named(state, c.Others))
	}
	if c.TargetFails() {
		a.linef(a.term.Red, "%s.", targetFails(c))
	}
	for _, name := range c.Attribution.Broken {
		a.linef(a.term.Yellow, "%s fails by itself, without the other.", forPeople(state, name))
	}
	if len(c.Attribution.Findings) > 0 {
		a.printf("Whose change breaks whose test (%s):\n", ui.Plural(c.Attribution.Runs, "test run"))
		a.printFindings(named(state, c.Attribution.Findings))
	}
	a.printTests(c)
}

// printMember is everything about one agent's part.
func (a *app) printMember(p *project.Project, state registry.State, c candidate.Candidate, m candidate.Member) {
	style := a.term.Style
	a.printf("%s\n", style.Bold(fmt.Sprintf("%s, %s", m.Agent.Name, m.Agent.ID)))
	if m.Head != "" {
		onto := fmt.Sprintf("%s at %.12s", c.TargetName(), c.Tip)
		if m.Base != c.Tip {
			onto = "what the agents before it make"
		}
		a.printf("%.12s into %s\n", m.Head, onto)
	}
	files := m.Changes
	if m.Tree == "" {
		files = m.Work.Files
	}
	a.printFiles(files)
	if c.Kind == candidate.Landing {
		a.printReport(status.ReportOf(p, state, m.Agent))
		for _, missing := range session.ReadReport(p, state.Session.ID, m.Agent).Missing {
			a.linef(style.Yellow, "Expected output missing: %s", text(missing))
		}
		for _, doubt := range doubtsOf(p, state, m) {
			a.linef(style.Yellow, "Note: %s", text(doubt))
		}
	}
	for _, r := range m.Resolved {
		a.printf("%s\n", text(r.String()))
	}
	if len(m.Findings) > 0 {
		a.printf("With %s:\n", c.TargetName())
		a.printFindings(named(state, m.Findings))
	}
}

// printTests is what the verify commands printed last.
func (a *app) printTests(c candidate.Candidate) {
	const shown = 20
	if c.Tests.Output == "" || c.Tests.Result == project.NoCommands {
		return
	}
	a.printf("The verify commands printed last (%s):\n", c.Tests.Output)
	a.printQuoted(ui.Clean(strings.TrimSpace(project.Tail(c.Tests.Output, shown))))
}

func rowSubject(r checkpoint.Row) string {
	switch r.Kind {
	case checkpoint.RowTests:
		return "tests"
	case checkpoint.RowWork:
		return "that work was done"
	}
	return pathText(r.Path)
}
