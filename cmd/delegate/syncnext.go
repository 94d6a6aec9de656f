package main

import (
	"context"
	"strings"

	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/registry"
)

// sayNext tells after the last question how the session goes on.
func (a *app) sayNext(ctx context.Context, p *project.Project) error {
	state, err := p.Store.View(ctx)
	if err != nil || state.Session == nil {
		return err
	}
	var running, starting []string
	for _, ag := range state.Agents {
		switch {
		case ag.Status == registry.Running || ag.Status == registry.Spawning:
			running = append(running, ag.ID)
		case session.MayStart(state, ag): // what it waited for has just landed
			starting = append(starting, ag.ID)
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
	if len(parts) > 0 {
		a.printf("\n%s To wait for what is ready next: delegate sync wait\n", strings.Join(parts, " "))
	}
	return nil
}
