package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"delegate/change"
	"delegate/internal/run"
)

// Pair is two commits to merge.
type Pair struct{ Ours, Theirs string }

// Outcome is the merge of one pair, or why it could not be made: ErrNoMergeBase (wrapped) if the two share no history,
// a *run.ExitError (wrapped) with git's words if an object is missing.
type Outcome struct {
	Merged
	Err error
}

// routine is the type of a message that says nothing but that git looked into a file.
const routine = "Auto-merging"

// MergeAll is Merge for many pairs of commits in one process, in their order, without messages of
// the type "Auto-merging".
// A pair that git gives up on costs a few processes more: git then ends, and goes on behind it with another.
// git 2.38, which knows no batch, takes a process for each pair.
func (r *Repo) MergeAll(ctx context.Context, pairs []Pair) ([]Outcome, error) {
	for _, p := range pairs {
		if !isWord(p.Ours) || !isWord(p.Theirs) {
			return nil, fmt.Errorf("merge %q and %q: %w", p.Ours, p.Theirs, ErrNoCommit)
		}
	}
	if len(pairs) == 0 {
		return nil, nil
	}
	env, err := r.mergeEnviron(ctx)
	if err != nil {
		return nil, err
	}
	all, knowsBatch := make([]Outcome, 0, len(pairs)), true
	for len(all) < len(pairs) {
		if knowsBatch {
			var exit *run.ExitError
			answered, err := r.mergeBatch(ctx, pairs[len(all):], env)
			if all = append(all, answered...); len(all) == len(pairs) {
				break
			}
			if !errors.As(err, &exit) {
				return nil, fmt.Errorf("merge %d pairs, %d done: %w", len(pairs), len(all), err)
			}
			knowsBatch = exit.Code != usageError
		}
		p := pairs[len(all)]
		merged, err := r.mergeOne(ctx, p, routine, env)
		if err != nil && ctx.Err() != nil {
			return nil, err
		}
		all = append(all, Outcome{Merged: merged, Err: err})
	}
	return all, nil
}

// usageError is the status of a git that does not know an option.
const usageError = 129

// isWord says whether git's line-based input takes a revision for just that.
func isWord(revision string) bool {
	blank := func(c rune) bool { return c <= ' ' || c == 0x7f }
	return revision != "" && revision[0] != '-' && strings.IndexFunc(revision, blank) < 0
}

// mergeBatch merges pairs until one of them ends git. It returns the answers until then and, if
// they are not all, how git ended.
func (r *Repo) mergeBatch(ctx context.Context, pairs []Pair, env []string) ([]Outcome, error) {
	var input strings.Builder
	for _, p := range pairs {
		fmt.Fprintf(&input, "%s %s\n", p.Ours, p.Theirs)
	}
	all := make([]Outcome, 0, len(pairs))
	c := call{args: mergeArgs("--stdin"), stdin: strings.NewReader(input.String()), env: env}
	err := r.stream(ctx, c, func(a answer) error {
		for range pairs {
			merged, err := a.outcome()
			if err != nil {
				return err
			}
			all = append(all, Outcome{Merged: merged})
		}
		return nil
	})
	return all, err
}

// outcome reads `0|1 NUL` and the merge that it is the status of; io.EOF if no more come.
func (a answer) outcome() (Merged, error) {
	status, err := a.field()
	if err != nil {
		return Merged{}, err
	}
	if status != "0" && status != "1" {
		return Merged{}, fmt.Errorf("git merge-tree status %q", status)
	}
	m, err := a.merged(routine)
	m.Clean = status == "1"
	return m, err
}

// Span is two trees to compare, by their full ids.
type Span struct{ Base, Head string }

// ChangesAll is Changes with renames detected for many spans in one process: the files of each span,
// sorted by path, none if base and head are the same. Lines are not counted: Insertions, Deletions
// and Binary stay zero.
// Moves are searched for within the same limit as in merges. An object that is missing fails the whole call.
func (r *Repo) ChangesAll(ctx context.Context, spans []Span) ([][]change.File, error) {
	all, err := again(func() ([][]change.File, error) { return r.changesAll(ctx, spans) })
	for i := 0; err == nil && i < len(all); i++ {
		if len(all[i]) == 0 && spans[i].Base != spans[i].Head {
			err = r.sameFiles(ctx, spans[i].Base, spans[i].Head)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("compare %d pairs of trees: %w", len(spans), err)
	}
	return all, nil
}

func (r *Repo) changesAll(ctx context.Context, spans []Span) ([][]change.File, error) {
	all := make([][]change.File, len(spans))
	if len(spans) == 0 {
		return all, nil
	}
	var input strings.Builder
	for _, s := range spans {
		fmt.Fprintf(&input, "%s %s\n", s.Base, s.Head)
	}
	c := call{args: append(rawDiff(), "-M", "-l"+renameLimit, "--stdin"), stdin: strings.NewReader(input.String())}
	err := r.stream(ctx, c, func(a answer) error {
		for i, s := range spans {
			files, err := a.span(s)
			if err != nil {
				return err
			}
			all[i] = files
		}
		return nil
	})
	return all, err
}

// span reads the line that names the two trees, which comes for equal ones too, and the records that follow it.
func (a answer) span(s Span) ([]change.File, error) {
	line, err := a.ReadString('\n')
	if err != nil {
		return nil, err
	}
	if line != s.Base+" "+s.Head+"\n" {
		return nil, fmt.Errorf("git diff-tree answered %q for %.12s and %.12s", line, s.Base, s.Head)
	}
	return parseRecords(a)
}
