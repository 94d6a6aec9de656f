package threeway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"delegate/change"
	"delegate/internal/git"
)

// Incoming is what git makes of an agent's work and what came meanwhile, with every conflict left for the agent to see.
type Incoming struct {
	Tree   string
	Marked []markedFile // texts in which both changed the same lines
	Odd    []string     // what cannot be shown by markers, one sentence each
	// Undecided are files of which a side's whole version is in the tree, and the other's is not.
	Undecided []string
}

// markedFile is a file with conflict markers, and the first and last line of each block.
type markedFile struct {
	Path   string
	places [][2]int
}

func (m markedFile) String() string {
	var spans []string
	for _, p := range m.places {
		spans = append(spans, fmt.Sprintf("%d-%d", p[0], p[1]))
	}
	return fmt.Sprintf("%s (lines %s)", ShownPath(m.Path), strings.Join(spans, ", "))
}

// ShownPath is a path as a sentence can have it.
func ShownPath(path string) string {
	if quoted := strconv.Quote(path); quoted != `"`+path+`"` {
		return quoted
	}
	return path
}

// MergeForAgent is git's own merge of two commits, ours and theirs, by the names of whose they are (we and they). Where
// it fails, texts have markers with the base between them; what is no text stays as ours has it, and what one side
// deleted and the other changed stays.
func MergeForAgent(ctx context.Context, repo *git.Repo, commits, names [2]string) (in Incoming, err error) {
	merged, err := repo.Merge(ctx, commits[0], commits[1])
	if err != nil || merged.Clean {
		return Incoming{Tree: merged.Tree}, err
	}
	entries, err := repo.Entries(ctx, merged.Tree)
	if err != nil {
		return in, err
	}
	blobs := repo.OpenBlobs(ctx)
	defer func() { err = errors.Join(err, blobs.Close()) }()
	t := conflictTree{repo: repo, ours: commits[0], theirs: commits[1], we: names[0], they: names[1], blobs: blobs,
		tree: map[string]git.Entry{}, edits: map[string]git.Entry{}, reported: map[string]bool{}}
	for _, e := range entries {
		t.tree[e.Path] = e
	}
	if err := t.resolve(ctx, merged); err != nil {
		return in, err
	}
	edits := slices.SortedFunc(maps.Values(t.edits), func(x, y git.Entry) int {
		if (x.ID == "") != (y.ID == "") { // what goes is gone before something takes its place
			return len(x.ID) - len(y.ID)
		}
		return strings.Compare(x.Path, y.Path)
	})
	t.in.Tree = merged.Tree
	if len(edits) > 0 {
		t.in.Tree, err = repo.EditTree(ctx, merged.Tree, edits)
	}
	return t.in, err
}

// conflictTree is a merge that git could not finish, on its way to a tree.
type conflictTree struct {
	repo         *git.Repo
	ours, theirs string // commits
	we, they     string // what each is called
	blobs        *git.Blobs
	tree         map[string]git.Entry // git's own
	edits        map[string]git.Entry // by path
	reported     map[string]bool      // paths of which something is said
	in           Incoming
}

// stages is a path in the base, ours and theirs; an entry without ID is absent there.
type stages [3]git.Entry

func (t *conflictTree) resolve(ctx context.Context, merged git.Merged) error {
	sides := map[string]stages{}
	for _, s := range merged.Stages {
		three := sides[s.Path]
		three[s.Number-1] = git.Entry{Mode: s.Mode, ID: s.ID, Path: s.Path}
		sides[s.Path] = three
	}
	paths := slices.Sorted(maps.Keys(sides))
	for _, path := range paths {
		if name, mine, moved := t.movedAside(path); moved {
			t.putBack(path, name, sides[path], mine)
		}
	}
	for _, path := range paths {
		if t.reported[path] {
			continue
		}
		if err := t.resolveFile(ctx, path, sides[path]); err != nil {
			return err
		}
	}
	for _, said := range merged.Messages {
		if strings.HasPrefix(said.Type, "CONFLICT") && !slices.ContainsFunc(said.Paths, func(p string) bool {
			return t.reported[p]
		}) {
			text := strings.NewReplacer(t.ours, t.we, t.theirs, t.they).Replace(said.Text)
			t.in.Odd = append(t.in.Odd, strings.Join(strings.Fields(text), " "))
		}
	}
	return nil
}

