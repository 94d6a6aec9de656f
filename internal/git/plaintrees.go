package git

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"delegate/change"
	"delegate/internal/atomicfile"
)

// treeWalk reads trees side by side, in this process, as long as they are as git writes them.
type treeWalk struct {
	ctx  context.Context
	repo *Repo
	left int // how many more trees are read before git is asked
}

// mostTrees is that many.
const mostTrees = 1000

func (r *Repo) walkTrees(ctx context.Context) *treeWalk {
	return &treeWalk{ctx: ctx, repo: r, left: mostTrees}
}

// same reports whether two entries are the same but for their paths.
func (e Entry) same(other Entry) bool { return e.Mode == other.Mode && e.ID == other.ID }

func (e Entry) isTree() bool { return e.Mode == treeMode }

// sorted is what trees are sorted by.
func (e Entry) sorted() string {
	if e.isTree() {
		return e.Path + "/"
	}
	return e.Path
}

// entries are those of a tree by their names, none of "" and of a file; false where git has to look.
func (w *treeWalk) entries(of Entry) (map[string]Entry, bool) {
	if !of.isTree() {
		return nil, true
	}
	if w.left--; w.left < 0 {
		return nil, false
	}
	found, ok := w.repo.plainObject(of.ID, mostOfCommit)
	if !ok {
		found, ok = w.repo.lookInto(w.ctx, of.ID)
	}
	if !ok || found.kind != "tree" || found.id != of.ID {
		return nil, false
	}
	list, err := ParseTree(found.data, len(of.ID)/2)
	all := make(map[string]Entry, len(list))
	for i, e := range list {
		switch e.Mode {
		case plainFile, executableFile, treeMode, change.ModeSymlink, change.ModeSubmodule:
		default:
			return nil, false
		}
		isName := e.Path != "" && e.Path != "." && e.Path != ".." && !strings.Contains(e.Path, "/")
		if i > 0 && list[i-1].sorted() >= e.sorted() || !isName {
			return nil, false
		}
		all[e.Path] = e
	}
	return all, err == nil && len(all) == len(list)
}

// lists are the entries of some trees, and the names of all.
func (w *treeWalk) lists(of ...Entry) (all []map[string]Entry, names []string, ok bool) {
	set := map[string]bool{}
	for _, e := range of {
		list, ok := w.entries(e)
		if !ok {
			return nil, nil, false
		}
		all = append(all, list)
		for name := range list {
			set[name] = true
		}
	}
	return all, slices.Sorted(maps.Keys(set)), true
}

// grows reports whether all that is in the first tree is in the second, as a file or as a folder as it is there.
func (w *treeWalk) grows(from, to Entry) bool {
	if from.same(to) || from == (Entry{}) {
		return true
	}
	if from.isTree() != to.isTree() || to == (Entry{}) {
		return false
	}
	if !from.isTree() {
		return true
	}
	lists, names, ok := w.lists(from, to)
	for _, name := range names {
		ok = ok && w.grows(lists[0][name], lists[1][name])
	}
	return ok
}

// merge is git's merge of two trees where no path was changed on both sides in different ways and none was taken away,
// so that nothing can have moved: false says that git has to merge them. folder is where trees are stored.
func (w *treeWalk) merge(base, ours, theirs Entry, folder string) (Entry, bool) {
	switch {
	case ours.same(theirs):
		return ours, w.grows(base, ours)
	case ours.same(base):
		return theirs, w.grows(base, theirs)
	case theirs.same(base):
		return ours, w.grows(base, ours)
	case !ours.isTree() || !theirs.isTree() || base != (Entry{}) && !base.isTree():
		return Entry{}, false
	}
	lists, names, ok := w.lists(base, ours, theirs)
	if !ok {
		return Entry{}, false
	}
	var merged []Entry
	for _, name := range names {
		e, ok := w.merge(lists[0][name], lists[1][name], lists[2][name], folder)
		if !ok {
			return Entry{}, false
		}
		merged = append(merged, e)
	}
	slices.SortFunc(merged, func(a, b Entry) int { return cmp.Compare(a.sorted(), b.sorted()) })
	var data bytes.Buffer
	for _, e := range merged {
		id, err := hex.DecodeString(e.ID)
		if err != nil {
			return Entry{}, false
		}
		fmt.Fprintf(&data, "%o %s\x00%s", e.Mode, e.Path, id)
	}
	id, err := w.repo.store(folder, "tree", data.Bytes())
	return Entry{Mode: treeMode, ID: id, Path: ours.Path}, err == nil
}

// plainMerge is the merge of two commits as Merge makes it, where that takes no look into a file.
func (r *Repo) plainMerge(ctx context.Context, ours, theirs string) (m Merged, ok bool) {
	folder := r.stores(ctx)
	base := cmp.Or(r.nearBase(ctx, ours, theirs), r.nearBase(ctx, theirs, ours))
	if folder == "" || base == "" {
		return m, false
	}
	sides := [3]Entry{}
	for i, commit := range []string{base, ours, theirs} {
		tree, err := r.TreeOf(ctx, commit)
		if err != nil {
			return m, false
		}
		sides[i] = Entry{Mode: treeMode, ID: tree}
	}
	var merged Entry
	switch base {
	case ours:
		merged, ok = sides[2], r.isObject(ctx, sides[2].ID, "tree")
	case theirs:
		merged, ok = sides[1], r.isObject(ctx, sides[1].ID, "tree")
	default:
		merged, ok = r.walkTrees(ctx).merge(sides[0], sides[1], sides[2], folder)
	}
	return Merged{Tree: merged.ID, Clean: true}, ok
}

