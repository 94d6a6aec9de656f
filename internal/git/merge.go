package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

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
// the type "Auto-merging". A pair that git gives up on costs a few processes more: git then ends,
// and goes on behind it with another. git 2.38, which knows no batch, takes a process for each
// pair.
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

// Stage is one side of a conflicted file: 1 base, 2 ours, 3 theirs.
type Stage struct {
	Mode   uint32
	ID     string
	Number int
	Path   string
}

// Message is what git says of one path or several: its stable type, such as `CONFLICT (contents)`, and a sentence.
type Message struct {
	Paths []string
	Type  string
	Text  string
}

// Merged is git's own three-way merge of two commits, made without a checkout.
// The tree of a conflicted merge holds files with conflict markers.
type Merged struct {
	Tree     string
	Clean    bool
	Stages   []Stage
	Messages []Message
}

// Merge merges theirs into ours and writes the tree's objects; no reference and no file of a checkout changes.
// Merge drivers of the configuration are not run: a file that names one conflicts, for a person to decide.
// Attributes count only if they are the repository's own, and no filter is run to even out line endings.
// ErrNoMergeBase (wrapped) if the two share no history.
func (r *Repo) Merge(ctx context.Context, ours, theirs string) (Merged, error) {
	env, err := r.mergeEnviron(ctx)
	if err != nil {
		return Merged{}, err
	}
	return r.mergeOne(ctx, Pair{Ours: ours, Theirs: theirs}, "", env)
}

// mergeArgs is the merge of two commits, the same whatever the configuration says.
func mergeArgs(how ...string) []string {
	args := []string{"-c", "merge.renames=true", "-c", "merge.directoryRenames=conflict", "-c",
		"merge.renameLimit=" + renameLimit,
		"-c", "merge.renormalize=false", "-c", "core.attributesFile=" + os.DevNull, "merge-tree", "--write-tree", "-z",
		"--messages"}
	return append(args, how...)
}

// mergeEnviron replaces the command of every configured merge driver by one that reports a
// conflict, and shuts out the system's attributes.
func (r *Repo) mergeEnviron(ctx context.Context) ([]string, error) {
	env, err := r.disarm(ctx, `^merge\..*\.driver$`, "false")
	return append(env, "GIT_ATTR_NOSYSTEM=1"), err
}

// mergeOne merges one pair in a process of its own. Messages of the type leave are left out.
func (r *Repo) mergeOne(ctx context.Context, p Pair, leave string, env []string) (Merged, error) {
	out, err := r.do(ctx, call{args: mergeArgs("--end-of-options", p.Ours, p.Theirs), env: env})
	code := run.ExitCode(err)
	if code == 0 || code == 1 && len(out) > 0 { // without an answer 1 says that one of them is no commit
		m, err := answer{bufio.NewReader(bytes.NewReader(out))}.merged(leave)
		if m.Clean = code == 0; !errors.Is(err, io.EOF) {
			return m, err
		}
		return m, nil
	}
	if code > 1 {
		if _, baseErr := r.MergeBase(ctx, p.Ours, p.Theirs); errors.Is(baseErr, ErrNoMergeBase) {
			return Merged{}, baseErr
		}
	}
	return Merged{}, fmt.Errorf("merge %.12s and %.12s: %w", p.Ours, p.Theirs, err)
}

// merged reads `TREE NUL (mode id stage TAB path NUL)* NUL (count NUL path… NUL type NUL text
// NUL)*` and the field that ends it in a batch. That is empty, or advice in free words if
// submodules conflict. io.EOF says that it is not there, and no fault more. Messages of the type
// leave are left out.
func (a answer) merged(leave string) (Merged, error) {
	tree, err := a.next()
	if err == nil && !isFullID(tree) {
		err = odd([]string{"merge-tree"}, tree)
	}
	if err != nil {
		return Merged{}, fmt.Errorf("git merge-tree answer: %w", err)
	}
	m := Merged{Tree: tree}
	if m.Stages, err = a.stages(); err != nil {
		return Merged{}, fmt.Errorf("git merge-tree stages: %w", err)
	}
	for {
		word, err := a.field()
		if err != nil {
			return m, err
		}
		count, err := strconv.Atoi(word)
		if err != nil {
			return m, nil
		}
		message, err := a.message(count)
		if err != nil {
			return Merged{}, fmt.Errorf("git merge-tree messages: %w", err)
		}
		if message.Type != leave {
			m.Messages = append(m.Messages, message)
		}
	}
}

func (a answer) stages() ([]Stage, error) {
	var all []Stage
	for {
		record, err := a.next()
		if err != nil || record == "" {
			return all, err
		}
		meta, path, found := strings.Cut(record, "\t")
		parts := strings.Fields(meta)
		if !found || len(parts) != 3 {
			return nil, fmt.Errorf("record %q", record)
		}
		mode, modeErr := strconv.ParseUint(parts[0], 8, 32)
		number, numberErr := strconv.Atoi(parts[2])
		if modeErr != nil || numberErr != nil || !isFullID(parts[1]) {
			return nil, fmt.Errorf("record %q", record)
		}
		all = append(all, Stage{Mode: uint32(mode), ID: parts[1], Number: number, Path: path})
	}
}

// message reads what follows the number of its paths.
func (a answer) message(count int) (Message, error) {
	var m Message
	for range count {
		path, err := a.next()
		if err != nil {
			return Message{}, err
		}
		m.Paths = append(m.Paths, path)
	}
	var err error
	if m.Type, err = a.next(); err != nil {
		return Message{}, err
	}
	text, err := a.next()
	m.Text = strings.TrimSpace(text)
	return m, err
}
