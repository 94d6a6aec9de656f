// Package threeway holds what is known of three versions of a file: the base, ours and theirs.
//
// It takes a merge that git could not finish apart into clashes, merges texts line by line and reads the markers
// between which both sides of a clash stand, and remembers what a person decided about a clash, for whenever it comes
// again.
package threeway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/change"
	"delegate/internal/git"
)

// Method is how a person resolves a clash.
type Method string

// The methods. The last two are about an agent and not about one file; they are recorded and not remembered.
const (
	// ChooseOne takes the whole file of one side.
	ChooseOne Method = "CHOOSE_ONE"
	// ManualMerge takes what the person made of both.
	ManualMerge Method = "MANUAL_MERGE"
	// Sequential has the agent adapt its work to what is there.
	Sequential Method = "SEQUENTIAL"
	// AbortAgent gives the agent's work up.
	AbortAgent Method = "ABORT"
)

// Resolution is a person's answer to a clash, remembered for whenever the same clash comes again.
type Resolution struct {
	Key    string    `json:"key"`            // of the clash that was answered, at its path
	Path   string    `json:"path"`           // of the file that it answers for now
	First  string    `json:"first"`          // the path that it was given for
	Method Method    `json:"method"`         // ChooseOne or ManualMerge
	Side   string    `json:"side,omitempty"` // whose file ChooseOne took: an agent's id, or TargetName
	Who    string    `json:"who"`
	Why    string    `json:"why,omitempty"`
	When   time.Time `json:"when"`
	Mode   uint32    `json:"-"`            // of the result; the tree that keeps it has it
	ID     string    `json:"id,omitempty"` // the blob of the result; "" takes the file away
	// Files is the key of the three files, by which it is found at another path.
	Files string `json:"files"`
	// Lines is the key of the lines in conflict, by which it is found in a file that changed elsewhere; "" for none.
	Lines string `json:"lines,omitempty"`
	// Alike says that it was found by those lines and not by the whole files.
	Alike bool `json:"alike,omitempty"`
}

// String is the resolution in one line.
func (r Resolution) String() string {
	text := fmt.Sprintf("%s: resolved as on %s by %s: %s", r.Path, r.When.UTC().Format(time.DateOnly), r.Who, r.Method)
	if r.Side != "" {
		text += " " + r.Side
	}
	if r.Why != "" {
		text += ", " + r.Why
	}
	if r.First != r.Path {
		text += fmt.Sprintf(" (decided for %s)", r.First)
	}
	if r.Alike {
		text += " (the same lines clash, in a file that changed elsewhere)"
	}
	return text
}

// Applied is a merge with what is remembered about its clashes.
type Applied struct {
	Tree string // with every clash resolved; "" if one stays open
	Used []Resolution
	Open []Clash
}

// Apply resolves the clashes of a merge as far as somebody decided them before. What git left in
// repo is read there, and a tree is written there; no reference moves. A remembered answer that
// does not fit cleanly is not used, and the clash stays open.
func (r *Resolutions) Apply(ctx context.Context, repo *git.Repo, merged git.Merged) (Applied, error) {
	if merged.Clean {
		return Applied{Tree: merged.Tree}, nil
	}
	clashes := clashesOf(merged)
	if err := readTexts(ctx, repo, clashes); err != nil {
		return Applied{}, err
	}
	if err := r.load(ctx); err != nil {
		return Applied{}, err
	}
	var a Applied
	var edits []git.Entry
	for _, c := range clashes {
		used, found, err := r.answer(ctx, repo, c)
		if err != nil {
			return Applied{}, err
		}
		if !found {
			a.Open = append(a.Open, c)
			continue
		}
		a.Used = append(a.Used, used)
		edits = append(edits, c.edits(used)...)
	}
	if len(a.Open) > 0 {
		return a, nil
	}
	var err error
	a.Tree, err = repo.EditTree(ctx, merged.Tree, edits)
	return a, err
}

// edits take away the names under which git left the sides, and put the result in their place.
func (c Clash) edits(r Resolution) []git.Entry {
	var all []git.Entry
	for _, name := range c.OtherPaths {
		all = append(all, git.Entry{Path: name})
	}
	return append(all, git.Entry{Path: c.Path, Mode: r.Mode, ID: r.ID})
}

