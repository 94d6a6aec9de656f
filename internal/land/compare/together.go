package compare

import (
	"context"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict"
)

// lookAtAll says which pairs the programs are to look at although nothing is suspected in them: a single pair in which
// both sides change what a program reads, and of several those that can have a part in an error that only all of them
// together have. So many agents cost one more check, not one for each pair.
// Work that somebody is at is looked at only for what is suspected: it moves on before a compiler is through.
func (e examiner) lookAtAll(ctx context.Context, part []comparison, pairs []conflict.Pair) error {
	for _, checker := range e.check() {
		var both []*conflict.Pair
		for i := range pairs {
			p, moving := &pairs[i], part[i].tips[0].Moving || part[i].tips[1].Moving
			whole := p.Merge.Clean && p.Merge.Err == nil && p.Merge.FS != nil
			if whole && !moving && len(readBy(checker, p.A)) > 0 && len(readBy(checker, p.B)) > 0 {
				both = append(both, p)
			}
		}
		switch len(both) {
		case 0:
		case 1:
			e.lookAt(checker, both[0], slices.Concat(readBy(checker, both[0].A), readBy(checker, both[0].B)))
		default:
			if err := e.lookTogether(ctx, checker, both); err != nil {
				return err
			}
		}
	}
	return nil
}

// readBy are the files of a side's head that it changes and the checker reads.
func readBy(checker conflict.Checker, s change.Set) (all []string) {
	for _, f := range s.Files {
		if f.NewMode != 0 && slices.Contains(checker.Endings, path.Ext(f.Path)) {
			all = append(all, f.Path)
		}
	}
	return all
}

// lookAt has the checker look at files of the pair's merge, and at those that name one of them.
func (e examiner) lookAt(checker conflict.Checker, p *conflict.Pair, files []string) {
	if p.Look == nil {
		p.Look = map[string][]string{}
	}
	p.Look[checker.Name] = append(files, dependents(p.Merge.FS, checker.Endings, files)...)
}

// lookTogether has the checker look once at the merge of all sides that can be merged, and chooses the pairs by what it
// finds there and not on either side. What it cannot tell of all together leaves the pairs to their suspicions.
func (e examiner) lookTogether(ctx context.Context, checker conflict.Checker, pairs []*conflict.Pair) error {
	var sides []change.Set
	for _, p := range pairs {
		for _, s := range []change.Set{p.A, p.B} {
			if !slices.ContainsFunc(sides, func(o change.Set) bool { return o.Head == s.Head }) {
				sides = append(sides, s)
			}
		}
	}
	tree, err := e.fold(ctx, sides)
	if err != nil {
		return err
	}
	var files []string
	for _, s := range sides {
		files = append(files, readBy(checker, s)...)
	}
	slices.Sort(files)
	files = slices.Compact(files)
	all := e.pairs.Tree(ctx, tree)
	files = append(files, dependents(all, checker.Endings, files)...)
	report, err := checker.Check(ctx, conflict.Tree{ID: tree, FS: all}, files)
	if err != nil || len(report.Problems) == 0 {
		return context.Cause(ctx)
	}
	touches := func(path string) func(change.Set) bool {
		return func(s change.Set) bool { return slices.Contains(s.Paths(), path) }
	}
	for _, p := range pairs {
		var concerned []string
		for _, problem := range report.Problems {
			touched := touches(problem.Path)
			if touched(p.A) || touched(p.B) || !slices.ContainsFunc(sides, touched) {
				concerned = append(concerned, problem.Path)
			}
		}
		if len(concerned) > 0 {
			e.lookAt(checker, p, concerned)
		}
	}
	return nil
}

// fold merges the sides one after the other, in the quarantine, and leaves out those that git cannot merge with the
// others. It answers with the commit.
func (e examiner) fold(ctx context.Context, sides []change.Set) (string, error) {
	tip := sides[0].Head
	for _, s := range sides[1:] {
		merged, err := e.held.Merge(ctx, tip, s.Head)
		if err != nil {
			return "", err
		}
		if !merged.Clean {
			continue
		}
		if tip, err = e.held.CommitTree(ctx, merged.Tree, "Merge "+s.Name+"\n", tip, s.Head); err != nil {
			return "", err
		}
	}
	return tip, nil
}

// The bounds within which files are looked through for the names of others.
const (
	mostLookedThrough = 3000
	largestDependent  = 256 << 10 // bytes
	mostDependents    = 200
)

// dependents are files of a tree that name one of some files, so that a change of those can break them. It is a guess
// by words: one too many costs time alone.
func dependents(tree fs.FS, endings, of []string) (found []string) {
	var words []string
	for _, file := range of {
		stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
		if stem == "__init__" || stem == "index" || stem == "mod" {
			stem = path.Base(path.Dir(file))
		}
		if len(stem) > 1 {
			words = append(words, regexp.QuoteMeta(stem))
		}
	}
	if len(words) == 0 || len(words) > 200 {
		return nil
	}
	named := regexp.MustCompile(`\b(?:` + strings.Join(words, "|") + `)\b`)
	seen := 0
	_ = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil, len(found) == mostDependents, seen == mostLookedThrough:
			return fs.SkipAll // what was found so far is looked at
		case !entry.Type().IsRegular() || !slices.Contains(endings, path.Ext(name)) || slices.Contains(of, name):
			return nil
		}
		seen++
		if info, err := entry.Info(); err != nil || info.Size() > largestDependent {
			return nil
		}
		if data, err := fs.ReadFile(tree, name); err == nil && named.Match(data) {
			found = append(found, name)
		}
		return nil
	})
	return found
}
