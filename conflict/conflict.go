package conflict

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"sync"

	"delegate/change"
)

// PathConflict is one path that git's own merge could not resolve.
type PathConflict struct {
	Path string
	// Kind is git's stable name of the conflict, such as "CONFLICT (contents)".
	// A kind that git gives for information, such as "Auto-merging", is no conflict and may be left out or handed in.
	Kind string
	// Message is what git says of it.
	// A conflict over several paths is handed in once a path or once in all; equal messages make one finding.
	Message string
	// Modes and IDs are those of base, ours and theirs; 0 and "" where the path is absent.
	Modes [3]uint32
	IDs   [3]string
}

// Merge is the result of git's own merge of a pair, A being ours and B theirs.
type Merge struct {
	Clean     bool
	Conflicts []PathConflict
	// Err says why git could not merge the pair at all: no common ancestor, a missing object.
	Err error
	// FS is the merged tree, with conflict markers where there are conflicts; it may be nil.
	// Tree is its id, or what else the checkers know it by.
	FS   fs.FS
	Tree string
}

// Pair is two change sets and what git makes of them together.
// Both sets should start at the merge base;
// where they do not, lines of the two bases are not compared with each other.
type Pair struct {
	A, B  change.Set
	Merge Merge
	// Look are, by the name of a checker, the files that it looks at where nothing is suspected.
	Look map[string][]string
	// Landing is the tree in which the merge of the pair ends up with those of others that land with it; the zero Tree
	// where the pair lands by itself. What checkers find wrong with the merge and not there is not told.
	Landing Tree

	reader       *reader
	merged       *merged
	ours, theirs *layout
}

// Analyzer finds one sort of conflict.
type Analyzer struct {
	Name string
	// Run returns what it finds in the pair.
	// An error means that it could not tell.
	Run func(Pair) ([]Finding, error)
}

// Analyzers returns every analyzer there is. The first reports what git does with the files, and parses none.
func Analyzers() []Analyzer {
	return []Analyzer{
		{Name: "file", Run: findFileConflicts},
		{Name: "imports", Run: finders{
			each: []func(*Direction){
				(*Direction).lostImports, (*Direction).lostOpenImports, (*Direction).shadowed, (*Direction).goneFiles,
				(*Direction).goneNames, (*Direction).goneReexports, (*Direction).goneDefaults,
				(*Direction).madeDefaults,
				(*Direction).collidingExports, (*Direction).goneStarExports,
				(*Direction).lostDependencies, (*Direction).memberVersions, (*Direction).hiddenModules,
			},
			once: []func(*Direction){(*Direction).boundTwice, (*Direction).cycles, (*Direction).versions,
				(*Direction).workspaceVersions, (*Direction).collidingNames},
		}.run},
		{Name: "api", Run: finders{
			each: []func(*Direction){
				(*Direction).uses, (*Direction).missing, (*Direction).overrides,
				(*Direction).basesMadeOtherwise, (*Direction).implementersInOldForm, (*Direction).handedFunctions,
				(*Direction).matchesWithoutMember, (*Direction).reorderedFields, (*Direction).renamedPackages,
				(*Direction).leftPackages, (*Direction).undefinedVariables,
				(*Direction).unpacked, (*Direction).comparedTexts, (*Direction).lostDecorators,
				(*Direction).tightenedBounds,
				(*Direction).madeExplicit, (*Direction).lostCopies, (*Direction).lostArms, (*Direction).importers,
				(*Direction).pointerReceivers,
				(*Direction).otherSorts, (*Direction).nothingOrException, (*Direction).tablesWithoutMember,
				(*Direction).catchesLostBase, (*Direction).lostTags, (*Direction).annotatedWithout,
				(*Direction).lostChains, (*Direction).asksForLostBase,
				(*Direction).nilsWithoutError, (*Direction).readOnlyResults, (*Direction).tuplesUnpacked,
				(*Direction).handedClosures, (*Direction).wrappedErrors, (*Direction).lostResultKeys,
				(*Direction).tablesByPosition, (*Direction).otherResults, (*Direction).filledOtherwise,
				(*Direction).lateMaps, (*Direction).madeAbstract, (*Direction).neverThrown,
			},
			once: []func(*Direction){(*Direction).duplicates, (*Direction).extensionsTwice},
		}.run},
		{Name: "allotted", Run: findAllottedTwice},
		{Name: "words", Run: findGoneWords},
		{Name: "tests", Run: findTestConflicts},
		{Name: "unread", Run: finders{
			each: []func(*Direction){(*Direction).unreadFiles},
			once: []func(*Direction){(*Direction).brokenByMerge, (*Direction).unsupportedLanguages},
		}.run},
	}
}