// answer is what is remembered about a clash: of these very files, here or at another path, or of
// the lines in conflict.
func (r *Resolutions) answer(ctx context.Context, repo *git.Repo, c Clash) (Resolution, bool, error) {
	if !c.Resolvable() {
		return Resolution{}, false, nil
	}
	known, found := r.known[c.Key]
	if same := r.like(func(one Resolution) bool { return one.Files == c.files }); !found && len(same) > 0 {
		known, found = same[0], true
	}
	if found {
		known.Key, known.Path = c.Key, c.Path
		return known, true, nil
	}
	if c.lines == "" {
		return Resolution{}, false, nil
	}
	for _, known := range r.like(func(one Resolution) bool { return one.Lines == c.lines && r.before[one.Key] != "" }) {
		data, fits, err := r.replay(ctx, c, known)
		if err != nil {
			return Resolution{}, false, err
		}
		if !fits {
			continue
		}
		id, err := repo.WriteBlob(ctx, data)
		if err != nil {
			return Resolution{}, false, err
		}
		mode, sure := c.mode()
		if !sure {
			mode = known.Mode
		}
		known.Key, known.Path, known.ID, known.Mode, known.Alike = c.Key, c.Path, id, mode, true
		return known, true, nil
	}
	return Resolution{}, false, nil
}

// replay makes the change from the text with the same lines in conflict to its result once more, in this text.
func (r *Resolutions) replay(ctx context.Context, c Clash, known Resolution) ([]byte, bool, error) {
	before, err := r.repo.Blob(ctx, r.before[known.Key])
	if err != nil {
		return nil, false, err
	}
	after, err := r.repo.Blob(ctx, known.ID)
	if err != nil {
		return nil, false, err
	}
	data, clashes, err := r.repo.MergeFile(ctx,
		git.FileMerge{Sides: [3][]byte{before, c.text.normal(), after}, Marker: c.text.size + 1})
	if err != nil || clashes > 0 {
		return nil, false, err
	}
	_, left := c.Leftover(data)
	return data, !left, nil
}

// errUnresolvable says that no file can be the answer to a clash, as to one of two renames.
var errUnresolvable = errors.New("no single file resolves this clash")

// Remember keeps an answer to a clash: its method, side, person, reason, time, mode and result are
// the caller's, the rest is filled in. An older answer to the same clash is replaced. The result
// has to be in the repository already.
func (r *Resolutions) Remember(ctx context.Context, c Clash, answer Resolution) (Resolution, error) {
	if !c.Resolvable() {
		return Resolution{}, fmt.Errorf("resolve %q: %w", c.Path, errUnresolvable)
	}
	answer.Key, answer.Path, answer.First, answer.Files, answer.Alike = c.Key, c.Path, c.Path, c.files, false
	answer.When = answer.When.UTC().Truncate(time.Second)
	before := ""
	if answer.ID != "" && c.lines != "" {
		var err error
		if before, err = r.repo.WriteBlob(ctx, c.text.normal()); err != nil {
			return Resolution{}, err
		}
		answer.Lines = c.lines
	}
	return answer, r.write(ctx, answer, before)
}

// resolutionsRef is the reference under which resolutions are kept: a commit whose tree has a
// folder for each, named by its key, with `result` (the file, unless the answer is that it goes),
// `preimage` (the text with the lines in conflict, if it is one) and `note.json`. So they survive
// the loss of all private state, no garbage collection takes them, and a push takes them along if a
// person names them.
const resolutionsRef = "refs/delegate/resolutions"

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
	commit, _, err := r.repo.Ref(ctx, resolutionsRef)
	if err != nil || r.known != nil && commit == r.commit {
		return err
	}
	known, before := map[string]Resolution{}, map[string]string{}
	if commit != "" {
		if err := r.readAll(ctx, commit, known, before); err != nil {
			return fmt.Errorf("read %s: %w", resolutionsRef, err)
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
	blobs := r.repo.OpenBlobs(ctx)
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

// like are the answers of a kind, newest first.
func (r *Resolutions) like(fits func(Resolution) bool) []Resolution {
	var all []Resolution
	for _, one := range r.known {
		if fits(one) {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b Resolution) int {
		return cmp.Or(b.When.Compare(a.When), strings.Compare(a.Key, b.Key))
	})
	return all
}

// write puts one answer in place of an older one for the same clash.
func (r *Resolutions) write(ctx context.Context, one Resolution, before string) error {
	data, err := json.MarshalIndent(one, "", "  ")
	if err != nil {
		return fmt.Errorf("remember the resolution of %q: %w", one.Path, err)
	}
	note, err := r.repo.WriteBlob(ctx, append(data, '\n'))
	if err != nil {
		return err
	}
	entries := []git.Entry{
		{Path: one.Key + "/" + noteFile, Mode: change.ModeFile, ID: note},
		{Path: one.Key + "/" + preimageFile, Mode: change.ModeFile, ID: before},
		{Path: one.Key + "/" + resultFile, Mode: one.Mode, ID: one.ID},
	}
	return r.change(ctx, fmt.Sprintf("Resolve %s: %s\n", one.Path, one.Method),
		func() ([]git.Entry, error) { return entries, nil })
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
		last = r.repo.UpdateRefs(ctx, "delegate: "+strings.TrimSpace(message),
			git.RefUpdate{Ref: resolutionsRef, Old: r.commit, New: commit})
		if _, ok := errors.AsType[*git.MovedError](last); !ok {
			return last
		}
	}
	return last
}
