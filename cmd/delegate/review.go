package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/internal/control"
	"delegate/internal/land/analyze"
	"delegate/internal/land/candidate"
	"delegate/internal/project"
	"delegate/internal/record/audit"
	"delegate/internal/text/ui"
	"delegate/internal/view/overview"
	"delegate/internal/view/status"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// reviewCommand is `delegate review`: everything that waits for the person, oldest first.
func (a *app) reviewCommand() *cobra.Command {
	var web webOptions
	c := a.jsonFlag(command("review [AGENT]", "walk through everything waiting for you: conflicts, then the oldest",
		cobra.MaximumNArgs(1), func(ctx context.Context, args []string) error {
			if web.web {
				return a.reviewWeb(ctx, web)
			}
			p, state, err := a.active(ctx)
			if errors.Is(err, project.ErrNoSession) {
				err = fmt.Errorf("nothing waits for you: %w", err)
			}
			if err != nil {
				return err
			}
			r := &reviewer{app: a, passed: map[string]bool{}}
			if len(args) > 0 {
				if r.only, err = state.Find(args[0]); err != nil {
					return err
				}
			}
			points, err := r.waiting(p, state)
			if err != nil {
				return err
			}
			if over, err := r.list(ctx, p, state, points); over || err != nil {
				return err
			}
			if _, r.who, err = a.control(ctx); err != nil {
				return err
			}
			return r.walk(ctx)
		}))
	c.Long = "Walks through everything that is waiting for you, or everything about one agent. Interrupted\n" +
		"operations come first, then conflicts, then what has waited longest: plans, checkpoints, failures,\n" +
		"silent agents, changes outside a scope, commands that wait for a confirmation, finished work. Shows\n" +
		"the details of each, the possible answers, and what each answer does. Without a terminal it lists\n" +
		"them and exits with 4.\n" +
		"With --web it opens a page in your browser instead, with diffs and line comments that are sent back\n" +
		"to the agent."
	web.flags(c)
	return c
}

// list prints what waits, and what registry and git do not agree about, as far as nobody is to be asked about it.
func (r *reviewer) list(ctx context.Context, p *project.Project, state registry.State,
	points []status.Point) (over bool, err error) {
	disagree := audit.Disagreements(ctx, p, state)
	if r.json {
		return true, r.printJSON(reviewView{viewPoints(ctx, p, state, points),
			append([]audit.Disagreement{}, disagree...)})
	}
	if state.Session != nil {
		r.printTargetFails(ctx, p, *state.Session)
	}
	if r.only.ID == "" {
		r.printDisagreements(disagree)
	}
	switch {
	case len(points) == 0 && r.only.ID != "":
		r.printf("%s (%s) does not wait for you.\n", r.only.Name, r.only.Word())
		return true, nil
	case len(points) == 0 && len(disagree) > 0:
		r.printf("\nNo agent waits for you.\n")
		return true, nil
	case len(points) == 0:
		r.printf("Nothing waits for you.\n")
		return true, nil
	case !r.term.Interactive():
		for _, point := range points {
			r.printf("%s\n", r.pointText(point, point.Line()))
		}
		return true, &shownError{r.term.Person()}
	}
	return false, nil
}

// pointText is words of a thing that waits, for people. Only those of a conflict call the branch the target: an agent's
// own may mean another.
func (a *app) pointText(p status.Point, words string) string {
	if p.Kind == status.ConflictPoint {
		return forPeople(a.state, words)
	}
	return a.named(words)
}

// reviewer is one walk.
type reviewer struct {
	*app
	who    control.Control
	only   registry.Agent  // whom the person named; without an id, all
	passed map[string]bool // points that the person left for later
	asked  registry.Agent  // the one that is asked about, as it was shown
}

// waiting is what waits for the person, as far as they asked for it.
func (r *reviewer) waiting(p *project.Project, state registry.State) ([]status.Point, error) {
	points, err := overview.Waiting(p, state)
	return slices.DeleteFunc(points, func(point status.Point) bool {
		return r.only.ID != "" && point.Agent != r.only.ID
	}), err
}

// step is one possible answer and what it does. One that leaves the point open asks again.
type step struct {
	word, help string
	do         func(ctx context.Context) (outcome, error)
	again      bool
}

func (r *reviewer) walk(ctx context.Context) error {
	for {
		state, err := r.who.P.Active(ctx)
		if errors.Is(err, project.ErrNoSession) {
			return nil
		}
		if err != nil {
			return err
		}
		r.state = state
		points, err := r.waiting(r.who.P, state)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(points, func(p status.Point) bool { return !r.passed[nameOf(p)] })
		if at < 0 {
			r.printf("%s\n", leftFor(len(points)))
			return nil
		}
		if err := r.one(ctx, state, points[at]); err != nil {
			return err
		}
	}
}

