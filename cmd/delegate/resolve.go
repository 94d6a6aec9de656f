package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/control"
	"delegate/internal/land/candidate"
	"delegate/internal/land/threeway"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/registry"
)

// resolve asks about the clashes of a candidate that nobody has decided, file by file. True: there
// are new answers, so the candidate is to be built anew. False without an error: its agent was sent
// back or given up, and nothing is left to land. If a clash stays open the error is a
// *candidate.BlockedError, whose reasons were shown.
func (a *app) resolve(ctx context.Context, who control.Control, state registry.State,
	c candidate.Candidate) (again bool, err error) {
	for i, m := range c.Members {
		if len(m.Open) == 0 {
			continue // the member after one that does not merge was not looked at
		}
		if s := m.Agent.Status; s != registry.Complete && s != registry.Failed {
			a.printBlocks(state, c) // it could not land if nothing clashed
			return false, &shownError{&candidate.BlockedError{Agent: c.Title(), Reasons: c.Blocks()}}
		}
		return a.resolver(who, c, i).all(ctx)
	}
	return false, nil
}

// resolver is the dialogue about one agent's clashes with what lies below it.
type resolver struct {
	*app
	who      control.Control
	memory   *threeway.Resolutions
	member   candidate.Member
	target   string             // the branch
	below    []candidate.Member // agents between it and the target
	resolved map[string]bool
	left     bool // the agent takes no part any more
}

// resolver is the dialogue about one member of a candidate.
func (a *app) resolver(who control.Control, c candidate.Candidate, member int) *resolver {
	return &resolver{app: a, who: who, memory: threeway.NewResolutions(who.P.Repo), member: c.Members[member],
		target: c.TargetName(), below: c.Members[:member]}
}

// shown is what a person calls a side: an agent by its name, the target by the name of its branch.
func (r *resolver) shown(side string) string {
	for _, m := range append(r.below[:len(r.below):len(r.below)], r.member) {
		if m.Agent.ID == side {
			return m.Agent.Name
		}
	}
	return r.target
}

// all goes through the clashes.
func (r *resolver) all(ctx context.Context) (bool, error) {
	r.resolved = map[string]bool{}
	agent, open := r.member.Agent, r.member.Open
	r.printf("\n%s\n", r.term.Bold(fmt.Sprintf("%s conflicts with %s in %s.", agent.Name, r.othersText(open),
		ui.Plural(len(open), "file"))))
	for _, c := range open {
		if r.resolved[c.Path] {
			continue
		}
		if err := r.one(ctx, c); err != nil || r.left {
			return false, err
		}
	}
	if len(r.resolved) == len(open) {
		return true, nil
	}
	var paths, reasons []string
	for _, c := range open {
		if !r.resolved[c.Path] {
			paths = append(paths, pathText(c.Path))
			reasons = append(reasons, fmt.Sprintf("%s conflicts with %s: %s", pathText(c.Path), r.shown(r.ours(c)),
				c.What()))
		}
	}
	if n := len(r.resolved); n > 0 {
		r.printf("%s of %d resolved and remembered.\n", ui.Plural(n, "file"), len(open))
	}
	r.linef(r.term.Red, "%s cannot be merged into %s; still in conflict: %s", agent.Name, r.target,
		strings.Join(paths, ", "))
	return false, &shownError{&candidate.BlockedError{Agent: agent.ID, Reasons: reasons}}
}

// ours is what the agent clashes with in a file: another agent of the candidate that changed it, or the target.
func (r *resolver) ours(c threeway.Clash) string {
	for _, m := range slices.Backward(r.below) {
		for _, f := range m.Changes {
			if f.Path == c.Path || f.BasePath() == c.Path {
				return m.Agent.ID
			}
		}
	}
	return project.TargetName
}

