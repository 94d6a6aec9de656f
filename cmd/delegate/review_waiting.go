package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"delegate/conflict"
	"delegate/internal/control"
	"delegate/internal/control/session"
	"delegate/internal/turn/agentdir"
	"delegate/internal/view/status"
	"delegate/registry"
	"delegate/scope"
)

// nameOf tells a point from all others. What is said of finished work may change while it stays the same work.
func nameOf(p status.Point) string {
	if p.Kind == status.CompletePoint {
		p.Text = ""
	}
	return strings.Join([]string{string(p.Kind), p.Agent, p.Key, p.Since.String(), p.Text}, "\n")
}

// printOutside lists what an agent changed outside of its scope, if it is more than the point itself says.
func (r *reviewer) printOutside(outside []session.Outside) {
	for _, o := range outside[min(1, len(outside)):] {
		r.printf("  %s\n", text(o.String()))
	}
}

// outsideSteps are the answers to changes outside of an agent's scope.
func (r *reviewer) outsideSteps(p status.Point, ag registry.Agent) []step {
	var files, names, globs []string
	for _, o := range p.Outside {
		if o.Path != ".git" { // what leads git to the repository is no file of the base; the reason says how to mend it
			files = append(files, o.Path)
		}
		if o.Allowable {
			names, globs = append(names, o.Path), append(globs, scope.Literal(o.Path))
		}
	}
	var steps []step
	if len(files) > 0 {
		help := "put these back as the base has them; what they held is kept"
		if ag.Status == registry.Running {
			help = "stop its turn, restore these from the base, and continue it; their content is kept"
		}
		steps = append(steps, step{word: "restore", help: help, do: func(ctx context.Context) (outcome, error) {
			return said(func(ag registry.Agent) string {
				return fmt.Sprintf("Put back: %s. %s is %s.", text(strings.Join(files, ", ")), ag.Name,
					ag.Status.Word())
			})(r.who.PutBack(ctx, ag.ID, files))
		}})
	}
	allow := func(ctx context.Context, globs []string) (outcome, error) {
		ag, overlaps, err := r.who.ChangeScope(ctx, ag.ID, control.ScopeChange{Allow: globs})
		if err != nil {
			return outcome{}, err
		}
		return outcome{said: mayWrite(ag, overlaps)}, nil
	}
	if len(globs) > 0 {
		steps = append(steps,
			step{word: "allow", help: "widen its scope by " + text(strings.Join(names, ", ")),
				do: func(ctx context.Context) (outcome, error) { return allow(ctx, globs) }},
			r.withLine("glob", "widen its scope by a pattern that you type",
				fmt.Sprintf("What may %s write, too?", ag.Name),
				func(ctx context.Context, line string) (outcome, error) { return allow(ctx, []string{line}) }))
	}
	fix := r.messageStep(ag, "let it restore them itself, with a message that you add",
		func(ctx context.Context, id, line string) (registry.Agent, error) {
			return r.who.TellOutside(ctx, id, p.Outside, line)
		})
	fix.word = "fix"
	return append(append(steps, fix), r.showSteps(ag)...)
}

// mayWrite says what an agent may write now, and with whom it may clash by that.
func mayWrite(ag registry.Agent, overlaps []control.Overlap) string {
	said := fmt.Sprintf("%s may write: %s", ag.Name, text(strings.Join(ag.Allowed, ", ")))
	if ag.Status == registry.Running {
		said += fmt.Sprintf("\nThe sandbox of its current turn stays as it is; for the new scope now: "+
			"delegate message %s --interrupt \"go on\"", ag.Name)
	}
	for _, o := range overlaps {
		said += "\n" + text(conflict.Predicted(ag.Name, o.Agent, o.Witness).Message)
	}
	return said
}

// askSteps are the answers to what an agent's program asks in the middle of its turn.
func (r *reviewer) askSteps(q agentdir.Question, ag registry.Agent) []step {
	answer := func(word agentdir.Word) func(context.Context, string) (outcome, error) {
		return func(ctx context.Context, line string) (outcome, error) {
			err := r.who.AnswerQuestion(ctx, ag.ID, q, agentdir.Answer{Word: word, Text: line})
			return outcome{said: "Answered; " + ag.Name + " continues."}, err
		}
	}
	once := func(word agentdir.Word) func(context.Context) (outcome, error) {
		return func(ctx context.Context) (outcome, error) { return answer(word)(ctx, "") }
	}
	if q.Text != "" {
		var steps []step
		for i, choice := range q.Choices {
			steps = append(steps, step{word: strconv.Itoa(i + 1), help: text(choice),
				do: func(ctx context.Context) (outcome, error) { return answer(agentdir.Said)(ctx, choice) }})
		}
		return append(steps, r.withLine("answer", "answer in your own words; it continues in the same turn",
			fmt.Sprintf("Answer to %s:", ag.Name), answer(agentdir.Said)))
	}
	allow := "this once"
	if q.Outside != "" {
		allow = "this once; what the sandbox refuses stays refused (to widen the scope: delegate scope " + ag.Name +
			" --allow GLOB)"
	}
	return []step{
		{word: "allow", help: allow, do: once(agentdir.Allow)},
		{word: "turn", help: "this, and what " + text(q.Tool) + " does inside the scope until the turn ends",
			do: once(agentdir.AllowTurn)},
		{word: "deny", help: "refuse it; the agent continues without", do: once(agentdir.Deny)},
		r.withLine("because", "refuse it with a reason that you type", "Why not?", answer(agentdir.Deny)),
	}
}
