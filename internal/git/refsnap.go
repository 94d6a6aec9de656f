package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"delegate/internal/run"
)

// References are all references of the repository, and HEAD of its main checkout, by their full
// names: the id of the object that each names,
// and for a symbolic one "ref: " and the name it stands for.
func (r *Repo) References(ctx context.Context) (map[string]string, error) {
	main := r.At(r.CommonDir, "")
	all, err := main.refs(ctx, "%(symref)")
	if err != nil {
		return nil, fmt.Errorf("list references: %w", err)
	}
	refs := make(map[string]string, len(all)+1)
	for _, found := range all {
		if refs[found.name] = found.id; found.more != "" {
			refs[found.name] = "ref: " + found.more
		}
	}
	branch, commit, err := main.Head(ctx)
	switch {
	case err == nil || errors.Is(err, ErrUnborn):
		refs["HEAD"] = "ref: refs/heads/" + branch
	case errors.Is(err, ErrDetached):
		refs["HEAD"] = commit
	default:
		return nil, fmt.Errorf("list references: %w", err)
	}
	return refs, nil
}

// Beyond calls visit for each commit that the objects in from reach and those in known do not.
// Ids of objects that are no commits, or are not here any more, reach nothing.
func (r *Repo) Beyond(ctx context.Context, from, known []string, visit func(commit string)) error {
	var input strings.Builder
	for _, id := range from {
		input.WriteString(id + "\n")
	}
	for _, id := range known {
		input.WriteString("^" + id + "\n")
	}
	c := call{args: []string{"rev-list", "--ignore-missing", "--stdin"}, reads: true, limit: workLimit}
	c.stdin = strings.NewReader(input.String())
	commits, err := r.ids(ctx, c)
	if err != nil {
		return fmt.Errorf("list the commits beyond %d others: %w", len(known), err)
	}
	for _, commit := range commits {
		visit(commit)
	}
	return nil
}

// MadeHere are the commits that were made in this checkout, as far as git keeps a record of what its HEAD was moved to:
// not those that it was only set to, as by a reset, a checkout or a merge without a commit of its own.
// Whoever writes to the checkout's git folder can take the record away; then none is known.
func (r *Repo) MadeHere(ctx context.Context) ([]string, error) {
	out, err := r.read(ctx, "log", "--walk-reflogs", "--no-show-signature", "--no-notes", "--format=%H %gs", "HEAD",
		"--")
	if run.ExitCode(err) > 0 {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the record of HEAD in %q: %w", r.Worktree, err)
	}
	var made []string
	for line := range strings.Lines(string(out)) {
		id, what, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !isFullID(id) {
			return nil, fmt.Errorf("read the record of HEAD in %q: %w", r.Worktree, odd([]string{"log"}, line))
		}
		if makes(what) {
			made = append(made, id)
		}
	}
	return made, nil
}

// makes says whether an entry in the record of HEAD stands for a new commit.
func makes(entry string) bool {
	what, detail, _ := strings.Cut(entry, ": ")
	action, how, _ := strings.Cut(what, " ")
	switch action {
	case "commit", "cherry-pick", "revert", "am":
		return !strings.EqualFold(detail, "fast-forward")
	case "rebase":
		switch strings.TrimPrefix(how, "-i ") {
		case "(pick)", "(reword)", "(edit)", "(squash)", "(fixup)", "(continue)", "(merge)":
			return !strings.EqualFold(detail, "fast-forward")
		}
	case "merge", "pull":
		return strings.HasPrefix(detail, "Merge made by")
	}
	return false
}

// ConfigFile is what a file of git's configuration says, without what it includes: the values of
// each key in their order.
// Keys are as git names them: `core.hookspath`, `filter.lfs.clean`. A file that git cannot read is
// a *run.ExitError (wrapped).
func (r *Repo) ConfigFile(ctx context.Context, file string) (map[string][]string, error) {
	out, err := r.read(ctx, "config", "--file", file, "--list", "-z", "--no-includes")
	if err != nil {
		return nil, fmt.Errorf("read configuration %q: %w", file, err)
	}
	all := map[string][]string{}
	for _, field := range fields(out) {
		key, value, _ := strings.Cut(field, "\n")
		all[key] = append(all[key], value)
	}
	return all, nil
}
