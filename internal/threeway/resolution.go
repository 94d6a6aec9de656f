// Package threeway holds what is known of three versions of a file: the base, ours and theirs.
//
// It takes a merge that git could not finish apart into clashes, merges texts line by line and reads the markers
// between which both sides of a clash stand, and remembers what a person decided about a clash, for whenever it comes
// again.
package threeway

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	for _, name := range c.Beside {
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
		git.FileMerge{Base: before, Ours: c.text.normal(), Theirs: after, Marker: c.text.size + 1})
	if err != nil || clashes > 0 {
		return nil, false, err
	}
	_, left := c.Leftover(data)
	return data, !left, nil
}

// ErrUnresolvable says that no file can be the answer to a clash, as to one of two renames.
var ErrUnresolvable = errors.New("no single file resolves this clash")

// Remember keeps an answer to a clash: its method, side, person, reason, time, mode and result are
// the caller's, the rest is filled in. An older answer to the same clash is replaced. The result
// has to be in the repository already.
func (r *Resolutions) Remember(ctx context.Context, c Clash, answer Resolution) (Resolution, error) {
	if !c.Resolvable() {
		return Resolution{}, fmt.Errorf("resolve %q: %w", c.Path, ErrUnresolvable)
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
	return answer, r.keep(ctx, answer, before)
}
