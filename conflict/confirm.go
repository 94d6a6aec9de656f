package conflict

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"delegate/conflict/code"
)

// Tree is a tree of files for a checker.
type Tree struct {
	ID string // identifies the tree: the id of a commit, or Merge.Tree
	FS fs.FS  // reads its files
}

// Problem is an error in the code that a compiler or type checker reports.
type Problem = code.Problem

// Report is the result of a checker for one tree.
type Report = code.Report

// Checker is a compiler or type checker that can confirm or refute suspected findings. A problem that it reports for
// the merged tree, and for neither side alone, confirms a finding. A finding is refuted if the checker has read all
// its files in the merged tree and reports nothing in them.
type Checker struct {
	Name string // for messages, such as "Go's type checker"
	// Endings are the extensions of the files that the checker reads, such as ".go".
	Endings []string
	// SeesCycles means that the checker reports import cycles. Otherwise it refutes no finding about one.
	SeesCycles bool
	// Untyped means that the checker accepts any member of a value whose type it does not know. It then refutes no
	// finding about a member.
	Untyped bool
	// Quick means that the checker is also used, without a suspicion, for folders in which both sides change files.
	Quick bool
	// Check checks the packages that contain the paths in a tree. An error means that it did not complete.
	Check func(ctx context.Context, tree Tree, paths []string) (Report, error)
	// Within checks like Check a tree that will be part of another one, landing (see Pair.Landing). It can skip
	// packages that are without problems in landing; conclusive reports that it did. If Within is nil, Run calls
	// Check for landing first, and for tree only if there are problems in landing.
	Within func(ctx context.Context, tree, landing Tree, paths []string) (r Report, conclusive bool, err error)
}

func (ch Checker) reads(name string) bool { return slices.Contains(ch.Endings, path.Ext(name)) }

// confirm lets the checkers look at the merged tree of a pair where something is suspected.
// An error that only the merged tree has confirms. Its absence refutes where the checker has read the very files and
// finds nothing else in them; what a checker cannot tell stays suspected, with the reason.
func (p Pair) confirm(ctx context.Context, found []Finding, checkers []Checker) (Result, error) {
	r := Result{Found: found, Lasting: true}
	for _, ch := range checkers {
		if err := context.Cause(ctx); err != nil {
			return Result{}, err
		}
		found, lasting := p.confirmBy(ctx, r.Found, ch)
		r = Result{found, r.Lasting && lasting}
	}
	r.Found = slices.DeleteFunc(r.Found, func(f Finding) bool {
		return f.needsChecker && f.Certainty != Confirmed
	})
	return r, context.Cause(ctx)
}

// confirmBy has one checker look. What it finds is lasting if it would be the same whatever lands with the pair.
func (p Pair) confirmBy(ctx context.Context, found []Finding, ch Checker) (all []Finding, lasting bool) {
	paths := p.sharedFolders(ch)
	for _, f := range found {
		if concerns(f, ch) {
			for _, place := range f.Places {
				paths = append(paths, place.Path)
			}
		}
	}
	slices.Sort(paths)
	if len(paths) == 0 {
		paths = slices.Clone(p.Look[ch.Name])
		slices.Sort(paths)
	}
	if paths = slices.Compact(paths); len(paths) == 0 || p.Merge.FS == nil || p.conflictedFor(ch) {
		return found, true
	}
	verdict, err := p.compareTrees(ctx, ch, paths)
	for i := range found {
		if !concerns(found[i], ch) {
			continue
		}
		if err != nil {
			found[i].Message += fmt.Sprintf(" %s could not tell: %s.", ch.Name, err)
			found[i].checkFailed = true
			continue
		}
		verdict.apply(&found[i], ch, p.Merge.FS)
	}
	if err != nil {
		return found, false
	}
	return append(found, p.unsuspected(verdict, ch)...), verdict.lasting
}

// sharedFolders are files of the checker's, one of each folder in which both sides change some.
func (p Pair) sharedFolders(ch Checker) []string {
	if !ch.Quick {
		return nil
	}
	ours := map[string]bool{}
	for _, f := range p.A.Files {
		if ch.reads(f.Path) {
			ours[path.Dir(f.Path)] = true
		}
	}
	var shared []string
	for _, f := range p.B.Files {
		if dir := path.Dir(f.Path); ch.reads(f.Path) && ours[dir] {
			shared = append(shared, f.Path)
			delete(ours, dir)
		}
	}
	return shared
}

