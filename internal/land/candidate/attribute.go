package candidate

import (
	"context"
	"slices"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/project"
)

// attribute tells a finding of a member with the target as one with the member below that all of its places there are
// from, where the target itself has not changed these files; else it names the members below at single places. since
// has what the target changed since the forks of members, as far as it was read.
func (b *Builder) attribute(ctx context.Context, c *Candidate, at int, since map[string][]change.File) (err error) {
	below, found, fork := c.Members[:at], c.Members[at].Findings, c.Members[at].Work.Fork
	if len(below) == 0 || len(found) == 0 {
		return nil
	}
	moved, known := since[fork]
	if !known {
		if moved, err = b.Project.Repo.Changes(ctx, fork, c.Tip, git.DetectRenames); err != nil {
			return err
		}
		since[fork] = moved
	}
	for n, f := range found {
		whole := ""
		for i := range f.Places {
			if f.Places[i].Agent != project.TargetName {
				continue
			}
			var from []string
			for _, x := range below {
				if touches(x.Changes, f.Places[i].Path) {
					from = append(from, x.Agent.ID)
				}
			}
			one := ""
			if len(from) == 1 {
				one = from[0]
			}
			switch {
			case one == "" || touches(moved, f.Places[i].Path) || whole != "" && whole != one:
				whole = project.TargetName
			case whole == "":
				whole = one
			}
			if one != "" {
				f.Places[i].Agent = one
			}
		}
		if whole != "" && whole != project.TargetName {
			found[n] = f.OfAgent(whole)
		}
	}
	return nil
}

// touches says whether changes are to a path, by its name now or before.
func touches(changes []change.File, path string) bool {
	return slices.ContainsFunc(changes, func(c change.File) bool { return c.Path == path || c.BasePath() == path })
}