// leftFor ends a walk after which so many things still wait.
func leftFor(later int) string {
	if later == 0 {
		return "Nothing else waits for you."
	}
	return fmt.Sprintf("You left %s for later; delegate review shows what waits.", ui.Plural(later, "question"))
}

// one shows a point and asks about it.
func (r *reviewer) one(ctx context.Context, state registry.State, p status.Point) error {
	ago := ui.Elapsed(r.who.P.Now().Sub(p.Since))
	r.printf("\n%s  %s  (%s ago)\n", r.term.Bold(cmp.Or(r.named(p.Agent), "session")), r.pointText(p, p.Text), ago)
	ag, err := state.Agent(p.Agent)
	if p.Kind == status.ViolationPoint {
		r.printOutside(p.Outside)
	} else if err == nil && p.Kind != status.ConflictPoint && p.Kind != status.OrderPoint &&
		p.Kind != status.AskPoint &&
		p.Kind != status.FailurePoint {
		v := showView{AgentView: status.View(ctx, r.who.P, state, ag), Report: status.ReportOf(r.who.P, state, ag),
			Events: []eventView{}, Remarks: hiddenIn(ctx, r.who.P, state, ag)}
		r.printAgent(v, ag)
		if ag.Status == registry.Failed && v.Report.Tail != "" {
			r.printf("\n%s\n", indent(ui.Clean(v.Report.Tail)))
		}
		markCollected(r.who.P, state, ag)
	}
	r.asked = ag
	steps := append(r.steps(p, ag), step{word: "later", help: "change nothing"})
	for {
		var answers []ui.Answer
		for _, s := range steps {
			answers = append(answers, ui.Answer{Word: s.word, Help: s.help})
		}
		word, err := r.term.Choose(ctx, question(p, ag), answers, "later")
		if err != nil {
			return err
		}
		chosen := steps[slices.IndexFunc(steps, func(s step) bool { return s.word == word })]
		if chosen.do == nil {
			r.passed[nameOf(p)] = true
			return nil
		}
		var done outcome
		if !chosen.again {
			err = r.still(ctx)
		}
		if err == nil {
			done, err = chosen.do(ctx)
		}
		if err != nil && (isAny(err, ui.ErrInterrupted, ui.ErrClosed) || isA[*control.GoneOnError](err) ||
			ctx.Err() != nil) {
			return err
		}
		if err != nil {
			r.report(err)
			continue
		}
		if done.said != "" {
			r.printf("%s\n", done.said)
		}
		if !chosen.again {
			r.passed[nameOf(p)] = true
			return r.supervised(ctx, r.who.P)
		}
	}
}

func question(p status.Point, ag registry.Agent) string {
	switch p.Kind {
	case status.OrderPoint:
		return "Carry this command out?"
	case status.ConflictPoint:
		return "What about this conflict of " + ag.Name + "?"
	case status.AskPoint:
		if p.Question.Text != "" {
			return "What do you answer " + ag.Name + "?"
		}
		return "May " + ag.Name + " do this?"
	case status.ViolationPoint:
		return "What about these changes of " + ag.Name + "?"
	case overview.LandingPoint:
		return "What about the interrupted merge?"
	case status.PlanPoint, status.PausePoint, status.SupervisorPoint, status.FailurePoint:
		return "What about the session?"
	}
	return "What about " + ag.Name + "?"
}

// act makes what a step does of a call that says nothing of its own.
func act(said string, do func(context.Context) error) func(context.Context) (outcome, error) {
	return func(ctx context.Context) (outcome, error) { return outcome{said: said}, do(ctx) }
}

// still makes sure that an agent that waits does so as it was shown; one that works goes on while it is asked about.
func (r *reviewer) still(ctx context.Context) error {
	if control.GoesOn(r.asked.Status) == "" {
		return nil
	}
	return r.who.CheckTurn(ctx, r.asked.ID, control.TurnKey(r.asked))
}

// withLine is a step that asks for a line first.
func (r *reviewer) withLine(word, help, prompt string,
	do func(ctx context.Context, line string) (outcome, error)) step {
	return step{word: word, help: help, do: func(ctx context.Context) (outcome, error) {
		line, err := r.term.Line(ctx, prompt)
		if err == nil {
			err = r.still(ctx)
		}
		if err != nil {
			return outcome{}, err
		}
		return do(ctx, line)
	}}
}

