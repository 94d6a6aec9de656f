package project

import (
	"context"
	"maps"
	"slices"

	"delegate/change"
	"delegate/registry"
)

// History is a piece of history, and what it comes to.
type History struct {
	From, To string
	Changes  []change.File
}

// PastBreach is a path outside of an agent's scope that its commits have and the result of them does not.
type PastBreach struct {
	Path   string
	Commit string // the newest of them
}

// PastBreaches lists such paths, sorted. Who looks at results alone does not see them, and they
// come into a branch with the commits.
func (p *Project) PastBreaches(ctx context.Context, a registry.Agent, s History) ([]PastBreach, error) {
	limits, err := p.Scope(a)
	if err != nil {
		return nil, err
	}
	touched, err := p.Repo.Touched(ctx, s.From, s.To)
	if err != nil {
		return nil, err
	}
	for _, f := range s.Changes {
		delete(touched, f.Path)
		delete(touched, f.BasePath())
	}
	var all []PastBreach
	for _, path := range slices.Sorted(maps.Keys(touched)) {
		if !limits.Check(path).Allowed {
			all = append(all, PastBreach{path, touched[path]})
		}
	}
	return all, nil
}
