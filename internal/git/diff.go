package git

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"delegate/change"
)

// renameLimit is how many files on one side git compares with as many on the other to find moves.
const renameLimit = "7000"

// Span is two trees to compare, by their full ids.
type Span struct{ Base, Head string }

// ChangesAll returns Changes with renames detected for many spans from one process: the files of each
// span, sorted by path, none if base and head are the same. Lines are not counted: Insertions,
// Deletions and Binary stay zero. Moves are searched for within the same limit as in merges. An
// object that is missing fails the whole call.
func (r *Repo) ChangesAll(ctx context.Context, spans []Span) ([][]change.File, error) {
	return r.changesAll(ctx, spans, []string{"-M", "-l" + renameLimit}, (*answer).records)
}

// ChangesEach returns what Changes with DetectRenames returns of each two commits or trees, from one process for all.
func (r *Repo) ChangesEach(ctx context.Context, spans []Span) ([][]change.File, error) {
	all := make([][]change.File, len(spans))
	var open []Span
	var at []int
	for i, s := range spans {
		known, found := findFact[[]change.File](r, DetectRenames.question(), s.Base, s.Head)
		if all[i] = slices.Clone(known); !found {
			open, at = append(open, s), append(at, i)
		}
	}
	found, err := r.changesEach(ctx, open)
	if err != nil {
		return nil, err
	}
	for i, files := range found {
		all[at[i]] = files
		r.keepFact(slices.Clone(files), DetectRenames.question(), open[i].Base, open[i].Head)
	}
	return all, nil
}

func (r *Repo) changesEach(ctx context.Context, spans []Span) ([][]change.File, error) {
	trees := slices.Clone(spans) // git takes the second of two commits for the parent of the first
	for i := range trees {
		for _, side := range []*string{&trees[i].Base, &trees[i].Head} {
			tree, err := r.TreeOf(ctx, *side)
			if err != nil {
				return nil, err
			}
			*side = tree
		}
	}
	return r.changesAll(ctx, trees, counted(), (*answer).changes)
}

func (r *Repo) changesAll(ctx context.Context, spans []Span, options []string,
	read func(*answer) []change.File) ([][]change.File, error) {
	if len(spans) == 0 {
		return nil, nil
	}
	var input strings.Builder
	for _, s := range spans {
		fmt.Fprintf(&input, "%s %s\n", s.Base, s.Head)
	}
	all, err := again(func() ([][]change.File, error) {
		all := make([][]change.File, len(spans))
		c := call{args: slices.Concat(rawDiff(), options, []string{"--stdin"}),
			stdin: strings.NewReader(input.String())}
		return all, r.stream(ctx, c, func(a *answer) {
			for i, s := range spans {
				all[i] = a.span(s, read)
			}
		})
	})
	for i := 0; err == nil && i < len(all); i++ {
		if len(all[i]) == 0 && spans[i].Base != spans[i].Head {
			err = r.sameFiles(ctx, spans[i].Base, spans[i].Head)
		}
	}
	if err != nil {
		return nil, wrap(err, "compare %d pairs of trees", len(spans))
	}
	return all, nil
}

// span reads the line that names the two trees, which comes for equal ones too, and the records that follow it.
func (a *answer) span(s Span, read func(*answer) []change.File) []change.File {
	if a.err != nil {
		return nil
	}
	line, err := a.ReadString('\n')
	a.err = cmp.Or(a.err, err)
	if line != s.Base+" "+s.Head+"\n" {
		a.odd(fmt.Sprintf("git diff-tree answered for %.12s and %.12s", s.Base, s.Head), line)
	}
	return read(a)
}

// Renames chooses how a comparison of two trees treats moved files.
type Renames int

const (
	// RawEntries lists every tree entry that differs, both sides of a move as a deletion and an addition. Lines are not
	// counted.
	RawEntries Renames = iota
	// DetectRenames pairs moved files as git's diff does, and counts lines.
	DetectRenames
)

// Changes lists what differs between two commits or trees, sorted by path.
func (r *Repo) Changes(ctx context.Context, from, to string, mode Renames) ([]change.File, error) {
	files, err := fact(r, func() ([]change.File, error) { return r.changes(ctx, from, to, mode) }, mode.question(),
		from, to)
	return slices.Clone(files), err
}

func (m Renames) question() string { return fmt.Sprint("changes ", int(m)) }

func (r *Repo) changes(ctx context.Context, from, to string, mode Renames) ([]change.File, error) {
	options, read := []string{"--no-renames"}, (*answer).records
	if mode == DetectRenames {
		options, read = counted(), (*answer).changes
	}
	args := slices.Concat(rawDiff(), options, []string{"--end-of-options", from, to})
	out, err := r.do(ctx, call{args: args, reads: true, limit: workLimit})
	a := &answer{Reader: bufio.NewReader(bytes.NewReader(out)), err: err}
	files := read(a)
	if a.err == nil && len(files) == 0 {
		a.err = r.sameFiles(ctx, from, to)
	}
	if a.err != nil {
		return nil, wrap(a.err, "compare %.12s and %.12s", from, to)
	}
	return files, nil
}

