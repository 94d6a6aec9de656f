package audit

import (
	"context"

	"delegate/internal/project"
	"delegate/internal/record"
)

// CheckDecisions holds the record against the private log of decisions and landings. It changes nothing.
func CheckDecisions(ctx context.Context, p *project.Project) (record.DecisionCheck, []Disagreement, error) {
	check, err := p.Store.CheckDecisions(ctx)
	var found []Disagreement
	for _, f := range check.Faults {
		text := f.Text
		if f.Session != "" {
			text = f.Session + ": " + text
		}
		found = append(found, Disagreement{Kind: DecisionDiffers, Text: text, Next: append([]string{}, f.Next...)})
	}
	return check, found, err
}