// steps are the answers that a point can have.
func (r *reviewer) steps(p status.Point, ag registry.Agent) []step {
	switch p.Kind {
	case status.PlanPoint:
		return []step{{word: "show", help: "show the plan and ask whether to start it (delegate approve)",
			do: act("", func(ctx context.Context) error {
				return r.approve(ctx, strings.Fields(p.Agent), startFlags{})
			})}}
	case status.PausePoint:
		return []step{{word: "resume", help: "start turns again",
			do: act("Turns are started again.", func(ctx context.Context) error {
				_, err := r.who.Unpause(ctx)
				return err
			})}}
	case overview.LandingPoint:
		return []step{
			{word: "finish", help: "finish what you approved (delegate sync merge --continue)",
				do: act("", func(ctx context.Context) error { return r.recoverLanding(ctx, false) })},
			{word: "undo", help: "put everything back as it was before (delegate sync merge --abort)",
				do: act("", func(ctx context.Context) error { return r.recoverLanding(ctx, true) })},
		}
	case status.SupervisorPoint:
		return []step{{word: "resume", help: "start a supervisor, which takes the session up again",
			do: act("", func(context.Context) error { return nil })}}
	case status.FailurePoint:
		return nil // it is gone when its cause is
	case status.OrderPoint:
		return []step{
			{word: "yes", help: "carry it out", do: r.order(p, control.CarryOut)},
			{word: "no", help: "drop it", do: r.order(p, control.Decline)},
		}
	case status.ConflictPoint:
		return r.conflictSteps(p, ag)
	case status.ViolationPoint:
		return r.outsideSteps(p, ag)
	case status.AskPoint:
		return r.askSteps(p.Question, ag)
	case status.StalledPoint:
		return r.stalledSteps(ag)
	case status.CompletePoint:
		fix := r.withLine("fix", "send it back with a message that you type",
			fmt.Sprintf("What should %s fix?", ag.Name), func(ctx context.Context, line string) (outcome, error) {
				return said(r.isSentBack)(r.who.SendBack(ctx, ag.ID, line))
			})
		steps := append([]step{fix, r.adaptStep(ag)}, r.lookSteps(ag)...)
		if ag.HasNoChanges() {
			return steps
		}
		land := r.landStep(ag, "land", "build and verify the merge, show it, and ask (delegate sync merge "+ag.Name+")")
		return append([]step{land}, steps...)
	case status.FailedPoint:
		return r.failedSteps(ag)
	}
	return r.checkpointSteps(ag)
}

// checkpointSteps are the answers to an agent that waits at a checkpoint.
func (r *reviewer) checkpointSteps(ag registry.Agent) []step {
	answer := func(ctx context.Context, line string) (outcome, error) {
		return said(r.goesOn)(r.who.Continue(ctx, ag.ID, line))
	}
	steps := []step{
		r.withLine("answer", "next turn, with a message that you type", fmt.Sprintf("Answer to %s:", ag.Name), answer),
		r.adaptStep(ag), r.forceStep(ag)}
	if ag.Question == "" {
		steps = append([]step{{word: "continue", help: "next turn, without a message",
			do: func(ctx context.Context) (outcome, error) { return answer(ctx, "") }}}, steps...)
	}
	steps = append(steps, r.lookSteps(ag)...)
	first := slices.IndexFunc(steps, func(s step) bool { return s.word == status.NeedOf(ag).First })
	likeliest := steps[first]
	return slices.Insert(slices.Delete(steps, first, first+1), 0, likeliest)
}

func (r *reviewer) stalledSteps(ag registry.Agent) []step {
	now := r.messageStep(ag, "stop its turn, and continue with a message that you type", r.who.MessageNow)
	interrupt := step{word: "interrupt", help: "stop its turn; it keeps its work and waits for you",
		do: func(ctx context.Context) (outcome, error) {
			ag, done, err := r.who.Interrupt(ctx, ag.ID)
			return outcome{said: isInterrupted(r.who.P, ag, done)}, err
		}}
	look := r.lookSteps(ag)
	look[0], look[1] = look[1], look[0] // what it printed is the likelier to be looked at
	return append([]step{now, interrupt, r.extendStep(ag)}, look...)
}

func (r *reviewer) failedSteps(ag registry.Agent) []step {
	steps := append([]step{
		{word: "retry", help: "a fresh attempt on a fresh branch with the same scope; this one's branch is kept",
			do: func(ctx context.Context) (outcome, error) { return said(startsAgain)(r.who.Retry(ctx, ag.ID)) }},
		r.messageStep(ag, "continue where it was, with a message that you type", r.who.Message),
		r.withLine("reassign",
			"give the subtask to a new agent, which learns what was tried; this one's branch is kept",
			"Agent program (profile; now "+text(ag.Profile)+"):",
			func(ctx context.Context, profile string) (outcome, error) {
				return said(hasSubtask)(r.who.Reassign(ctx, ag.ID, profile))
			}),
		r.adaptStep(ag), r.forceStep(ag),
	}, r.lookSteps(ag)...)
	if len(ag.FilesModified) > 0 {
		steps = append(steps, r.landStep(ag, "salvage", "build and verify the merge of what it did, show it, and ask"))
	}
	if ag.Flags.Has(registry.FlagTimeout) {
		steps = append([]step{r.extendStep(ag)}, steps...)
	}
	return steps
}

