package merge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict"
	"delegate/internal/analyze"
	"delegate/internal/git"
	"delegate/internal/objects"
)

// Depth is how far a comparison goes.
type Depth string

// The depths, each with all that the one before does.
const (
	Text    Depth = "text"    // git's own merge, and names that file systems confuse
	Symbols Depth = "symbols" // and what changed files define, import and refer to
	Checked Depth = "checked" // and a type checker where something is suspected
)

// Depths lists them in order.
func Depths() []Depth { return []Depth{Text, Symbols, Checked} }

// Tip is one line of work that takes part in a comparison.
type Tip struct {
	Name string // agent id, reference as typed, or TargetName
	Base string // commit its work begins at; "" means the merge base of each pair
	Head string
}

// TargetName is how the target is called in findings.
const TargetName = "target"

// Compare reports on every pair of the tips. Nothing of the repository's objects, references or checkouts changes.
// Pairs that were looked at before are answered from memory as long as neither tip moved.
func (b *Builder) Compare(ctx context.Context, tips []Tip, depth Depth) ([]conflict.Finding, error) {
	var pairs [][2]Tip
	for i, x := range tips {
		for _, y := range tips[i+1:] {
			pairs = append(pairs, [2]Tip{x, y})
		}
	}
	return b.compare(ctx, pairs, depth)
}

// compare looks at the pairs that nobody remembers, all in one pass.
func (b *Builder) compare(ctx context.Context, pairs [][2]Tip, depth Depth) ([]conflict.Finding, error) {
	memory := recall(b.p.Private, depth, b.knowing())
	var open []comparison
	for _, p := range pairs {
		if p[0].Head != p[1].Head && !memory.has(p) {
			open = append(open, comparison{tips: p})
		}
	}
	if len(open) > 0 {
		if err := b.look(ctx, open, depth); err != nil {
			return nil, err
		}
		for _, c := range open {
			memory.add(c.tips, c.result)
		}
	}
	all := []conflict.Finding{}
	for _, p := range pairs {
		all = append(all, memory.found(p)...)
	}
	return conflict.Sorted(all), memory.save(pairs)
}

// comparison is one pair on its way.
type comparison struct {
	tips   [2]Tip
	base   string // the merge base; "" if there is none
	sole   bool   // there is no other one
	result analyze.Result
}

// batch bounds how many pairs are merged and held in memory at once.
const batch = 2048

