package main

import (
	"context"
	"slices"
	"strings"

	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/registry"
)

// sayNext tells after the last question how the session goes on: also what became ready while others were asked about.
func (a *app) sayNext(ctx context.Context, p *project.Project, asked []string) error {
	state, err := p.Store.View(ctx)
	if err != nil || state.Session == nil {
		return err
	}
	var ready, running, starting []string
	for _, ag := range state.Agents {
		switch {
		case ag.Status == registry.Complete && !slices.Contains(asked, ag.ID):
			ready = append(ready, ag.ID)
		case ag.Status == registry.Running || ag.Status == registry.Spawning:
			running = append(running, ag.ID)
		case session.MayStart(state, ag): // what it waited for has just landed
			starting = append(starting, ag.ID)
		}
		if stuck := session.CannotStart(state, ag); stuck != "" {
			a.printf("\n%s %s\n", ag.ID, stuck)
		}
	}
	if allEnded(state) {
		a.printf("\n%s\n", everyoneEnded)
		return nil
	}
	var parts []string
	if len(running) > 0 {
		parts = append(parts, "Running: "+strings.Join(running, ", ")+".")
	}
	if len(starting) > 0 {
		parts = append(parts, "Starts now: "+strings.Join(starting, ", ")+".")
	}
	switch {
	case len(ready) > 0:
		parts = append(parts, "Ready to land as well: "+strings.Join(ready, ", ")+". Go on with: delegate sync")
	case len(parts) > 0:
		parts = append(parts, "To wait for what is ready next: delegate sync wait")
	default:
		return nil
	}
	a.printf("\n%s\n", strings.Join(parts, " "))
	return nil
}
