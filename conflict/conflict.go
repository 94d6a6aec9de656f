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

// PathConflict is one conflict of git's merge, as "git merge-tree -z" reports it.
type PathConflict struct {
	Path string // relative to the root of the repository
	// Kind is git's stable name of the conflict, such as "CONFLICT (contents)". An informational kind of git, such as
	// "Auto-merging", is not a conflict; the caller can include it or leave it out.
	Kind string
	// Message is git's message. A conflict that concerns several paths can be given once for each path or once
	// altogether: equal messages give one finding.
	Message string
}

// Merge is the result of merging a pair with git, with A as ours and B as theirs.
type Merge struct {
	Clean     bool           // git reported no conflict
	Conflicts []PathConflict // empty if Clean
	// Err is the error if git could not merge the pair at all, such as for two commits without a common ancestor.
	Err error
	// FS reads the merged tree, which contains conflict markers unless Clean. It can be nil; then Run uses no checker.
	FS fs.FS
	// Tree is the object id of the merged tree, or any other string that identifies it for the checkers.
	Tree string
}

// Pair is two change sets to compare, and the result of merging them.
// Both sets should start at the merge base. If they do not, line numbers of the two bases are not compared.
type Pair struct {
	A, B  change.Set // the two sides, ours and theirs
	Merge Merge      // what git makes of them
	// Look lists, for the Name of a checker, files that it checks in the merged tree even if no analyzer suspects
	// anything.
	Look map[string][]string
	// Landing is the tree that will become the target if the pair is merged together with other work. Problems that
	// checkers find in Merge.FS, and not in Landing, are not reported. It is zero if the pair is merged alone.
	Landing Tree

	reader       *reader
	merged       *merged
	ours, theirs *layout
}

// Analyzer finds one kind of conflict.
type Analyzer struct {
	Name string // for messages of errors
	// Run returns the conflicts of the pair. An error means that the analysis did not complete.
	Run func(Pair) ([]Finding, error)
}

// Analyzers returns all analyzers of this package. The first reports the conflicts of git's merge and the files that
// both sides change, and parses no source file. The comment of each rule says what it found: of 168 and 71 breaks that
// others wrote without having read the rules, and of 17 in the history of public repositories.
func Analyzers() []Analyzer {
	return []Analyzer{
		{Name: "file", Run: findFileConflicts},
		{Name: "imports", Run: finders{
			each: []func(*Direction){
				(*Direction).lostImports, (*Direction).lostOpenImports, (*Direction).goneFiles,
				(*Direction).goneReexports, (*Direction).goneDefaults, (*Direction).lostDependencies,
			},
			once: []func(*Direction){(*Direction).cycles, (*Direction).versions},
		}.run},
		{Name: "api", Run: finders{
			each: []func(*Direction){
				(*Direction).uses, (*Direction).missing, (*Direction).overrides, (*Direction).handedFunctions,
				(*Direction).matchesWithoutMember, (*Direction).unpacked, (*Direction).nothingOrException,
				(*Direction).wrappedErrors, (*Direction).lostResultKeys,
			},
			once: []func(*Direction){(*Direction).duplicates},
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

// Request is the argument of Run and Each.
type Request struct {
	Pairs     []Pair     // what to compare
	Analyzers []Analyzer // usually Analyzers()
	// Checkers confirm or refute what the analyzers suspect. Without checkers such findings remain Suspected.
	Checkers []Checker
	// Memory caches parsed files for later calls. It can be nil.
	Memory *Memory
	// Ahead is the number of pairs that the analyzers may finish before the checkers have read them. If it is not 0,
	// analyzers and checkers run concurrently, so that the trees of the pairs must be safe for concurrent reads. The
	// findings are the same for any value.
	Ahead int
}

// Run applies all analyzers to each pair, and then the checkers to the pairs with suspicions. The result has one
// element for each pair, in order, as Sorted returns it. The error names the pair and the analyzer that did not
// complete, or wraps the cause of ctx's cancellation.
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

// Result is the result of Each for one pair.
type Result struct {
	Found []Finding // as Sorted returns them
	// Lasting means that the findings do not depend on Pair.Landing, so that the caller can cache them.
	Lasting bool
}

// Each does what Run does and yields the result of each pair when it is complete. It stops after the first error.
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

// ahead computes the values of a sequence in a goroutine, at most that many values before the consumer takes them. With
// 0 it returns the sequence itself.
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

// Sorted returns the findings without duplicates, sorted for display: by severity, errors first; then by certainty,
// confirmed ones first; then by type, FileConflict last. The result is never nil.
func Sorted(found []Finding) []Finding {
	sorted := append([]Finding{}, found...)
	slices.SortStableFunc(sorted, compareFindings)
	return slices.CompactFunc(sorted, func(a, b Finding) bool { return compareFindings(a, b) == 0 })
}