// plainDiff is what differs between two commits or trees, by their full ids, sorted by path and without counts; false
// where git has to look, as where a file may have moved.
func (r *Repo) plainDiff(ctx context.Context, from, to string) (files []change.File, ok bool) {
	sides := [2]Entry{}
	for i, id := range []string{from, to} {
		tree, found := r.lookUp(ctx, id+"^{tree}") // what takes a process here does so for each tree of the walk
		if !found || !isFullID(id) {
			return nil, false
		}
		sides[i] = Entry{Mode: treeMode, ID: tree.id}
	}
	if !r.walkTrees(ctx).diff(sides[0], sides[1], "", &files) {
		return nil, false
	}
	slices.SortFunc(files, func(a, b change.File) int { return cmp.Compare(a.Path, b.Path) })
	has := func(kind change.Kind) bool {
		return slices.ContainsFunc(files, func(f change.File) bool { return f.Kind == kind })
	}
	return files, !has(change.Added) || !has(change.Deleted)
}

// isWhole reports whether all that a tree has and a commit has not is there: no reference names what was merged before,
// so git may have taken some of it away.
func (r *Repo) isWhole(ctx context.Context, commit, tree string) bool {
	from, err := r.TreeOf(ctx, commit)
	var files []change.File
	if err != nil || !r.walkTrees(ctx).diff(Entry{Mode: treeMode, ID: from}, Entry{Mode: treeMode, ID: tree}, "",
		&files) {
		return false
	}
	for _, f := range files {
		if f.NewID == "" || f.NewMode == change.ModeSubmodule {
			continue
		}
		if _, there := r.lookUp(ctx, f.NewID); !there {
			return false
		}
	}
	return true
}

// diff lists what differs below a path.
func (w *treeWalk) diff(from, to Entry, at string, files *[]change.File) bool {
	if from.same(to) {
		return true
	}
	if from.isTree() || to.isTree() {
		lists, names, ok := w.lists(from, to)
		for _, name := range names {
			ok = ok && w.diff(lists[0][name], lists[1][name], path.Join(at, name), files)
		}
		if from.isTree() == to.isTree() || !ok {
			return ok
		}
	}
	f := change.File{Path: at, Kind: change.Modified}
	if !from.isTree() {
		f.OldMode, f.OldID = from.Mode, from.ID
	}
	if !to.isTree() {
		f.NewMode, f.NewID = to.Mode, to.ID
	}
	const kindBits = 0o170000
	switch {
	case f.OldID == "" && f.NewID == "":
		return true // a folder that is new or gone
	case f.OldID == "":
		f.Kind = change.Added
	case f.NewID == "":
		f.Kind = change.Deleted
	case f.OldMode&kindBits != f.NewMode&kindBits:
		f.Kind = change.TypeChanged
	default:
		f.Kind = kindOf('M', f)
	}
	*files = append(*files, f)
	return true
}

// plainCounts fills in how many lines of new and deleted files there are; false where git has to count: between two
// contents, in submodules, and where attributes decide.
func (r *Repo) plainCounts(ctx context.Context, files []change.File) bool {
	for i := range files {
		f := &files[i]
		if f.Kind != change.Added && f.Kind != change.Deleted || f.OldMode|f.NewMode == change.ModeSubmodule {
			return false
		}
		found, ok := r.plainObject(f.OldID+f.NewID, mostOfCommit)
		if !ok {
			found, ok = r.lookInto(ctx, f.OldID+f.NewID)
		}
		if !ok || found.kind != "blob" {
			return false
		}
		lines := bytes.Count(found.data, []byte("\n"))
		if len(found.data) > 0 && !bytes.HasSuffix(found.data, []byte("\n")) {
			lines++
		}
		const looked = 8000 // bytes, as git looks for a zero to know a binary file
		if f.Binary = bytes.IndexByte(found.data[:min(looked, len(found.data))], 0) >= 0; f.Binary {
			continue
		}
		if f.Kind == change.Added {
			f.Insertions = lines
		} else {
			f.Deletions = lines
		}
	}
	return !r.attributesCount(ctx, files)
}

// attributesCount reports whether attributes may say of one of the files that it is binary, or that it is not.
func (r *Repo) attributesCount(ctx context.Context, files []change.File) bool {
	home, _ := os.UserHomeDir() // without one there is nothing below it
	asked := map[string]bool{systemAttributes: true, filepath.Join(r.CommonDir, "info", "attributes"): true,
		filepath.Join(personsFolder(home), "attributes"): true}
	for _, f := range files {
		for at := path.Dir(f.Path); ; at = path.Dir(at) {
			asked[filepath.Join(r.Worktree, filepath.FromSlash(at), ".gitattributes")] = true
			if at == "." {
				break
			}
		}
	}
	for file := range asked {
		if !isThere(file) {
			continue
		}
		data, err := atomicfile.ReadRegular(file, mostOfCommit)
		for _, word := range []string{"diff", "binary", "[attr]"} {
			if err != nil || bytes.Contains(data, []byte(word)) {
				return true
			}
		}
	}
	named, err := r.matching(ctx, `^core\.attributesfile$`)
	return err != nil || len(named) > 0
}

// systemAttributes is where the system's attributes lie, but for builds of git that are for another place.
const systemAttributes = "/etc/gitattributes"
