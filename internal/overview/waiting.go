package overview

import (
	"delegate/internal/merge"
	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/registry"
)

// LandingPoint is a landing that was cut short: a kind of what waits beside those of the supervision. Until it is mended,
// most of what else waits cannot be answered.
const LandingPoint session.PointKind = "landing"

// Waiting is everything that waits for the person: what was cut short, then what the session has, oldest first.
func Waiting(p *project.Project, state registry.State) ([]session.Point, error) {
	var cut []session.Point
	if merge.Unfinished(p) {
		cut = append(cut, session.Point{Kind: LandingPoint, Since: session.LastSign(state),
			Text: "a landing is half done", Next: "delegate sync merge --continue, or --abort"})
	}
	cut = append(cut, session.Unwell(p, state)...)
	points, err := session.Points(p, state)
	return append(cut, points...), err
}
