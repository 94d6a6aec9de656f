package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/internal/control"
	"delegate/internal/merge"
	"delegate/internal/project"
	"delegate/internal/status"
	"delegate/internal/ui"
	"delegate/registry"

	"github.com/spf13/cobra"
)

type reviewView struct {
	Waiting []status.Point `json:"waiting"`
}

// reviewCommand is `delegate review`: everything that waits for the person, oldest first.
func (a *app) reviewCommand() *cobra.Command {
	c := a.jsonFlag(command("review", "walk through everything that waits for you, oldest first", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error {
			p, state, err := a.active(cmd.Context())
			if err != nil {
				return err
			}
			points, err := waiting(p, state)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(reviewView{append([]status.Point{}, points...)})
			}
			if len(points) == 0 {
				a.printf("Nothing waits for you.\n")
				return nil
			}
			if !a.term.Interactive() {
				for _, point := range points {
					a.printf("%s\n", text(point.Line()))
				}
				return &shownError{ui.ErrNotTerminal}
			}
			_, who, err := a.control(cmd.Context())
			if err != nil {
				return err
			}
			return (&reviewer{app: a, cmd: cmd, who: who, passed: map[string]bool{}}).walk(cmd.Context())
		}))
	c.Long = "Walks through everything that waits for you, what was cut short first, then oldest first: plans, " +
		"checkpoints, failures, agents without a sign of life,\n" +
		"clashes between agents, changes outside of a scope, commands that wait for a confirmation, finished work. " +
		"Shows what there is to know about each,\n" +
		"the possible answers, and what each will do. Without a terminal it lists them and ends with 4."
	return c
}

// reviewer is one walk.
type reviewer struct {
	*app
	cmd    *cobra.Command
	who    control.Control
	passed map[string]bool // points that the person left for later
}

// step is one possible answer and what it does. One that leaves the point open asks again.
type step struct {
	word, help string
	do         func(ctx context.Context) (said string, err error)
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
		points, err := waiting(r.who.P, state)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(points, func(p status.Point) bool { return !r.passed[nameOf(p)] })
		if at < 0 {
			r.printf("Nothing else waits for you.\n")
			return nil
		}
		if err := r.one(ctx, state, points[at]); err != nil {
			return err
		}
	}
}

func nameOf(p status.Point) string {
	return strings.Join([]string{string(p.Kind), p.Agent, p.Key, p.Since.String(), p.Text}, "\n")
}

// one shows a point and asks about it.
func (r *reviewer) one(ctx context.Context, state registry.State, p status.Point) error {
	ago := short(r.who.P.Now().Sub(p.Since))
	r.printf("\n%s  %s  (%s ago)\n", r.term.Style.Bold(orDash(p.Agent)), text(p.Text), ago)
	ag, err := state.Agent(p.Agent)
	if p.Kind == status.ViolationPoint {
		r.printOutside(p.Outside)
	} else if err == nil && p.Kind != status.ConflictPoint && p.Kind != status.OrderPoint &&
		p.Kind != status.FailurePoint {
		v := showView{AgentView: status.View(ctx, r.who.P, state, ag), Report: status.ReportOf(r.who.P, state, ag),
			Events: []eventView{}}
		r.printAgent(v, ag)
		if ag.Status == registry.Failed && v.Report.Tail != "" {
			r.printf("\n%s\n", indent(ui.Clean(v.Report.Tail)))
		}
		collect(r.who.P, state, ag)
	}
	steps := append(r.steps(p, ag), step{word: "later", help: "change nothing"})
	for {
		var answers []ui.Answer
		for _, s := range steps {
			answers = append(answers, ui.Answer{Word: s.word, Help: s.help})
		}
		word, err := r.term.Choose(ctx, question(p), answers, "later")
		if err != nil {
			return err
		}
		chosen := steps[slices.IndexFunc(steps, func(s step) bool { return s.word == word })]
		if chosen.do == nil {
			r.passed[nameOf(p)] = true
			return nil
		}
		said, err := chosen.do(ctx)
		if err != nil && (errors.Is(err, ui.ErrInterrupted) || errors.Is(err, ui.ErrClosed) || ctx.Err() != nil) {
			return err
		}
		if err != nil {
			r.report(err)
			continue
		}
		if said != "" {
			r.printf("%s\n", said)
		}
		if !chosen.again {
			r.passed[nameOf(p)] = true
			return r.supervised(ctx, r.who.P)
		}
	}
}

func orDash(id string) string {
	if id == "" {
		return "session"
	}
	return id
}

