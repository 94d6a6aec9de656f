package land

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"delegate/change"
	"delegate/internal/git"
	"delegate/internal/land/candidate"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/sys/run"
)

// UnderWayError says that a checkout is in the middle of an operation, such as a merge. It is an ErrRefused.
type UnderWayError struct{ What, Path string }

func (e *UnderWayError) Error() string {
	return fmt.Sprintf("%v: git %s is in progress in %q", ErrRefused, e.What, e.Path)
}

func (e *UnderWayError) Unwrap() error { return ErrRefused }

// Next is what ends the operation.
func (e *UnderWayError) Next() string {
	if e.What == "bisect" {
		return fmt.Sprintf("end it with git -C %s bisect reset", run.Quote(e.Path))
	}
	return fmt.Sprintf("finish it with git -C %[1]s %[2]s --continue, or undo it with git -C %[1]s %[2]s --abort",
		run.Quote(e.Path), e.What)
}

// Ready is an ErrRefused where a landing on the branch, a full reference name, would be refused now whatever it brings.
func Ready(ctx context.Context, p *project.Project, target string) error {
	_, err := (&lander{p: p, journal: journal.Landing{Target: target}}).holder(ctx)
	return err
}

// holder is the checkout on the target branch, nil if there is none. A checkout in the middle of a
// merge or rebase is refused, and so are two checkouts on the branch: only one of them could be
// kept in step. So is a branch that is only a name of another, which its checkout would then be on.
func (l *lander) holder(ctx context.Context) (*git.Repo, error) {
	if symbolic, err := l.p.Repo.IsSymbolic(l.journal.Target); err != nil || symbolic {
		return nil, errors.Join(err, fmt.Errorf("%w: %s is only another name of a branch (git symbolic-ref %[2]s); "+
			"make it one of its own, or start a session on that one", ErrRefused, l.journal.Target))
	}
	all, err := l.p.Repo.Branches(ctx)
	if err != nil {
		return nil, err
	}
	var found *git.Repo
	for _, w := range all {
		if w.Bare || w.Prunable {
			continue
		}
		at, err := l.p.Repo.OpenWorktree(w.Path)
		if err != nil {
			return nil, err
		}
		if at.Rebasing() == l.journal.Target {
			return nil, &UnderWayError{"rebase", w.Path}
		}
		if w.Branch != l.journal.Target {
			continue
		}
		if what := at.InProgress(); what != "" {
			return nil, &UnderWayError{what, w.Path}
		}
		if found != nil {
			return nil, fmt.Errorf("%w: both %s and %s are on %s; switch one of them to another branch", ErrRefused,
				found.Worktree, w.Path, l.journal.Target)
		}
		found = at
	}
	if found == nil {
		return nil, nil
	}
	return found, l.checkReplaced(ctx)
}

// InTheWay are the files of the target's checkout that a person edited, or made and does not ignore, where landing the
// candidate would write, for who is about to answer: what refuses a landing is looked at when it lands. ErrRefused
// (wrapped) is why it would be refused as everything is now.
func InTheWay(ctx context.Context, p *project.Project, c candidate.Candidate) (paths []string, err error) {
	l := &lander{p: p, journal: journal.Landing{Target: c.Target}}
	holder, err := l.holder(ctx)
	if err != nil || holder == nil {
		return nil, err
	}
	entries, err := holder.Status(ctx)
	for _, e := range entries {
		if slices.ContainsFunc(c.Changes, func(f change.File) bool {
			return e.Path == f.Path || e.Path == f.OldPath || strings.HasPrefix(f.Path, e.Path+"/") ||
				strings.HasPrefix(e.Path, f.Path+"/")
		}) {
			paths = append(paths, e.Path)
		}
	}
	return paths, err
}
