package control

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"

	"delegate/internal/control/session"
	"delegate/registry"
	"delegate/scope"
)

// Outside are the files outside of an agent's scope that it changed, and those that it was refused to write.
type Outside struct{ Changed, Refused []string }

// Outside is what is known of an agent outside of its scope.
func (c Control) Outside(ctx context.Context, id string) (registry.Agent, Outside, error) {
	a, sessionID, err := c.find(ctx, id)
	if err != nil {
		return a, Outside{}, err
	}
	open, err := session.ReadBreaches(c.P, sessionID, a)
	return a, Outside{Changed: slices.Sorted(maps.Keys(open)), Refused: a.Refused}, err
}

// Matchless are those of the globs that match neither a file of the agent's work nor one outside of its scope: a
// misspelled name allows what nobody meant.
func (c Control) Matchless(ctx context.Context, a registry.Agent, outside Outside, globs []string) ([]string, error) {
	files, err := c.P.Repo.Files(ctx, cmp.Or(a.Head, a.Base, "HEAD"))
	if err != nil {
		return nil, err
	}
	files = slices.Concat(files, outside.Changed, outside.Refused)
	var matchless []string
	for _, glob := range globs {
		allows, err := scope.New(scope.Config{Allowed: []string{glob}, Roots: c.P.Config.AllowedRoots})
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(files, func(name string) bool {
			return allows.Check(name).Allowed || scope.Within(name, path.Clean(glob))
		}) {
			matchless = append(matchless, glob)
		}
	}
	return matchless, nil
}