func question(p status.Point) string {
	switch p.Kind {
	case status.OrderPoint:
		return "Carry this command out?"
	case status.ConflictPoint:
		return "What about this clash?"
	case status.ViolationPoint:
		return "What about these changes of " + p.Agent + "?"
	case landingPoint:
		return "What about the landing?"
	case status.PlanPoint, status.PausePoint, status.SupervisorPoint, status.FailurePoint:
		return "What about the session?"
	}
	return "What about " + p.Agent + "?"
}

// steps are the answers that a point can have.
func (r *reviewer) steps(p status.Point, ag registry.Agent) []step {
	switch p.Kind {
	case status.PlanPoint:
		return []step{{word: "show", help: "show the plan and ask whether to start it (delegate approve)",
			do: func(context.Context) (string, error) {
				return "", r.approveCommand().RunE(r.cmd, nil)
			}}}
	case status.PausePoint:
		return []step{{word: "resume", help: "start turns again", do: func(ctx context.Context) (string, error) {
			_, err := r.who.Unpause(ctx)
			return "Turns are started again.", err
		}}}
	case landingPoint:
		return r.landingSteps()
	case status.SupervisorPoint:
		return []step{{word: "resume", help: "start a supervisor, which takes the session up again",
			do: func(context.Context) (string, error) {
				return "", nil
			}}}
	case status.FailurePoint:
		return nil // it is gone when its cause is
	case status.OrderPoint:
		return []step{
			{word: "yes", help: "carry it out", do: r.order(p, control.CarryOut)},
			{word: "no", help: "drop it", do: r.order(p, control.Decline)},
		}
	case status.ConflictPoint:
		return r.conflictSteps(p)
	case status.ViolationPoint:
		return r.outsideSteps(p, ag)
	case status.StalledPoint:
		return []step{
			r.messageNow(ag), r.interruptStep(ag), r.extendStep(ag), r.logStep(ag), r.diffStep(ag), r.abortStep(ag),
		}
	case status.CompletePoint:
		return []step{
			{word: "land", help: "build and verify the merge, show it, and ask (delegate sync merge " + ag.ID + ")",
				do: r.landing(ag)},
			r.sendBack(ag), r.adaptStep(ag), r.diffStep(ag), r.logStep(ag), r.abortStep(ag),
		}
	case status.FailedPoint:
		return r.failedSteps(ag)
	}
	return []step{
		{word: "continue", help: "next turn, without a message", do: func(ctx context.Context) (string, error) {
			ag, err := r.who.Continue(ctx, ag.ID, "")
			return goesOn(ag), err
		}},
		{word: "answer", help: "next turn, with a message that you type",
			do: func(ctx context.Context) (string, error) {
				line, err := r.term.Line(ctx, fmt.Sprintf("Answer to %s:", ag.ID))
				if err != nil {
					return "", err
				}
				ag, err := r.who.Continue(ctx, ag.ID, line)
				return goesOn(ag), err
			}},
		r.adaptStep(ag), r.forceStep(ag), r.diffStep(ag), r.logStep(ag), r.abortStep(ag),
	}
}

func (r *reviewer) failedSteps(ag registry.Agent) []step {
	steps := []step{
		{word: "retry", help: "a fresh attempt on a fresh branch with the same scope; this one's branch is kept",
			do: func(ctx context.Context) (string, error) {
				ag, err := r.who.Retry(ctx, ag.ID)
				return startsAgain(ag), err
			}},
		{word: "message", help: "it goes on where it was, with a message that you type",
			do: func(ctx context.Context) (string, error) {
				line, err := r.term.Line(ctx, fmt.Sprintf("Message to %s:", ag.ID))
				if err != nil {
					return "", err
				}
				now, err := r.who.Message(ctx, ag.ID, line)
				return goesOnWith(now), err
			}},
		{word: "reassign", help: "give the subtask to a new agent, which is told what was tried; this one's branch is kept", do: func(ctx context.Context) (string, error) {
			profile, err := r.term.Line(ctx, "Agent program (profile; now "+text(ag.Profile)+"):")
			if err != nil {
				return "", err
			}
			fresh, err := r.who.Reassign(ctx, ag.ID, profile)
			return hasSubtask(fresh), err
		}},
		r.adaptStep(ag), r.forceStep(ag), r.diffStep(ag), r.logStep(ag), r.abortStep(ag),
	}
	if len(ag.FilesModified) > 0 {
		steps = append(steps, step{word: "salvage", help: "build and verify the merge of what it did, show it, and ask",
			do: r.landing(ag)})
	}
	if ag.Flags.Has(registry.FlagTimeout) {
		steps = append([]step{r.extendStep(ag)}, steps...)
	}
	return steps
}

