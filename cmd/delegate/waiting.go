package main

import (
	"context"

	"delegate/internal/merge"
	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/registry"
)

// A kind of what was cut short beside those of the supervision. Until it is mended, most of what
// else waits cannot be answered.
const landingPoint session.PointKind = "landing" // a landing is half done

// waiting is everything that waits for the person: what was cut short, then what the session has, oldest first.
func waiting(p *project.Project, state registry.State) ([]session.Point, error) {
	var cut []session.Point
	if merge.Unfinished(p) {
		cut = append(cut, session.Point{Kind: landingPoint, Since: session.LastSign(state),
			Text: "a landing is half done", Next: "delegate sync merge --continue, or --abort"})
	}
	cut = append(cut, session.Unwell(p, state)...)
	points, err := session.Points(p, state)
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
