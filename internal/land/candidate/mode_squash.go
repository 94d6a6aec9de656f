package candidate

import (
	"context"
	"strings"

	"delegate/internal/git"
	"delegate/internal/project"
)

// squash lands the work of each agent as one commit.
type squash struct{}

func (squash) Replay(context.Context, *git.Repo, Member) ([]Replayed, error) { return nil, nil }

func (squash) Commit(m Member, onto string) (string, []string) {
	subject, task := project.Subject(m.Agent), strings.TrimSpace(m.Agent.Description)
	if task == subject {
		return subject, []string{onto}
	}
	return subject + "\n\n" + task, []string{onto}
}

func (squash) Notes([]Member) []string { return nil }
