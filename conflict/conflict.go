package conflict

import (
	"context"
	"fmt"
	"io/fs"
	"slices"

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
	FS fs.FS
}

// Pair is two change sets and what git makes of them together.
// Both sets should start at the merge base;
// where they do not, lines of the two bases are not compared with each other.
type Pair struct {
	A, B  change.Set
	Merge Merge
}

// Analyzer finds one sort of conflict.
type Analyzer struct {
	Name string
	// Run returns what it finds in the pair.
	// An error means that it could not tell.
	Run func(Pair) ([]Finding, error)
}

// Analyzers returns every analyzer there is.
func Analyzers() []Analyzer {
	return []Analyzer{
		{Name: "file", Run: findFileConflicts},
	}
}

// Run lets every analyzer look at every pair.
// The findings come errors first, then by agents and path.
// The error names the pair and the analyzer that could not tell, or is the context's; findings are nil then.
func Run(ctx context.Context, pairs []Pair, as []Analyzer) ([]Finding, error) {
	findings := []Finding{}
	for _, pair := range pairs {
		for _, a := range as {
			if err := context.Cause(ctx); err != nil {
				return nil, fmt.Errorf("look for conflicts: %w", err)
			}
			found, err := a.Run(pair)
			if err != nil {
				return nil, fmt.Errorf("compare %q with %q by analyzer %q: %w", pair.A.Name, pair.B.Name, a.Name, err)
			}
			findings = append(findings, found...)
		}
	}
	slices.SortStableFunc(findings, compareFindings)
	return findings, nil
}