// counted has git detect renames and count lines.
func counted() []string { return []string{"--numstat", "-M"} }

// Unpaired returns files as RawEntries lists them, sorted by path: each moved one as the two entries that it is in the
// trees.
func Unpaired(files []change.File) []change.File {
	all := make([]change.File, 0, len(files))
	for _, f := range files {
		if f.Kind != change.Renamed {
			all = append(all, f)
			continue
		}
		all = append(all, change.File{Path: f.OldPath, Kind: change.Deleted, OldMode: f.OldMode, OldID: f.OldID},
			change.File{Path: f.Path, Kind: change.Added, NewMode: f.NewMode, NewID: f.NewID})
	}
	slices.SortFunc(all, func(a, b change.File) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// ChangesOf lists the paths of which the change between two commits adds or takes away a line that matches an
// extended regular expression.
func (r *Repo) ChangesOf(ctx context.Context, from, to, expression string) ([]string, error) {
	out, err := r.do(ctx, call{args: []string{"diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff",
		"--no-textconv", "-G" + expression, "--end-of-options", from, to}, reads: true, limit: workLimit})
	return fields(out), wrap(err, "find changes of %q between %.12s and %.12s", expression, from, to)
}

// sameFiles is an *AnswerError where two commits or trees that git found no difference between do
// not have the same files.
func (r *Repo) sameFiles(ctx context.Context, from, to string) error {
	a, err := r.TreeOf(ctx, from)
	if err != nil {
		return err
	}
	b, err := r.TreeOf(ctx, to)
	if err != nil || a == b {
		return err
	}
	files, err := r.Entries(ctx, a) // trees can differ in empty folders, which no git makes
	if err != nil {
		return err
	}
	others, err := r.Entries(ctx, b)
	if err == nil && !slices.Equal(files, others) {
		err = odd(rawDiff(), "")
	}
	return err
}

// rawDiff is the comparison of trees as records, the same whatever the configuration says.
func rawDiff() []string {
	return []string{"diff-tree", "-r", "-z", "--raw", "--no-ext-diff", "--no-textconv", "--full-index",
		"--ignore-submodules=none"}
}

// changes reads the raw records and then the line counts of the same files in the same order.
func (a *answer) changes() []change.File {
	files := a.records()
	for n := range files {
		a.counts(&files[n])
	}
	return files
}

// records reads raw records as long as one comes, which its colon shows.
func (a *answer) records() (files []change.File) {
	for a.more() {
		if sign, _ := a.Peek(1); sign[0] != ':' {
			break
		}
		files = append(files, a.record())
	}
	return files
}

func (a *answer) record() change.File {
	var f change.File
	var status string
	record := a.next()
	f.Path = a.next()
	if _, err := fmt.Sscanf(record, ":%o %o %s %s %s", &f.OldMode, &f.NewMode, &f.OldID, &f.NewID,
		&status); err != nil ||
		!isFullID(f.OldID) || !isFullID(f.NewID) {
		a.odd("git diff-tree record", record)
		return f
	}
	f.OldID, f.NewID, f.Kind = known(f.OldID), known(f.NewID), kindOf(status[0], f)
	if f.Kind == change.Renamed {
		f.OldPath, f.Path = f.Path, a.next()
	}
	return f
}

// known is an object's id; git writes only zeros for a side that is absent.
func known(id string) string {
	if strings.Trim(id, "0") == "" {
		return ""
	}
	return id
}

func kindOf(status byte, f change.File) change.Kind {
	switch status {
	case 'A':
		return change.Added
	case 'D':
		return change.Deleted
	case 'R', 'C':
		return change.Renamed
	case 'T':
		return change.TypeChanged
	}
	if f.OldID == f.NewID && f.OldMode != f.NewMode {
		return change.ModeChanged
	}
	return change.Modified
}

// counts reads one numstat record; that of a renamed file has an empty path and two more fields.
func (a *answer) counts(f *change.File) {
	record := a.next()
	parts := strings.SplitN(record, "\t", 3)
	if len(parts) != 3 {
		a.odd("git numstat record", record)
		return
	}
	if f.Binary = parts[0] == "-"; !f.Binary {
		var err, other error
		f.Insertions, err = strconv.Atoi(parts[0])
		if f.Deletions, other = strconv.Atoi(parts[1]); err != nil || other != nil {
			a.odd("git numstat record", record)
		}
	}
	if parts[2] == "" {
		a.next()
		a.next()
	}
}