// movedAside takes apart the name that git gives a file whose place something of another kind has:
// the path, `~` and whose it is.
func (t *conflictTree) movedAside(path string) (name string, mine, moved bool) {
	for _, side := range []string{t.ours, t.theirs} {
		if before, _, found := strings.Cut(path, "~"+side); found {
			return before, side == t.ours, true
		}
	}
	return "", false, false
}

// putBack takes a file that git moved aside out again: ours goes back to its place unless a folder is there.
func (t *conflictTree) putBack(path, name string, sides stages, mine bool) {
	t.reported[path], t.reported[name] = true, true
	t.edits[path] = git.Entry{Path: path}
	ours := sides[1]
	isFolder := false
	for other := range t.tree {
		isFolder = isFolder || strings.HasPrefix(other, name+"/")
	}
	if mine && ours.ID != "" && !isFolder {
		ours.Path = name
		t.edits[name] = ours
	}
	left := "yours is in the tree"
	if mine && isFolder {
		left = fmt.Sprintf("%s's is in the tree; yours: git show %.12s:%s", t.they, t.ours, ShownPath(name))
	}
	t.in.Undecided = append(t.in.Undecided, name)
	t.in.Odd = append(t.in.Odd, fmt.Sprintf(
		"%s: you and %s have things of different kinds there (file, folder, link); %s", ShownPath(name), t.they, left))
}

const largestMarked = 8 << 20 // bytes of a file that is merged line by line

func (t *conflictTree) resolveFile(ctx context.Context, path string, sides stages) error {
	base, ours, theirs := sides[0], sides[1], sides[2]
	switch {
	case ours.ID == "" && theirs.ID == "":
		return nil // a name that both gave up; git says why
	case ours.ID == "" || theirs.ID == "":
		if base.ID == "" {
			return nil
		}
		t.reported[path] = true
		who, whoNot := "you", t.they
		if ours.ID == "" {
			who, whoNot = t.they, "you"
		}
		t.in.Undecided = append(t.in.Undecided, path)
		t.in.Odd = append(t.in.Odd, fmt.Sprintf(
			"%s: %s deleted it, %s changed it; the changed file is in the tree: take the deletion or keep it",
			ShownPath(path), whoNot, who))
		return nil
	}
	t.reported[path] = true
	contents, text, err := t.texts(base, ours, theirs)
	if err != nil {
		return err
	}
	if !text {
		t.edits[path] = ours
		t.in.Undecided = append(t.in.Undecided, path)
		t.in.Odd = append(t.in.Odd, fmt.Sprintf(
			"%s: you and %s changed it, and it is no text; yours is in the tree, %s's: git show %.12s:%s",
			ShownPath(path), t.they, t.they, t.theirs, ShownPath(path)))
		return nil
	}
	names := [3]string{t.we, "before", t.they}
	lines, conflicts, err := t.repo.MergeFile(ctx,
		git.FileMerge{Sides: contents, Names: names})
	if err != nil {
		return fmt.Errorf("merge %q: %w", path, err)
	}
	id, err := t.repo.WriteBlob(ctx, lines)
	if err != nil {
		return err
	}
	mode := ours.Mode
	if left, there := t.tree[path]; there {
		mode = left.Mode
	}
	t.edits[path] = git.Entry{Mode: mode, ID: id, Path: path}
	if conflicts == 0 {
		t.in.Odd = append(t.in.Odd, fmt.Sprintf(
			"%s: you and %s changed it; it was merged line by line, check whether that is right", ShownPath(path),
			t.they))
		return nil
	}
	t.in.Marked = append(t.in.Marked, markedFile{path, markers(lines, names)})
	return nil
}

// texts are the contents of files that can be merged line by line; false if one is none.
func (t *conflictTree) texts(entries ...git.Entry) (all [3][]byte, text bool, err error) {
	for i, e := range entries {
		if e.ID == "" {
			continue
		}
		if e.Mode != change.ModeFile && e.Mode != change.ModeExecutable {
			return all, false, nil
		}
		if all[i], text, err = readText(t.blobs, e.ID, largestMarked); err != nil || !text {
			return all, false, err
		}
	}
	return all, true, nil
}

// markers finds the blocks between conflict markers with these names.
func markers(data []byte, names [3]string) (places [][2]int) {
	first, number := 0, 0
	for line := range bytes.Lines(data) {
		number++
		switch string(bytes.TrimRight(line, "\r\n")) {
		case "<<<<<<< " + names[0]:
			first = number
		case ">>>>>>> " + names[2]:
			if first > 0 {
				places = append(places, [2]int{first, number})
			}
			first = 0
		}
	}
	return places
}
