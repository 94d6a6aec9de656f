package candidate

import (
	"context"

	"delegate/internal/git"
	"delegate/internal/project/config"
)

// Mode says how the work of a candidate's members comes into the target's history.
type Mode interface {
	// Replay are the agent's own commits on top of what lies below it, one by one. It answers none where the work comes
	// as one commit.
	Replay(ctx context.Context, repo *git.Repo, m Member) ([]Replayed, error)
	// Commit is what one commit for all of the work says and has as parents, the first of which is onto.
	Commit(m Member, onto string) (message string, parents []string)
	// Notes are what the question says of it.
	Notes(members []Member) []string
}

// Replayed is one commit of an agent on top of what lies below it.
type Replayed struct{ Commit, Tree string }

// modes are the ways to land, by the values of landing.mode.
func modes() map[string]Mode {
	return map[string]Mode{
		config.LandByMerge:  mergeCommit{},
		config.LandBySquash: squash{},
		config.LandByRebase: rebase{},
		// each request gets what a squash makes
		config.LandByPullRequest: squash{},
	}
}

// Mode is how the candidate lands.
func (c Candidate) Mode() Mode {
	if c.Kind == Rollback {
		return inverse{}
	}
	return modes()[c.ModeName]
}

// KeepsCommits reports whether the agent's own commits come into the target's history with its work.
func (c Candidate) KeepsCommits(m Member) bool {
	_, parents := c.Mode().Commit(m, m.Base)
	return len(m.Replayed) > 0 || len(parents) > 1
}