// Request is what Run is to look at and with what.
type Request struct {
	Pairs     []Pair
	Analyzers []Analyzer
	// Checkers confirm or refute what analyzers suspect. Without any, suspicions stay suspicions.
	Checkers []Checker
	// Memory is what earlier calls have read; nil remembers nothing.
	Memory *Memory
	// Ahead is how many pairs analyzers may be ahead of the checkers, beside which they look then: the trees have to
	// bear it. It changes nothing in what is found.
	Ahead int
}

// Run lets every analyzer look at every pair, and then the checkers at the pairs with suspicions.
// The findings of each pair are Sorted.
// The error names the pair and the analyzer that could not tell, or is the context's; findings are nil then.
func Run(ctx context.Context, req Request) ([][]Finding, error) {
	all := make([][]Finding, 0, len(req.Pairs))
	for result, err := range Each(ctx, req) {
		if err != nil {
			return nil, err
		}
		all = append(all, result.Found)
	}
	return all, nil
}

// Result is what was found in one pair.
type Result struct {
	Found []Finding
	// Lasting results are the same for every tree that the pair could land in.
	Lasting bool
}

// Each is Run with the result of each pair as soon as it is there. An error ends it.
func Each(ctx context.Context, req Request) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		for s := range ahead(req.suspect(ctx), req.Ahead) {
			result, err := s.confirmed(ctx, req.Checkers)
			if !yield(result, err) || err != nil {
				return
			}
		}
	}
}

// suspicions are what the analyzers found in a pair.
type suspicions struct {
	pair  Pair
	found []Finding
	err   error
}

// suspect lets the analyzers look at each pair. What a side holds is let go of after its last one.
func (r Request) suspect(ctx context.Context) iter.Seq[suspicions] {
	return func(yield func(suspicions) bool) {
		files, layouts, left := newReader(r.Memory), layouts{map[line]*layout{}, r.Memory}, map[line]int{}
		for _, pair := range r.Pairs {
			left[lineOf(pair.A)]++
			left[lineOf(pair.B)]++
		}
		for _, pair := range r.Pairs {
			pair.reader, pair.merged = files, newMerged(pair.Merge, r.Memory)
			pair.ours, pair.theirs = layouts.of(pair.A), layouts.of(pair.B)
			found, err := pair.analyze(ctx, r.Analyzers)
			pair.merged.memory = nil // from here on others may use it
			for _, side := range []line{lineOf(pair.A), lineOf(pair.B)} {
				if left[side]--; left[side] == 0 {
					delete(files.sides, side)
					delete(layouts.sides, side)
				}
			}
			if !yield(suspicions{pair, found, err}) || err != nil {
				return
			}
		}
	}
}

func (p Pair) analyze(ctx context.Context, analyzers []Analyzer) (all []Finding, err error) {
	for _, a := range analyzers {
		if err := context.Cause(ctx); err != nil {
			return nil, fmt.Errorf("look for conflicts: %w", err)
		}
		found, err := a.Run(p)
		if err != nil {
			return nil, fmt.Errorf("compare %q with %q by analyzer %q: %w", p.A.Name, p.B.Name, a.Name, err)
		}
		all = append(all, found...)
	}
	return withoutRepeats(all), nil
}

// confirmed lets the checkers look at what the analyzers suspect.
func (s suspicions) confirmed(ctx context.Context, checkers []Checker) (Result, error) {
	if s.err != nil {
		return Result{}, s.err
	}
	r, err := s.pair.confirm(ctx, s.found, checkers)
	if err != nil {
		return Result{}, fmt.Errorf("compare %q with %q: %w", s.pair.A.Name, s.pair.B.Name, err)
	}
	r.Found = Sorted(r.Found)
	return r, nil
}

// ahead makes the values of a sequence beside who takes them, and up to so many before they are taken; with 0 it is the
// sequence itself.
func ahead[T any](all iter.Seq[T], most int) iter.Seq[T] {
	if most == 0 {
		return all
	}
	return func(yield func(T) bool) {
		made, over := make(chan T, most-1), make(chan struct{}) // and one waits to be sent
		var making sync.WaitGroup
		making.Go(func() {
			defer close(made)
			for one := range all {
				select {
				case made <- one:
				case <-over:
					return
				}
			}
		})
		defer making.Wait()
		defer close(over)
		for one := range made {
			if !yield(one) {
				return
			}
		}
	}
}

// Sorted puts findings in the order in which people read them, each once: errors first, what is confirmed before what
// is suspected, files that both sides touch last. Nil becomes an empty list.
func Sorted(found []Finding) []Finding {
	sorted := append([]Finding{}, found...)
	slices.SortStableFunc(sorted, compareFindings)
	return slices.CompactFunc(sorted, func(a, b Finding) bool { return compareFindings(a, b) == 0 })
}