// concerns reports whether the checker can say something of the finding.
func concerns(f Finding, ch Checker) bool {
	return (f.Type == APIConflict || f.Type == ImportConflict) &&
		(f.Certainty == Suspected || f.Certainty == Unknown && f.tooLarge) &&
		slices.ContainsFunc(f.Places, func(p Place) bool { return ch.reads(p.Path) })
}

// conflictedFor reports whether git left conflict markers in a file that the checker reads.
func (p Pair) conflictedFor(ch Checker) bool {
	return !p.Merge.Clean && (len(p.Merge.Conflicts) == 0 ||
		slices.ContainsFunc(p.Merge.Conflicts, func(c PathConflict) bool {
			return !informs(c.Kind) && ch.reads(c.Path)
		}))
}

// verdict is what a checker says of the merged tree and not of either side.
type verdict struct {
	problems []Problem
	used     []bool
	both     Report // of the merged tree
	lasting  bool   // it is the same whatever the merged tree becomes a part of
}

// compareTrees looks at the sides only if the merged tree has problems. Theirs comes first: in a candidate it is what
// the step before made, of which most is known.
func (p Pair) compareTrees(ctx context.Context, ch Checker, paths []string) (verdict, error) {
	both, conclusive, err := p.checkMerged(ctx, ch, paths)
	if err != nil {
		return verdict{}, err
	}
	v := verdict{problems: slices.Clone(both.Problems), both: both,
		lasting: !conclusive && (ch.Within != nil && len(both.Problems) == 0 || ch.isSound(both, paths, p.Merge.FS))}
	for _, s := range []Tree{{p.B.Head, p.B.HeadFS}, {p.A.Head, p.A.HeadFS}} {
		if len(v.problems) == 0 {
			break
		}
		alone, err := ch.Check(ctx, s, paths)
		if err != nil {
			return verdict{}, err
		}
		v.problems = slices.DeleteFunc(v.problems, func(x Problem) bool {
			return p.merged.mayFail(x) || slices.ContainsFunc(alone.Problems, func(y Problem) bool {
				return x.Path == y.Path && x.Message == y.Message
			})
		})
	}
	v.used = make([]bool, len(v.problems))
	return v, nil
}

// checkMerged has the checker look at the merged tree. Where the tree that lands answers for it, which it does with
// nothing wrong and nothing left out, it is settled: what a later change repairs never lands.
func (p Pair) checkMerged(ctx context.Context, ch Checker, paths []string) (r Report, conclusive bool, err error) {
	tree := Tree{p.Merge.Tree, p.Merge.FS}
	switch {
	case p.Landing.FS == nil || p.Landing.ID == tree.ID:
	case ch.Within != nil:
		return ch.Within(ctx, tree, p.Landing, paths)
	default:
		if r, err = ch.Check(ctx, p.Landing, paths); err == nil && ch.isSound(r, paths, tree.FS) {
			return r, true, nil
		}
	}
	r, err = ch.Check(ctx, tree, paths)
	return r, false, err
}

// isSound reports whether a report finds nothing wrong and has read those of the paths that a tree has.
func (ch Checker) isSound(r Report, paths []string, tree fs.FS) bool {
	return len(r.Problems)+len(r.Unresolved) == 0 && !slices.ContainsFunc(paths, func(name string) bool {
		_, read := slices.BinarySearch(r.Read, name)
		return !read && ch.reads(name) && exists(tree, name)
	})
}