func (r *reviewer) conflictSteps(p status.Point, ag registry.Agent) []step {
	word, send, help := "message", r.who.Message, "tell "+ag.Name+" about it, for its next turn, with words of yours"
	if p.Blocks && control.GoesOn(ag.Status) != "" { // words alone do not bring it what is on the branch
		word, send, help = "adapt", r.who.Adapt, "merge "+r.state.Session.Target+" into its branch and continue it, "+
			"telling it about this, with a message that you add"
	}
	return []step{
		r.withLine(word, help, fmt.Sprintf("Message to %s:", ag.Name),
			func(ctx context.Context, line string) (outcome, error) {
				to, err := send(ctx, ag.ID, r.forAgent(ag, p.Text)+"\n\n"+line)
				if control.GoesOn(ag.Status) == "" {
					return outcome{said: "Queued for " + ag.Name + "."}, err
				}
				return outcome{said: r.goesOnWith(to)}, err
			}),
		{word: "seen", help: "close this; it is shown again before a merge",
			do: act("Closed.", func(ctx context.Context) error { return r.who.Seen(ctx, p.Key) })},
		{word: "show", help: "look at all conflicts as they are now", again: true,
			do: act("", func(ctx context.Context) error {
				v, err := r.compareTips(ctx, nil, comparison{depth: analyze.Checked})
				if err == nil {
					err = r.printConflicts(v, formatText)
				}
				if errors.Is(err, errBlocked) {
					err = nil
				}
				return err
			})},
	}
}

func (r *reviewer) order(p status.Point, d control.Decision) func(context.Context) (outcome, error) {
	return func(ctx context.Context) (outcome, error) {
		said, err := r.who.Confirm(ctx, *p.Order, d)
		return outcome{said: text(said) + "."}, err
	}
}

// messageStep has an agent go on with a message, sent in one of the ways that there are.
func (r *reviewer) messageStep(ag registry.Agent, help string,
	send func(ctx context.Context, id, message string) (registry.Agent, error)) step {
	return r.withLine("message", help, fmt.Sprintf("Message to %s:", ag.Name),
		func(ctx context.Context, line string) (outcome, error) {
			return said(r.goesOnWith)(send(ctx, ag.ID, line))
		})
}

func (r *reviewer) adaptStep(ag registry.Agent) step {
	s := r.messageStep(ag, "merge "+r.state.Session.Target+" into its branch and continue it, with a message that "+
		"you type", r.who.Adapt)
	s.word = "adapt"
	return s
}

func (r *reviewer) extendStep(ag registry.Agent) step {
	const by = 30 * time.Minute
	return step{word: "extend", help: "give it 30 more minutes; a stopped one continues where it was",
		do: func(ctx context.Context) (outcome, error) {
			return said(hasMore(ui.Elapsed(by)))(r.who.Extend(ctx, ag.ID, by))
		}}
}

func (r *reviewer) forceStep(ag registry.Agent) step {
	return step{word: "complete", help: "mark it as done with its current work; merging is a separate question",
		do: func(ctx context.Context) (outcome, error) {
			return said(func(ag registry.Agent) string { return isForced(r.who.P, ag) })(
				r.who.ForceComplete(ctx, ag.ID, ""))
		}}
}

func (r *reviewer) landStep(ag registry.Agent, word, help string) step {
	return step{word: word, help: help, do: act("", func(ctx context.Context) error {
		b := candidate.New(r.who.P)
		defer b.Close()
		return r.land(ctx, b, r.who, ag.ID)
	})}
}

// lookSteps show what an agent did, or give it up.
func (r *reviewer) lookSteps(ag registry.Agent) []step {
	return append(r.showSteps(ag), step{word: "abort", help: "give it up; its branch and worktree are kept",
		do: func(ctx context.Context) (outcome, error) {
			if err := r.confirm(ctx, fmt.Sprintf("Abort %s?", ag.Name), abortHelp,
				false); err != nil {
				return outcome{}, err
			}
			ag, err := r.who.Reject(ctx, ag.ID, "in a review")
			return outcome{agent: ag, said: isAborted(ctx, r.who.P, ag)}, err
		}})
}

func (r *reviewer) showSteps(ag registry.Agent) []step {
	return []step{
		{word: "diff", help: "show what it changed, then ask again", again: true,
			do: act("", func(ctx context.Context) error {
				p, files, err := r.changesOf(ctx, []string{ag.ID})
				if err != nil {
					return err
				}
				return r.printDiff(ctx, p, files)
			})},
		{word: "logs", help: "show what it printed, then ask again", again: true,
			do: act("", func(ctx context.Context) error {
				return status.Follow(ctx, r.who.P, ag.ID, status.FollowOptions{Out: r.transcript()})
			})},
	}
}
