package git

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/run"
)

// cached is the answer to a question about objects: the one that is known, else what ask finds.
// Errors are not kept, since a missing object can come, and nothing is where a name is no full id,
// in a quarantine, whose objects go, and in a shallow repository, whose history can grow. Callers
// share the answer and do not change it.
func cached[T any](r *Repo, question string, ids []string, ask func() (T, error)) (T, error) {
	if r.facts == nil || r.Quarantined() || slices.ContainsFunc(ids, func(id string) bool { return !isFullID(id) }) {
		return ask()
	}
	key := question + " " + strings.Join(ids, " ")
	if answer, known := r.facts.find(key).(T); known {
		return answer, nil
	}
	answer, err := ask()
	if err == nil && !isThere(filepath.Join(r.CommonDir, "shallow")) {
		r.facts.keep(key, answer)
	}
	return answer, err
}

// id is the one object id that git answers with.
func (r *Repo) id(ctx context.Context, c call) (string, error) {
	out, err := r.do(ctx, c)
	if err != nil {
		return "", err
	}
	id, ended := strings.CutSuffix(string(out), "\n")
	if !ended || !isFullID(id) {
		return "", odd(c.args, string(out))
	}
	return id, nil
}

// readID is id for a call that changes nothing.
func (r *Repo) readID(ctx context.Context, args ...string) (string, error) {
	return r.id(ctx, call{args: args, reads: true})
}

// line is read for an answer of one line, which may be an empty line but not nothing.
func (r *Repo) line(ctx context.Context, args ...string) (string, error) {
	return oneLine(ctx, r.command(call{args: args, reads: true}))
}

func oneLine(ctx context.Context, c run.Command) (string, error) {
	out, err := output(ctx, call{reads: true}, c)
	if err != nil {
		return "", err
	}
	line, ended := strings.CutSuffix(string(out), "\n")
	if !ended {
		return "", odd(c.Args, string(out))
	}
	return line, nil
}

// lines is read for an answer of lines, or of none.
func (r *Repo) lines(ctx context.Context, args ...string) ([]string, error) {
	out, err := r.read(ctx, args...)
	if err != nil {
		return nil, err
	}
	return split(args, out, "\n")
}

// ids is lines for object ids.
func (r *Repo) ids(ctx context.Context, c call) ([]string, error) {
	out, err := r.do(ctx, c)
	if err != nil {
		return nil, err
	}
	all, err := split(c.args, out, "\n")
	for _, id := range all {
		if !isFullID(id) {
			return nil, odd(c.args, id)
		}
	}
	return all, err
}

// fields are those of a -z answer that cannot be empty.
func (r *Repo) fields(ctx context.Context, c call) ([]string, error) {
	out, err := r.do(ctx, c)
	all := fields(out)
	if err == nil && len(all) == 0 {
		err = odd(c.args, string(out))
	}
	return all, err
}