// apply gives the finding its certainty.
func (v verdict) apply(f *Finding, ch Checker, merged fs.FS) {
	best, rank := -1, 0
	for i, problem := range v.problems {
		if r := bears(problem, *f); r > 0 {
			v.used[i] = true
			if r > rank {
				best, rank = i, r
			}
		}
	}
	if best >= 0 {
		problem := v.problems[best]
		f.Severity, f.Blocking, f.Certainty = Error, true, Confirmed
		f.Message += fmt.Sprintf(" %s on the two merged: %s.", ch.Name, problemText(problem))
		return
	}
	if f.runtimeOnly || f.cycle && !ch.SeesCycles || ch.Untyped && f.ofMember() {
		return
	}
	if doubt := v.doubt(f, ch, merged); doubt != "" {
		f.Message += " " + ch.Name + " could not tell: " + strings.TrimRight(doubt, ".") + "."
		return
	}
	f.Severity, f.Blocking, f.Certainty = Info, false, Suspected
	f.Message += " " + ch.Name + " finds nothing wrong with what is merged."
}

// doubt is why the absence of a problem says nothing of the finding, "" if it does.
func (v verdict) doubt(f *Finding, ch Checker, merged fs.FS) string {
	for _, place := range f.Places {
		if !ch.reads(place.Path) {
			continue
		}
		if _, read := slices.BinarySearch(v.both.Read, place.Path); !read {
			if _, err := fs.Stat(merged, place.Path); err != nil {
				continue // a side takes it away
			}
			if len(v.both.Unresolved) > 0 {
				return v.both.Unresolved[0]
			}
			return "it does not look at " + quoted(place.Path)
		}
		for _, problem := range v.both.Problems {
			if problem.Path == place.Path {
				return "it reports something else there, " + problemText(problem)
			}
		}
	}
	return ""
}

// ofMember reports whether the finding is about what belongs to a value.
func (f Finding) ofMember() bool {
	return slices.ContainsFunc(f.Places, func(p Place) bool { return strings.Contains(lastPart(p.Symbol), ".") })
}

// problemText is the problem without the mark at the end of its sentence.
func problemText(p Problem) string {
	return fmt.Sprintf("%s:%d: %s", quoted(p.Path), p.Line, strings.TrimRight(p.Message, ".;: "))
}

// bears returns how well a problem matches a finding, from 4 for the line and the name down to 1 for the line alone,
// and 0 for no match.
func bears(problem Problem, f Finding) int {
	best := 0
	for _, place := range f.Places {
		symbol, _, _ := strings.Cut(place.Symbol, " from ") // of an import
		named := symbol != "" && strings.Contains(problem.Message, lastOf(lastPart(symbol)))
		here := place.Path == problem.Path
		switch {
		case here && named && place.Line == problem.Line:
			best = max(best, 4)
		case here && named:
			best = max(best, 3)
		case named:
			best = max(best, 2)
		case here && place.Line == problem.Line:
			best = max(best, 1)
		}
	}
	return best
}

func lastPart(symbol string) string { return symbol[strings.LastIndexByte(symbol, '/')+1:] }

// unsuspected are findings for what the checker reports and nothing had suspected.
func (p Pair) unsuspected(v verdict, ch Checker) []Finding {
	var found []Finding
	for i, problem := range v.problems {
		if v.used[i] || v.follows(problem) || slices.ContainsFunc(v.problems[:i], func(o Problem) bool {
			return o.Path == problem.Path && (o.Message == problem.Message || o.Line == problem.Line) // one cause
		}) {
			continue
		}
		found = append(found, Finding{
			Type: APIConflict, Severity: Error, Blocking: true, Certainty: Confirmed,
			Agents:  []string{p.A.Name, p.B.Name},
			Message: fmt.Sprintf("%s accepts either side and not the two merged: %s.", ch.Name, problemText(problem)),
			Advice:  p.adviceToOrder(),
			Places:  []Place{{Agent: p.nearer(problem.Path), Path: problem.Path, Line: problem.Line}},
		})
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Compare(a.Message, b.Message) })
	return found
}

// follows reports whether a problem is only that something is unused in a file where a problem was
// expected: what used it is broken.
func (v verdict) follows(problem Problem) bool {
	if !strings.Contains(problem.Message, "not used") {
		return false
	}
	for i, other := range v.problems {
		if v.used[i] && other.Path == problem.Path {
			return true
		}
	}
	return false
}

// nearer is the side that changes the file, theirs if both or neither do.
func (p Pair) nearer(path string) string {
	if slices.Contains(p.A.Paths(), path) && !slices.Contains(p.B.Paths(), path) {
		return p.A.Name
	}
	return p.B.Name
}
