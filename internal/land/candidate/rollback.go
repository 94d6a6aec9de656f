package candidate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/git"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/record/audit"
	"delegate/registry"
)

// BuildRollback makes the candidate that takes back an agent's landing: the target as it is now
// without those changes, built and tested like any other. Where the target has none of them any
// more, a yes is for the record alone (Candidate.OnlyRecord).
func (b *Builder) BuildRollback(ctx context.Context, state registry.State, id string) (Candidate, error) {
	a, err := state.Find(id)
	if err != nil {
		return Candidate{}, err
	}
	if _, err := registry.Next(a.Status, registry.EventRolledBack, registry.Person); err != nil {
		return Candidate{}, &NotMergedError{Agent: a.ID, Status: a.Status}
	}
	if a.PullRequest.State == registry.PullRequestMerged && a.PullRequest.Of == a.Head {
		return Candidate{}, fmt.Errorf("roll back %s: it was merged by the pull request %s; take it back in another "+
			"one", a.ID, a.PullRequest)
	}
	c := Candidate{Kind: Rollback, Session: *state.Session, ModeName: config.LandByMerge, Message: b.Message,
		Target: "refs/heads/" + state.Session.Target}
	if c.Tip, err = b.Project.Target(ctx, c.Session); err != nil {
		return Candidate{}, err
	}
	m := Member{Agent: a, Base: c.Tip, Work: project.Work{Head: a.Head, Fork: a.Base}}
	if lost, err := audit.LostWork(ctx, b.Project, registry.State{Session: state.Session, Agents: []registry.Agent{a}},
		c.Tip); err != nil {
		return Candidate{}, err
	} else if len(lost) > 0 {
		return c.ofRecord(m, lost[0].Text), nil
	}
	if m.Head, err = b.Project.Inverse(ctx, a.MergeCommit, a.MergedOnto); err != nil {
		return Candidate{}, err
	}
	merged, err := b.mergeMember(ctx, &c, &m)
	if err != nil {
		return Candidate{}, err
	}
	if m.Tree != "" { // what it changes had passed the gate, so it is held against no scope
		if m.Changes, err = b.Project.Repo.Changes(ctx, m.Base, m.Tree, git.DetectRenames); err != nil {
			return Candidate{}, err
		}
	}
	c.Members = []Member{m}
	if m.Tree != "" && len(m.Changes) == 0 {
		return c.ofRecord(m, fmt.Sprintf("what %s landed is taken out of %s already", a.ID, state.Session.Target)), nil
	}
	if m.Tree == "" {
		return Candidate{}, b.builtOn(ctx, a, c.Tip, merged.merged.Stages)
	}
	if err := b.finish(ctx, &c); err != nil {
		return Candidate{}, err
	}
	c.Digest = c.digest(b.Project.Config.Verify)
	return c, nil
}

// builtOn says which commits up to the tip changed what a landing did, so that git cannot take it out.
func (b *Builder) builtOn(ctx context.Context, a registry.Agent, tip string, stages []git.Stage) error {
	touched, err := b.Project.Repo.Touched(ctx, a.MergeCommit, tip)
	if err != nil {
		return err
	}
	var later []string
	for _, s := range stages {
		words := "its place in the history changed"
		if commit := touched[s.Path]; commit != "" {
			words = fmt.Sprintf("%.12s changed %s after it", commit, s.Path)
		}
		if !slices.Contains(later, words) {
			later = append(later, words)
		}
	}
	by := "git revert " + fmt.Sprintf("%.12s", a.MergeCommit)
	switch parents, err := b.Project.Repo.Parents(ctx, a.MergeCommit); {
	case err != nil:
		return err
	case a.MergedOnto != "":
		by = fmt.Sprintf("git revert %.12s..%.12s", a.MergedOnto, a.MergeCommit)
	case len(parents) > 1:
		by = fmt.Sprintf("git revert -m 1 %.12s", a.MergeCommit)
	}
	return fmt.Errorf("roll back %s: %s, so git cannot take it out; revert by hand with %s, which stops there for you "+
		"to decide", a.ID, strings.Join(later, ", "), by)
}

// ofRecord is the candidate that only writes down what is so already.
func (c Candidate) ofRecord(m Member, why string) Candidate {
	c.Members, c.OnlyRecord, c.Notes = []Member{m}, true,
		[]string{why, "only the record changes: it is ready to merge again"}
	c.Digest = c.digest(nil)
	return c
}

// NotMergedError says that there is no landing of the agent to take back.
type NotMergedError struct {
	Agent  string
	Status registry.Status
}

func (e *NotMergedError) Error() string {
	return fmt.Sprintf("roll back %s (%s): only merged work can be rolled back", e.Agent, e.Status.Word())
}

// inverse takes a landing back by one commit on top of the target.
type inverse struct{ squash }

func (inverse) Commit(m Member, onto string) (string, []string) {
	return fmt.Sprintf("Roll back %s: %s\n\nThis takes back the landing %s.", m.Agent.Name,
		project.Subject(m.Agent), m.Agent.MergeCommit), []string{onto}
}
