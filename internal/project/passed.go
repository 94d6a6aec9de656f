package project

import (
	"context"

	"delegate/internal/suite"
)

// Passed is what is remembered of verify commands on a commit's tree, and whether each of them
// passed there. Nothing is run. Without lines they are those of the configuration as it is now.
func (p *Project) Passed(ctx context.Context, commit string, lines []string) (Outcome, bool) {
	if len(lines) == 0 {
		all, err := p.Commands(ctx, commit)
		if err != nil {
			return Outcome{}, false
		}
		lines = suite.Lines(all)
	}
	tree, err := p.subject(ctx, commit)
	if err != nil || len(lines) == 0 {
		return Outcome{}, false
	}
	o, open := p.known(tree, lines)
	return o, len(open) == 0
}