// otherSides are all that the agent clashes with.
func (r *resolver) otherSides(open []threeway.Clash) []string {
	var all []string
	for _, c := range open {
		if name := r.ours(c); !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// othersText names all that the agent conflicts with.
func (r *resolver) othersText(open []threeway.Clash) string {
	var all []string
	for _, side := range r.otherSides(open) {
		all = append(all, r.shown(side))
	}
	return strings.Join(all, " and ")
}

// one shows a clash and asks until there is an answer.
func (r *resolver) one(ctx context.Context, c threeway.Clash) error {
	r.show(c)
	agent := r.member.Agent.Name
	var answers []ui.Answer
	if c.Resolvable() {
		answers = append(answers, ui.Answer{Word: answerOf(threeway.ChooseOne),
			Help: "take the whole file of one side; the other side's change to it is left out"})
	}
	if c.Textual() {
		answers = append(answers, ui.Answer{Word: answerOf(threeway.ManualMerge),
			Help: "merge it yourself, with your merge tool or editor"})
	}
	skip := "leave it for later; nothing changes"
	if others := r.otherSides(r.member.Open); slices.Equal(others, []string{project.TargetName}) {
		answers = append(answers, ui.Answer{Word: answerOf(threeway.Sequential),
			Help: fmt.Sprintf("merge %s into %s's branch, with the conflict in its files, and ask the agent to fix it",
				r.target, agent)})
	} else {
		skip += fmt.Sprintf(" (%s becomes possible when the others are merged)", answerOf(threeway.Sequential))
	}
	answers = append(answers, ui.Answer{Word: answerOf(threeway.AbortAgent),
		Help: "cancel " + agent + "; its branch is kept"}, ui.Answer{Word: "skip", Help: skip})
	for {
		word, err := r.term.Choose(ctx,
			fmt.Sprintf("Resolve %s (%s with %s)?", pathText(c.Path), agent, r.shown(r.ours(c))), answers, "skip")
		if err != nil {
			return err
		}
		done, err := r.answered(ctx, c, methodOf(word))
		if done || err != nil {
			return err
		}
	}
}

// answerOf is the word that answers with a method; methodOf is the method that a word means.
func answerOf(m threeway.Method) string { return strings.ToLower(string(m)) }

func methodOf(word string) threeway.Method { return threeway.Method(strings.ToUpper(word)) }

// answered carries an answer out; false asks again.
func (r *resolver) answered(ctx context.Context, c threeway.Clash, m threeway.Method) (bool, error) {
	switch m {
	case threeway.ChooseOne:
		return r.choose(ctx, c)
	case threeway.ManualMerge:
		return r.byHand(ctx, c)
	case threeway.Sequential:
		return true, r.sendAfter(ctx)
	case threeway.AbortAgent:
		return r.giveUp(ctx)
	}
	return true, nil
}

// Answers about sides: what stands before one that is for all files, and what chooses none.
const wholeRest, neither = "all ", "back"

// choose takes one side's file, of this clash or of all that are open.
func (r *resolver) choose(ctx context.Context, c threeway.Clash) (bool, error) {
	mine, other := r.shown(r.member.Agent.ID), r.shown(r.ours(c))
	if mine == other || mine == neither || other == neither { // an agent may be called like the branch or an answer
		mine, other = r.member.Agent.ID, r.ours(c)
	}
	rest := r.like(c)
	answers := []ui.Answer{{Word: mine, Also: r.member.Agent.ID, Help: r.takes(c, threeway.TheirSide)},
		{Word: other, Also: r.ours(c), Help: r.takes(c, threeway.OurSide)}}
	if len(rest) > 1 {
		for _, one := range answers[:2:2] {
			answers = append(answers, ui.Answer{Word: wholeRest + one.Word, Also: wholeRest + one.Also,
				Help: fmt.Sprintf("the same for all %d files that are open between the two", len(rest))})
		}
	}
	answers = append(answers, ui.Answer{Word: neither, Help: "choose neither"})
	word, err := r.term.Choose(ctx, fmt.Sprintf("Take which side of %s?", pathText(c.Path)), answers, neither)
	if err != nil || word == neither {
		return false, err
	}
	name, whole := strings.CutPrefix(word, wholeRest)
	if !whole {
		rest = []threeway.Clash{c}
	}
	side := threeway.TheirSide
	if name == other {
		side = threeway.OurSide
	}
	why, err := r.why(ctx)
	if err != nil {
		return false, err
	}
	for _, one := range rest {
		if lost := r.lost(one, side); lost != "" {
			r.linef(r.term.Yellow, "%s", lost)
		}
		e := one.Stages[side]
		if err := r.remember(ctx, one, threeway.Resolution{Method: threeway.ChooseOne, Side: r.name(c, side),
			Why: why, Mode: e.Mode, ID: e.ID}); err != nil {
			return false, err
		}
	}
	return true, nil
}

// like are the open clashes that one file can answer and that are with the same other side.
func (r *resolver) like(c threeway.Clash) []threeway.Clash {
	var all []threeway.Clash
	for _, one := range r.member.Open {
		if one.Resolvable() && !r.resolved[one.Path] && r.ours(one) == r.ours(c) {
			all = append(all, one)
		}
	}
	return all
}

// takes says what the choice of a side does.
func (r *resolver) takes(c threeway.Clash, side int) string {
	if c.Stages[side].ID == "" {
		return "the file is deleted, as " + r.shown(r.name(c, side)) + " did"
	}
	return "the file as " + r.shown(r.name(c, side)) + " has it"
}

func (r *resolver) name(c threeway.Clash, side int) string {
	if side == threeway.TheirSide {
		return r.member.Agent.ID
	}
	return r.ours(c)
}

// lost says what the choice of a side leaves out.
func (r *resolver) lost(c threeway.Clash, side int) string {
	other := threeway.OurSide + threeway.TheirSide - side
	switch {
	case c.Stages[other].ID == "":
		return fmt.Sprintf("%s stays; its deletion by %s is left out.", pathText(c.Path), r.shown(r.name(c, other)))
	case c.Side(other) == nil, c.Stages[other].Mode == change.ModeSymlink:
		return fmt.Sprintf("The change of %s to %s is left out.", r.shown(r.name(c, other)), pathText(c.Path))
	}
	ins, del := change.Count(c.Side(threeway.BaseSide), c.Side(other))
	return fmt.Sprintf("The change of %s to %s is left out: %s.", r.shown(r.name(c, other)), pathText(c.Path),
		ui.Plural(ins+del, "line"))
}

// why asks for the reason, which is recorded.
func (r *resolver) why(ctx context.Context) (string, error) {
	return r.term.OptionalLine(ctx, "Reason for the record (Enter for none):")
}

// remember keeps an answer, so that the same clash is not asked about again, and records it.
func (r *resolver) remember(ctx context.Context, c threeway.Clash, answer threeway.Resolution) error {
	answer.Who, answer.When = r.who.Who, r.who.P.Now()
	kept, err := r.memory.Remember(ctx, c, answer)
	if err != nil {
		return err
	}
	details := fmt.Sprintf("%s: %s %s", c.Path, kept.Method,
		cmp.Or(kept.Side, "of "+r.member.Agent.ID+" and "+r.ours(c)))
	if kept.Side != "" {
		details += fmt.Sprintf(" (%s with %s)", r.member.Agent.ID, r.ours(c))
	}
	if err := r.record(ctx, details, kept.Why); err != nil {
		return err
	}
	r.resolved[c.Path] = true
	r.linef(r.term.Green, "%s", pathText(c.Path)+
		" is resolved; the same conflict is not asked about again (delegate sync resolutions).")
	return nil
}

func (r *resolver) record(ctx context.Context, details, why string) error {
	if why != "" {
		details += ": " + why
	}
	_, err := r.who.P.Store.Update(ctx, func(tx *registry.Tx) error {
		return tx.Record(registry.Event{Kind: registry.EventResolved, Agent: r.member.Agent.ID, Details: details,
			By: r.who.Who}, nil)
	})
	return err
}

// sendAfter has the agent adapt its work to what is below it.
func (r *resolver) sendAfter(ctx context.Context) error {
	why, err := r.term.OptionalLine(ctx, fmt.Sprintf("Message to %s, besides the list of conflicts (Enter for none):",
		r.member.Agent.Name))
	if err != nil {
		return err
	}
	ag, err := r.who.Adapt(ctx, r.member.Agent.ID, r.request(why))
	if err != nil {
		return err
	}
	r.left = true
	if err := r.record(ctx, fmt.Sprintf("%s: it adapts to %s", threeway.Sequential, r.target), why); err != nil {
		return err
	}
	r.printf("Merged %s into %s's branch and sent it back; it %s.\n", r.target, ag.Name, r.works(ag))
	return r.supervised(ctx, r.who.P)
}

// request is what the agent is told beside what came: which of its files clash, and the person's reason.
func (r *resolver) request(why string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Your work conflicts with what is on %s. Change it so that both changes do what they were made "+
		"for:\n", r.target)
	for _, c := range r.member.Open {
		fmt.Fprintf(&b, "- %s: %s\n", pathText(c.Path), c.What())
	}
	for _, f := range r.member.Findings {
		if f.Type != conflict.FileConflict && (f.Blocking || f.Edit != "" && f.Severity == conflict.Warning) {
			fmt.Fprintf(&b, "- %s: %s\n", f.Type, r.forAgent(r.member.Agent, text(f.ForAuthor())))
		}
	}
	if why != "" {
		b.WriteString("\n" + why + "\n")
	}
	return b.String()
}

// giveUp discards the agent's part; false if the person says no.
func (r *resolver) giveUp(ctx context.Context) (bool, error) {
	id := r.member.Agent.ID
	err := r.confirm(ctx, fmt.Sprintf("Abort %s?", r.member.Agent.Name), abortHelp, false)
	if errors.Is(err, errDeclined) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	why, err := r.why(ctx)
	if err != nil {
		return false, err
	}
	ag, err := r.who.Reject(ctx, id, cmp.Or(why,
		"conflicts with "+cmp.Or(strings.Join(r.otherSides(r.member.Open), " and "), r.target)))
	if err != nil {
		return false, err
	}
	r.left = true
	if err := r.record(ctx, string(threeway.AbortAgent), why); err != nil {
		return false, err
	}
	r.printf("%s\n", isAborted(ctx, r.who.P, ag))
	return true, nil
}

// show prints a clash: what each side made of the lines in question, and of what.
func (r *resolver) show(c threeway.Clash) {
	style := r.term.Style
	r.printf("\n%s  %s\n", style.Bold(pathText(c.Path)), c.What())
	if len(c.OtherPaths) > 0 {
		r.printf("  also at %s\n", text(strings.Join(c.OtherPaths, ", ")))
	}
	if !c.Resolvable() {
		r.printf("  No single file resolves this: have the agent fix it (%s), or cancel it (%s).\n",
			answerOf(threeway.Sequential), answerOf(threeway.AbortAgent))
		return
	}
	for _, side := range []int{threeway.OurSide, threeway.TheirSide} {
		r.printf("  %s %s\n", r.shown(r.name(c, side)), sideText(c, side))
	}
	const mostPlaces = 6
	hunks := c.Hunks()
	for i, h := range hunks {
		if i == mostPlaces {
			r.printf("  … and %s more\n", ui.Plural(len(hunks)-i, "place"))
			break
		}
		r.lines(r.shown(r.name(c, threeway.OurSide)), style.Yellow, h.Ours, h.OurLine)
		r.lines("base", style.Dim, h.Base, 0)
		r.lines(r.shown(r.name(c, threeway.TheirSide)), style.Green, h.Theirs, h.TheirLine)
	}
	if side, alone := c.Lone(); alone {
		r.lines("as "+r.shown(r.name(c, side))+" has it", style.Green, string(c.Side(side)), 1)
	}
}

// sideText says what one side did to the file.
func sideText(c threeway.Clash, side int) string {
	base, here := c.Stages[threeway.BaseSide], c.Stages[side]
	switch {
	case here.ID == "":
		return "deleted it"
	case here.Mode == change.ModeSymlink:
		return "has a symbolic link to " + text(string(c.Side(side)))
	}
	did := "changed it"
	if base.ID == "" {
		did = "added it"
	}
	if ins, del := change.Count(c.Side(threeway.BaseSide), c.Side(side)); ins+del > 0 {
		did += fmt.Sprintf(" (+%d -%d)", ins, del)
	}
	if here.Mode == change.ModeExecutable && base.Mode != change.ModeExecutable {
		did += ", as a program"
	}
	return did
}

// lines prints a few lines of a side with their numbers.
func (r *resolver) lines(name string, paint func(string) string, content string, first int) {
	const most = 12
	r.printf("    %s\n", r.term.Bold(name))
	if content == "" {
		r.printf("          %s\n", r.term.Dim("nothing"))
	}
	n := 0
	for line := range strings.Lines(content) {
		if n == most {
			r.printf("          %s\n", r.term.Dim(fmt.Sprintf("… %s more",
				ui.Plural(strings.Count(content, "\n")-n, "line"))))
			return
		}
		number := "     "
		if first > 0 {
			number = fmt.Sprintf("%5d", first+n)
		}
		r.printf("    %s  %s\n", number, paint(strings.TrimRight(ui.Clean(line), "\r\n")))
		n++
	}
}
