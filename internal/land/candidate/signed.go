package candidate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"delegate/internal/land/approval"
	"delegate/internal/project"
)

// Statement is what a person signs who approves the candidate at that time.
func (c Candidate) Statement(at time.Time) approval.Statement {
	s := approval.Statement{Operation: approval.Landing, Session: c.Session.ID, Agents: c.IDs(), Target: c.TargetName(),
		Commit: c.Tip, Tree: c.Tree, Digest: c.Digest, Time: at.UTC().Truncate(time.Second)}
	switch {
	case c.To != nil:
		s.Operation = approval.PullRequest
	case c.Kind == Rollback:
		s.Operation = approval.Rollback
	}
	return s
}

// errUnsigned says that a candidate needs a signature and has none.
var errUnsigned = errors.New("approval is by a key here, and nothing was signed")

// CheckSigned refuses an approved candidate that has to be signed and is not, or not by one who may approve it. It is
// asked by whoever carries the candidate out.
func CheckSigned(ctx context.Context, p *project.Project, ok Approved) error {
	c := ok.Candidate()
	needed, err := p.ApprovalByKey(ctx, &c.Session)
	if err != nil || !needed {
		return err
	}
	if ok.signed == "" {
		return errUnsigned
	}
	keys, err := approval.Find(ctx, p.Home, p.Main)
	if err != nil {
		return err
	}
	said, _, err := keys.Check(ctx, ok.signed)
	if err == nil && !said.Same(c.Statement(said.Time)) {
		err = errors.New("something else was signed")
	}
	if err != nil {
		return fmt.Errorf("approve %s: %w", c.Title(), err)
	}
	return nil
}