func (r *reviewer) conflictSteps(p status.Point) []step {
	return []step{
		{word: "seen", help: "close this; it is shown again before a landing",
			do: func(ctx context.Context) (string, error) {
				return "Closed.", r.who.Seen(ctx, p.Key)
			}},
		{word: "message", help: "tell " + p.Agent + " about it, with words that you add, for its next turn",
			do: func(ctx context.Context) (string, error) {
				line, err := r.term.Line(ctx, fmt.Sprintf("Message to %s:", p.Agent))
				if err != nil {
					return "", err
				}
				_, err = r.who.Message(ctx, p.Agent, p.Text+"\n\n"+line)
				return "Queued for " + p.Agent + ".", err
			}},
		{word: "show", help: "look at all clashes as they are now", again: true,
			do: func(ctx context.Context) (string, error) {
				v, err := r.compareTips(ctx, nil, "", merge.Checked)
				if err == nil {
					err = r.printConflicts(v)
				}
				if errors.Is(err, errBlocked) {
					err = nil
				}
				return "", err
			}},
	}
}

func (r *reviewer) order(p status.Point, d control.Decision) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		said, err := r.who.Confirm(ctx, *p.Order, d)
		return text(said) + ".", err
	}
}

func (r *reviewer) messageNow(ag registry.Agent) step {
	return step{word: "message", help: "stop its turn, and have it go on with a message that you type",
		do: func(ctx context.Context) (string, error) {
			line, err := r.term.Line(ctx, fmt.Sprintf("Message to %s:", ag.ID))
			if err != nil {
				return "", err
			}
			now, err := r.who.MessageNow(ctx, ag.ID, line)
			return goesOnWith(now), err
		}}
}

func (r *reviewer) interruptStep(ag registry.Agent) step {
	return step{word: "interrupt", help: "stop its turn; it keeps its work and waits for you",
		do: func(ctx context.Context) (string, error) {
			now, done, err := r.who.Interrupt(ctx, ag.ID)
			return fmt.Sprintf("interrupted: %t. %s is %s.", done, now.ID, now.Status), err
		}}
}

func (r *reviewer) extendStep(ag registry.Agent) step {
	const by = 30 * time.Minute
	return step{word: "extend", help: "give it 30 minutes more; one that was stopped goes on where it was",
		do: func(ctx context.Context) (string, error) {
			_, err := r.who.Extend(ctx, ag.ID, by)
			return fmt.Sprintf("%s has %s more.", ag.ID, short(by)), err
		}}
}

func (r *reviewer) forceStep(ag registry.Agent) step {
	return step{word: "complete", help: "declare it finished with what it has; its landing is another question",
		do: func(ctx context.Context) (string, error) {
			_, err := r.who.ForceComplete(ctx, ag.ID, "")
			return ag.ID + " is COMPLETE by your decision.", err
		}}
}

func (r *reviewer) abortStep(ag registry.Agent) step {
	return step{word: "abort", help: "give it up; its branch and worktree are kept",
		do: func(ctx context.Context) (string, error) {
			if err := r.confirm(ctx, fmt.Sprintf("Abort %s?", ag.ID), false); err != nil {
				return "", err
			}
			now, err := r.who.Abort(ctx, ag.ID, "in a review")
			if err == nil {
				err = sendBackDependents(ctx, r.who, now)
			}
			return isAborted(now), err
		}}
}

func (r *reviewer) sendBack(ag registry.Agent) step {
	return step{word: "fix", help: "send it back with a message that you type",
		do: func(ctx context.Context) (string, error) {
			line, err := r.term.Line(ctx, fmt.Sprintf("What should %s fix?", ag.ID))
			if err != nil {
				return "", err
			}
			_, err = r.who.SendBack(ctx, ag.ID, line)
			return ag.ID + " has it back and works on.", err
		}}
}

func (r *reviewer) adaptStep(ag registry.Agent) step {
	return step{word: "adapt", help: "merge the target into its work and have it go on, with a message that you type",
		do: func(ctx context.Context) (string, error) {
			line, err := r.term.Line(ctx, fmt.Sprintf("Message to %s:", ag.ID))
			if err != nil {
				return "", err
			}
			now, err := r.who.Adapt(ctx, ag.ID, line)
			return goesOnWith(now), err
		}}
}

func (r *reviewer) landing(ag registry.Agent) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		b := merge.NewBuilder(r.who.P)
		defer b.Close()
		return "", r.land(ctx, b, r.who, ag.ID)
	}
}

func (r *reviewer) diffStep(ag registry.Agent) step {
	return step{word: "diff", help: "show what it changed, then ask again", again: true,
		do: func(ctx context.Context) (string, error) {
			return "", r.diffOf(ctx, ag.ID, r.printDiff)
		}}
}

func (r *reviewer) logStep(ag registry.Agent) step {
	return step{word: "logs", help: "show what it printed, then ask again", again: true,
		do: func(ctx context.Context) (string, error) {
			return "", status.Follow(ctx, r.who.P, ag.ID, status.FollowOptions{Out: r.transcript()})
		}}
}