// look compares the pairs in the quarantine.
func (b *Builder) look(ctx context.Context, open []comparison, depth Depth) error {
	if err := b.open(); err != nil {
		return err
	}
	if err := b.findBases(ctx, open); err != nil {
		return err
	}
	e, err := b.examiner(ctx, open)
	if err != nil {
		return err
	}
	e.depth = analyze.Depth(slices.Index(Depths(), depth))
	for part := range slices.Chunk(open, batch) {
		if err := e.examine(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// examiner reads what the pairs, whose bases are known, share.
func (b *Builder) examiner(ctx context.Context, open []comparison) (examiner, error) {
	sets, err := changeSets(ctx, b.pairs, open)
	if err != nil {
		return examiner{}, err
	}
	e := examiner{repo: b.held, objects: b.pairs, sets: sets, prints: make(map[objects.Span]footprint, len(sets)),
		analysis: b.analysis}
	for span, set := range sets {
		e.prints[span] = newFootprint(set.Files)
	}
	return e, nil
}

// findBases fills in the merge base of every pair.
func (b *Builder) findBases(ctx context.Context, open []comparison) error {
	var heads []string
	for _, c := range open {
		heads = append(heads, c.tips[0].Head, c.tips[1].Head)
	}
	bases, err := b.held.MergeBases(ctx, heads)
	if err != nil {
		return err
	}
	for i, c := range open {
		base, sole, err := bases.Of(c.tips[0].Head, c.tips[1].Head)
		if err != nil && !errors.Is(err, git.ErrNoMergeBase) {
			return err
		}
		open[i].base, open[i].sole = base, sole
		if sole {
			b.bases[[2]string{c.tips[0].Head, c.tips[1].Head}] = base
		}
	}
	return nil
}

// span is what a tip changes since the base of the pair, or since its own.
func (c comparison) span(i int) objects.Span {
	t := c.tips[i]
	return objects.Span{Name: t.Name, Base: orElse(t.Base, c.base), Head: t.Head}
}

// changeSets reads what each tip changed, once for all pairs that see it alike.
func changeSets(ctx context.Context, reader *objects.Reader, open []comparison) (map[objects.Span]change.Set,
	error) {
	var spans []objects.Span
	sets := map[objects.Span]change.Set{}
	for _, c := range open {
		for i := range c.tips {
			s := c.span(i)
			if _, known := sets[s]; !known && s.Base != "" {
				sets[s] = change.Set{}
				spans = append(spans, s)
			}
		}
	}
	read, err := reader.Changes(ctx, spans)
	if err == nil {
		for i, s := range spans {
			sets[s] = read[i]
		}
		return sets, nil
	}
	// One that cannot be read, as in a partial clone, spoils the whole call: find which.
	for _, s := range spans {
		switch alone, err := reader.Changes(ctx, []objects.Span{s}); {
		case err == nil:
			sets[s] = alone[0]
		case ctx.Err() != nil:
			return nil, err
		default:
			delete(sets, s)
		}
	}
	return sets, nil
}

// examiner holds what all pairs of a comparison share.
type examiner struct {
	repo     *git.Repo
	objects  *objects.Reader
	sets     map[objects.Span]change.Set
	prints   map[objects.Span]footprint
	analysis *analyze.Analysis
	depth    analyze.Depth
}

// examine merges the pairs in one batch, as far as git has anything to decide, and fills in their findings.
func (e examiner) examine(ctx context.Context, part []comparison) error {
	pairs := make([]conflict.Pair, len(part))
	var asked []git.Pair
	var at []int
	for i, c := range part {
		pairs[i] = conflict.Pair{A: e.set(c, 0), B: e.set(c, 1)}
		switch {
		case c.base == "":
			pairs[i].Merge.Err = git.ErrNoMergeBase
		case !e.read(c):
			pairs[i].Merge.Err = errUnread
		case e.apart(c):
			ours, theirs := c.tips[0].Head, c.tips[1].Head
			pairs[i].Merge = conflict.Merge{Clean: true, FS: e.objects.Joined(ctx, c.base, ours, theirs),
				Tree: ours + objects.Joint + theirs}
		default:
			asked = append(asked, git.Pair{Ours: c.tips[0].Head, Theirs: c.tips[1].Head})
			at = append(at, i)
		}
	}
	outcomes, err := e.repo.MergeAll(ctx, asked)
	if err != nil {
		return err
	}
	for n, o := range outcomes {
		if pairs[at[n]].Merge.Err = o.Err; o.Err == nil {
			pairs[at[n]].Merge = mergeData(ctx, e.objects, o.Merged)
		}
	}
	results, err := e.analysis.Run(ctx, e.objects, pairs, e.depth)
	if err != nil {
		return err
	}
	for i := range part {
		part[i].result = results[i]
	}
	return nil
}

// errUnread says that what a side changed could not be read.
var errUnread = fmt.Errorf("objects of its changes are missing: %w", git.ErrNoObject)

// read reports whether the changes of both sides are known.
func (e examiner) read(c comparison) bool {
	_, ours := e.sets[c.span(0)]
	_, theirs := e.sets[c.span(1)]
	return ours && theirs
}

// apart reports whether the result of the merge is known without git.
func (e examiner) apart(c comparison) bool {
	ours, theirs := c.span(0), c.span(1)
	return c.sole && ours.Base == c.base && theirs.Base == c.base && apart(e.prints[ours], e.prints[theirs])
}

// set is what the tip changed; without a base only its name is known.
func (e examiner) set(c comparison, i int) change.Set {
	if set, ok := e.sets[c.span(i)]; ok {
		return set
	}
	return named(c.tips[i])
}

// made is the id of a tree, for programs that read it from the repository: one that has only a name is made.
func (b *Builder) made(ctx context.Context, tree string) (string, error) {
	ours, theirs, open := strings.Cut(tree, objects.Joint)
	if !open {
		return tree, nil
	}
	merged, err := b.held.Merge(ctx, ours, theirs)
	return merged.Tree, err
}

// mergeData hands git's result on as the data that conflict works with.
func mergeData(ctx context.Context, reader *objects.Reader, m git.Merged) conflict.Merge {
	data := conflict.Merge{Clean: m.Clean, FS: reader.Tree(ctx, m.Tree), Tree: m.Tree}
	stages := map[string][]git.Stage{}
	for _, s := range m.Stages {
		stages[s.Path] = append(stages[s.Path], s)
	}
	for _, message := range m.Messages {
		for _, path := range message.Paths {
			one := conflict.PathConflict{Path: path, Kind: message.Type, Message: message.Text}
			for _, stage := range stages[path] {
				if stage.Number >= 1 && stage.Number <= 3 {
					one.Modes[stage.Number-1], one.IDs[stage.Number-1] = stage.Mode, stage.ID
				}
			}
			data.Conflicts = append(data.Conflicts, one)
		}
	}
	return data
}
