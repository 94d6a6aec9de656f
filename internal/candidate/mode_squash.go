package candidate

import (
	"context"
	"fmt"
	"strings"

	"delegate/internal/git"
	"delegate/internal/project"
)

// squash lands the work of each agent as one commit.
type squash struct{}

func (squash) Replay(context.Context, *git.Repo, Member) ([]Replayed, error) { return nil, nil }

func (squash) Commit(m Member, onto string) (string, []string) {
	return fmt.Sprintf("%s\n\n%s", project.Subject(m.Agent), strings.TrimSpace(m.Agent.Description)),
		[]string{onto}
}

func (squash) Notes([]Member) []string { return nil }
