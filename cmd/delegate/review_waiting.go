package main

import (
	"context"
	"fmt"
	"strings"

	"delegate/conflict"
	"delegate/internal/control"
	"delegate/internal/merge"
	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/internal/status"
	"delegate/registry"
)

// A kind of what was cut short beside those of the supervision. Until it is mended, most of what
// else waits cannot be answered.
const landingPoint status.PointKind = "landing" // a landing is half done

// waiting is everything that waits for the person: what was cut short, then what the session has, oldest first.
func waiting(p *project.Project, state registry.State) ([]status.Point, error) {
	var cut []status.Point
	if merge.Unfinished(p) {
		cut = append(cut, status.Point{Kind: landingPoint, Since: status.LastSign(state),
			Text: "a landing is half done", Next: "delegate sync merge --continue, or --abort"})
	}
	cut = append(cut, status.Unwell(p, state)...)
	points, err := status.Points(p, state)
	return append(cut, points...), err
}

// landingSteps are the answers to a landing that was cut short.
func (r *reviewer) landingSteps() []step {
	mend := func(undo bool) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { return "", r.recoverLanding(ctx, undo) }
	}
	return []step{
		{word: "finish", help: "finish what you said yes to (delegate sync merge --continue)", do: mend(false)},
		{word: "undo", help: "put everything back as it was before (delegate sync merge --abort)", do: mend(true)},
	}
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
			names, globs = append(names, o.Path), append(globs, control.LiteralGlob(o.Path))
		}
	}
	var steps []step
	if len(files) > 0 {
		help := "put these back as the base has them; what they held is kept"
		if ag.Status == registry.Running {
			help = "stop its turn, put these back as the base has them, and have it go on; what they held is kept"
		}
		steps = append(steps, step{word: "restore", help: help, do: func(ctx context.Context) (string, error) {
			now, err := r.who.PutBack(ctx, ag.ID, files)
			return fmt.Sprintf("Put back: %s. %s is %s.", text(strings.Join(files, ", ")), now.ID, now.Status), err
		}})
	}
	if len(globs) > 0 {
		steps = append(steps,
			step{word: "allow", help: "widen its scope by " + text(strings.Join(names, ", ")),
				do: func(ctx context.Context) (string, error) {
					return r.allow(ctx, ag.ID, globs)
				}},
			step{word: "glob", help: "widen its scope by a pattern that you type",
				do: func(ctx context.Context) (string, error) {
					line, err := r.term.Line(ctx, fmt.Sprintf("What may %s write, too?", ag.ID))
					if err != nil {
						return "", err
					}
					return r.allow(ctx, ag.ID, []string{line})
				}})
	}
	return append(steps,
		step{word: "fix", help: "have it put them back itself, with words that you add",
			do: func(ctx context.Context) (string, error) {
				line, err := r.term.Line(ctx, fmt.Sprintf("Message to %s:", ag.ID))
				if err != nil {
					return "", err
				}
				now, err := r.who.TellOutside(ctx, ag.ID, p.Outside, line)
				return goesOnWith(now), err
			}},
		r.diffStep(ag), r.logStep(ag))
}

func (r *reviewer) allow(ctx context.Context, id string, globs []string) (string, error) {
	ag, overlaps, err := r.who.ChangeScope(ctx, id, control.ScopeChange{Allow: globs})
	if err != nil {
		return "", err
	}
	return mayWrite(ag, overlaps), nil
}

// mayWrite says what an agent may write now, and with whom it may clash by that.
func mayWrite(ag registry.Agent, overlaps []control.Overlap) string {
	said := fmt.Sprintf("%s may write: %s", ag.ID, text(strings.Join(ag.Allowed, ", ")))
	if ag.Status == registry.Running {
		said += fmt.Sprintf("\nThe fence of a running turn stays as it was built; to have it go on with the wider "+
			"one: delegate message %s --interrupt \"go on\"", ag.ID)
	}
	for _, o := range overlaps {
		said += "\n" + text(conflict.Predicted(ag.ID, o.Agent, o.Witness).Message)
	}
	return said
}
