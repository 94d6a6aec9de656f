package control

import (
	"context"

	"delegate/internal/keeper"
	"delegate/internal/project"
)

// StopAll ends every process of the session's agents, with the supervisor's help or without, and
// returns when none is left.
func StopAll(ctx context.Context, p *project.Project) error {
	state, err := p.Active(ctx)
	if err != nil {
		return err
	}
	for _, a := range state.Agents {
		for n := 1; n <= a.Turns+1; n++ {
			turn := keeper.Turn{Dir: p.TurnDir(state.Session.ID, a.ID, n)}
			if current, err := turn.State(); err != nil || current == keeper.Ended ||
				current == keeper.Prepared && !turn.Whole() {
				continue
			}
			if err := turn.Stop(p.Config.StopGrace.Value()); err != nil {
				return err
			}
		}
	}
	return nil
}
