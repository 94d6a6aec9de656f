package overview

import (
	"slices"

	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/view/status"
	"delegate/registry"
)

// LandingPoint is a landing that was cut short: a kind of what waits beside those of the
// supervision. Until it is mended, most of what else waits cannot be answered.
const LandingPoint status.PointKind = "landing"

// Waiting is everything that waits for the person: what was cut short, then what the session has, oldest first.
func Waiting(p *project.Project, state registry.State) ([]status.Point, error) {
	var cut []status.Point
	if journal.Unfinished(p) {
		cut = append(cut, status.Point{Kind: LandingPoint, Since: status.LastSign(state),
			Text: "a merge is half done", Next: "delegate sync merge --continue, or --abort"})
	}
	cut = append(cut, slices.Concat(status.Unwell(p, state), status.Locks(p, state))...)
	points, err := status.Points(p, state)
	return append(cut, points...), err
}
