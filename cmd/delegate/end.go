package main

import (
	"context"
	"fmt"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/internal/tidy/completion"
)

// endVerb is the hidden command under which this program ends a session for its supervisor.
const endVerb = "__end"

// endDecided ends the session if nothing in it waits for anybody. What keeps it from ending is told at the next command
// that reads.
func endDecided(ctx context.Context, p *project.Project) error {
	state, err := p.Active(ctx)
	if err != nil || !session.Decided(state) {
		return err
	}
	closing, err := completion.VerifyFinal(ctx, p, state)
	if err == nil && closing.Tests.Result == project.Fail {
		err = fmt.Errorf("%s fails %q (%s)", state.Session.Target, closing.Tests.Command, closing.Tests.Reason)
	}
	if err == nil {
		closing.Who, closing.Unattended = session.BySupervisor, true
		_, err = completion.Complete(ctx, p, closing)
	}
	if err == nil {
		return nil
	}
	return session.KeepNotices(p, []string{fmt.Sprintf("all work of %s is merged or aborted, and it did not end by "+
		"itself: %s. End it with: delegate sync complete", state.Session.ID, project.OneLine(err.Error()))})
}
