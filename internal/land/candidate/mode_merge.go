package candidate

import (
	"context"
	"fmt"

	"delegate/internal/git"
	"delegate/internal/project"
)

// mergeCommit lands the work of each agent by a merge of its head.
type mergeCommit struct{}

func (mergeCommit) Replay(context.Context, *git.Repo, Member) ([]Replayed, error) { return nil, nil }

func (mergeCommit) Commit(m Member, onto string) (string, []string) {
	return fmt.Sprintf("Merge %s: %s", m.Agent.Name, project.Subject(m.Agent)), []string{onto, m.Head}
}

func (mergeCommit) Notes([]Member) []string {
	return []string{"a merge commit for each agent, with its own commits (landing.mode: merge)"}
}
