// Package overview puts together what a session came to: what waits for the person, what each agent changed, which
// conflicts there are, and the page that a report makes of all that. It reads the registry, git and transcripts, of
// active sessions and of those that ended, and writes nothing.
package overview

import (
	"context"
	"fmt"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/land/compare"
	"delegate/internal/land/review"
	"delegate/internal/project"
	"delegate/registry"
)

// Ended says whether a session is over.
func Ended(state registry.State) bool {
	s := state.Session.Status
	return s == registry.SessionComplete || s == registry.SessionAborted
}

// Changes are what an agent changed since its fork point.
type Changes struct {
	Files      []change.File
	Head       string // that they lead to, if it was looked at just now
	Incomplete string // what could not be read of them
	Patch      string // the command that prints them
}

// Changed is what an agent changed: of work that has landed, what landed; of a session that ended,
// what lies between its fork point and its head; else also what is not committed. One that was never started has none.
func Changed(ctx context.Context, p *project.Project, state registry.State, ag registry.Agent) (c Changes, err error) {
	switch {
	case ag.Base == "":
		return c, nil
	case ag.Status == registry.Merged && ag.MergeCommit != "":
		c.Files, err = p.Landed(ctx, ag)
		return c, err
	case Ended(state):
		return unlanded(ctx, p, ag)
	}
	target, err := p.Target(ctx, *state.Session)
	if err != nil {
		return c, err
	}
	work, err := p.Seen(ctx, state.Session.ID, ag, target)
	return Changes{work.Files, work.Head, work.Incomplete, "delegate diff " + ag.ID}, err
}

// Hidden is what the review says of an agent's work that its diff does not: what runs by itself once it is merged, and
// what its history brings. Work that has landed or was given up has none.
func Hidden(ctx context.Context, p *project.Project, state registry.State, ag registry.Agent) ([]review.Remark, error) {
	if ag.Base == "" || ag.Head == "" || ag.Status.Ended() || Ended(state) {
		return nil, nil
	}
	target, err := p.Target(ctx, *state.Session)
	if err != nil {
		return nil, err
	}
	work, err := p.Seen(ctx, state.Session.ID, ag, target)
	if err != nil {
		return nil, err
	}
	brought, err := p.Brings(ctx, work.Fork, work.Head)
	if err != nil {
		return nil, err
	}
	c := compare.New(p)
	defer c.Close()
	return review.Hidden(ctx, review.Request{Before: c.Tree(ctx, work.Fork), After: c.Tree(ctx, work.Head),
		Changes: work.Files, Rules: p.Config.Review, History: brought})
}

// unlanded is work that had not landed when its session ended.
func unlanded(ctx context.Context, p *project.Project, ag registry.Agent) (c Changes, err error) {
	if ag.Head == "" {
		return c, nil
	}
	fork, err := p.Repo.MergeBase(ctx, ag.Base, ag.Head)
	if err != nil {
		return c, err
	}
	c.Patch = fmt.Sprintf("git diff %.12s %.12s", fork, ag.Head)
	c.Files, err = p.Repo.Changes(ctx, fork, ag.Head, git.DetectRenames)
	return c, err
}

// Side is one side of a file's change; nil where there is no content to show.
func Side(ctx context.Context, o *objects.Reader, mode uint32, id string) ([]byte, error) {
	if mode == 0 || mode == change.ModeSubmodule {
		return nil, nil
	}
	return o.Blob(ctx, id)
}

// Tail is the last lines that an agent printed, as they are kept beside the record.
func Tail(p *project.Project, state registry.State, ag registry.Agent, lines int) string {
	return project.Tail(p.RecordFile(state.Session.ID, ag.ID, "last-output.md"), lines)
}
