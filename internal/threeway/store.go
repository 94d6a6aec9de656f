package threeway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"delegate/change"
	"delegate/internal/git"
)

// ResolutionsRef is the reference under which resolutions are kept: a commit whose tree has a
// folder for each, named by its key, with `result` (the file, unless the answer is that it goes),
// `preimage` (the text with the lines in conflict, if it is one) and `note.json`. So they survive
// the loss of all private state, no garbage collection takes them, and a push takes them along if a
// person names them.
const ResolutionsRef = "refs/delegate/resolutions"

// Resolutions are the answers to clashes that a repository remembers. It serves one caller at a
// time; several processes may write.
type Resolutions struct {
	repo   *git.Repo
	commit string // that the rest was read from, "" before there is any
	known  map[string]Resolution
	before map[string]string // by key: the blob of the text before it was resolved
}

// NewResolutions are those of a repository. Nothing is read before it is asked for.
func NewResolutions(repo *git.Repo) *Resolutions { return &Resolutions{repo: repo} }

// The files of one resolution.
const (
	resultFile   = "result"
	preimageFile = "preimage"
	noteFile     = "note.json"
)

// load reads what is remembered if that has changed.
func (r *Resolutions) load(ctx context.Context) error {
	commit, _, err := r.repo.Ref(ctx, ResolutionsRef)
	if err != nil || r.known != nil && commit == r.commit {
		return err
	}
	known, before := map[string]Resolution{}, map[string]string{}
	if commit != "" {
		if err := r.readAll(ctx, commit, known, before); err != nil {
			return fmt.Errorf("read %s: %w", ResolutionsRef, err)
		}
	}
	r.commit, r.known, r.before = commit, known, before
	return nil
}

func (r *Resolutions) readAll(ctx context.Context, commit string, known map[string]Resolution,
	before map[string]string) (err error) {
	entries, err := r.repo.Entries(ctx, commit)
	if err != nil {
		return err
	}
	blobs, err := r.repo.OpenBlobs(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	for _, e := range entries { // sorted: the note comes before the result
		key, name, _ := strings.Cut(e.Path, "/")
		switch name {
		case noteFile:
			data, _, err := blobs.Read(e.ID, largestText)
			if err != nil {
				return err
			}
			var one Resolution
			if err := json.Unmarshal(data, &one); err != nil {
				return fmt.Errorf("note %q: %w", e.Path, err)
			}
			one.Key, one.Mode, one.ID = key, 0, ""
			known[key] = one
		case preimageFile:
			before[key] = e.ID
		case resultFile:
			one := known[key]
			one.Mode, one.ID = e.Mode, e.ID
			known[key] = one
		}
	}
	return nil
}

// List is all that is remembered, newest first.
func (r *Resolutions) List(ctx context.Context) ([]Resolution, error) {
	if err := r.load(ctx); err != nil {
		return nil, err
	}
	return append([]Resolution{}, r.like(func(Resolution) bool { return true })...), nil
}

func newestFirst(a, b Resolution) int {
	if c := b.When.Compare(a.When); c != 0 {
		return c
	}
	return strings.Compare(a.Key, b.Key)
}

// like are the answers of a kind, newest first.
func (r *Resolutions) like(fits func(Resolution) bool) []Resolution {
	var all []Resolution
	for _, one := range r.known {
		if fits(one) {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, newestFirst)
	return all
}

// keep writes one answer in place of an older one for the same clash.
func (r *Resolutions) keep(ctx context.Context, one Resolution, before string) error {
	data, err := json.MarshalIndent(one, "", "  ")
	if err != nil {
		return fmt.Errorf("remember the resolution of %q: %w", one.Path, err)
	}
	note, err := r.repo.WriteBlob(ctx, append(data, '\n'))
	if err != nil {
		return err
	}
	return r.change(ctx, fmt.Sprintf("Resolve %s: %s\n", one.Path, one.Method), func() ([]git.Entry, error) {
		entries := []git.Entry{
			{Path: one.Key + "/" + noteFile, Mode: change.ModeFile, ID: note},
			{Path: one.Key + "/" + preimageFile, Mode: change.ModeFile, ID: before},
			{Path: one.Key + "/" + resultFile, Mode: one.Mode, ID: one.ID},
		}
		return entries, nil
	})
}

// UnknownResolutionError says that nothing, or more than one thing, is remembered under a key or the beginning of one.
type UnknownResolutionError struct {
	Key   string
	Found int
}

func (e *UnknownResolutionError) Error() string {
	if e.Found > 1 {
		return fmt.Sprintf("%d resolutions have a key that begins with %q", e.Found, e.Key)
	}
	return fmt.Sprintf("no resolution has the key %q", e.Key)
}

// Forget takes one answer away, by its key or the beginning of it, so that the clash is asked about again.
// *UnknownResolutionError if that names none or several. What was forgotten stays in the history of ResolutionsRef.
func (r *Resolutions) Forget(ctx context.Context, key string) (Resolution, error) {
	var gone Resolution
	err := r.change(ctx, "Forget "+key+"\n", func() ([]git.Entry, error) {
		found := 0
		for name, one := range r.known {
			if strings.HasPrefix(name, key) && key != "" {
				found, gone = found+1, one
			}
		}
		if found != 1 {
			return nil, &UnknownResolutionError{Key: key, Found: found}
		}
		var entries []git.Entry
		for _, name := range []string{noteFile, preimageFile, resultFile} {
			entries = append(entries, git.Entry{Path: gone.Key + "/" + name})
		}
		return entries, nil
	})
	return gone, err
}

// mostTries bounds how often a write begins again because others write as well.
const mostTries = 100

// change writes entries that are decided on what is remembered now, by compare-and-swap.
func (r *Resolutions) change(ctx context.Context, message string, decide func() ([]git.Entry, error)) error {
	var last error
	for range mostTries {
		if err := r.load(ctx); err != nil {
			return err
		}
		entries, err := decide()
		if err != nil {
			return err
		}
		var parents []string
		tree := r.commit
		if tree != "" {
			parents = []string{r.commit}
		} else if tree, err = r.repo.EmptyTree(ctx); err != nil {
			return err
		}
		if tree, err = r.repo.EditTree(ctx, tree, entries); err != nil {
			return err
		}
		commit, err := r.repo.CommitTree(ctx, tree, message, parents...)
		if err != nil {
			return err
		}
		var moved *git.MovedError
		last = r.repo.UpdateRefs(ctx, "delegate: "+strings.TrimSpace(message),
			git.RefUpdate{Ref: ResolutionsRef, Old: r.commit, New: commit})
		if !errors.As(last, &moved) {
			return last
		}
	}
	return last
}
