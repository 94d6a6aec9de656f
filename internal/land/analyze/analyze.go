// Package analyze compares what agents wrote in a process of its own.
//
// Parsers and type checkers read bytes that an adversary may have chosen: tree-sitter is C, and
// Go's type checker can be made to climb without an end, which no context cancels. So they run in a
// child of this very program, with limits of processor time and memory, behind a fence where there
// is one: it writes nothing, has no network and sees neither the repository nor credentials. It
// gets the objects that it asks for from the parent. What a child that died was at becomes a
// finding, and the next one goes on behind it.
package analyze

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"delegate/change"
	"delegate/conflict"
	"delegate/conflict/code"
	"delegate/conflict/source"
	"delegate/internal/git/objects"
	"delegate/internal/turn/keeper"
)

// Options are how the child is held and what it may ask for.
type Options struct {
	// Fence is the fence of a process that has to read what needed names, and nothing else of the
	// person's; nil is none. It is called when a child is about to start.
	Fence func(ctx context.Context, needed []string) (*keeper.Fence, error)
	// Limit is how much processor time the analysis of one file or package may take; 0 is no limit.
	Limit time.Duration
	// Memory is how many bytes the child may have; 0 is mostMemory.
	Memory uint64
	// Programs check trees for the child where something is suspected. They run in this process's
	// care. It is asked for them when a pair is Checked; nil is none.
	Programs func() []conflict.Checker
}

// Depth is what is looked for in pairs.
type Depth string

// The depths, each with all that the one before does. The first needs no child.
const (
	Text    Depth = "text"    // git's own merge, and names that file systems confuse
	Symbols Depth = "symbols" // and what changed files define, import and refer to
	Checked Depth = "checked" // and a type checker where something is suspected
)

// Depths lists them in order.
func Depths() []Depth { return []Depth{Text, Symbols, Checked} }

// Result is what was found in one pair.
type Result struct {
	Found []conflict.Finding
	// Transient results may be others the next time.
	Transient bool
	// Lasting results are the same for every tree that the pair could land in, see conflict.Pair.
	Lasting bool
}

// Analysis compares pairs. It has a child as long as there is need of one, until Close, and serves
// one caller at a time.
type Analysis struct {
	options Options
	child   *process // nil before it is needed, and after it died
}

// New starts nothing yet.
func New(o Options) *Analysis {
	o.Memory = cmp.Or(o.Memory, mostMemory)
	return &Analysis{options: o}
}

// Close ends the child.
func (a *Analysis) Close() error {
	if a.child == nil {
		return nil
	}
	child := a.child
	a.child = nil
	return child.close()
}

// Stopped says that a child ended before it had answered.
type Stopped struct {
	At  string // the file or folder that it was at, "" if that is not known
	Why string
	// Passing stops have causes outside of what was analysed, so that another try may come further.
	Passing bool
	again   bool // by a child that had done something before or said nothing, and may have died of something else
}

func (s *Stopped) Error() string {
	if s.At == "" {
		return "the analysis stopped: " + s.Why
	}
	return fmt.Sprintf("the analysis stopped at %q: %s", s.At, s.Why)
}

// Run looks at the pairs, whose objects it reads from those given, and has each result taken in their order as soon as
// it is there. A pair at which the analysis stopped gets a finding that says so, with what git does with its files.
// The error is the context's, or says that something could not be read.
func (a *Analysis) Run(
	ctx context.Context, objects *objects.Reader, pairs []conflict.Pair, depth Depth, take func(at int, r Result),
) error {
	if depth == Text {
		return text(ctx, pairs, take)
	}
	alone := false // the next pair: a child that looked at others as well came to nothing
	for at := 0; at < len(pairs); {
		t := task{request: a.request(pairs[at:], depth), objects: objects}
		if alone {
			t.request.Pairs, t.request.Ahead = t.request.Pairs[:1], 0
		}
		left := len(t.request.Pairs)
		t.check = func(q question) (conflict.Report, error) { return a.check(ctx, pairs[at], q) }
		t.take = func(m message) bool {
			take(at, Result{conflict.Sorted(m.Pair.Found), m.Pair.Transient, m.Pair.Lasting})
			at++
			left--
			return left == 0
		}
		var stopped *Stopped
		var fault *fault
		err := a.ask(ctx, t)
		alone = errors.As(err, &stopped) && stopped.again || errors.As(err, &fault) && t.request.Ahead > 0
		switch {
		case err == nil || alone:
			continue
		case stopped == nil:
			return err
		}
		if err := text(ctx, pairs[at:at+1], func(_ int, one Result) {
			whole := append(one.Found, conflict.Stopped(pairs[at], stopped.At, stopped.Why))
			take(at, Result{Found: conflict.Sorted(whole), Transient: stopped.Passing})
		}); err != nil {
			return err
		}
		at++
	}
	return nil
}

// mostAhead is how many pairs parsers and rules are ahead of checkers, each of which is held in memory. The first look
// of a checker takes as long as rules take for several pairs.
const mostAhead = 16

// mostSent bounds of how many changed files a child is told before it has come to results. Members of a candidate that
// lie above many others are told with all of theirs.
const mostSent = 50_000

// text is what needs no parser, and therefore no child.
func text(ctx context.Context, pairs []conflict.Pair, take func(at int, r Result)) error {
	found, err := conflict.Run(ctx, conflict.Request{Pairs: pairs, Analyzers: conflict.Analyzers()[:1]})
	for i, f := range found {
		take(i, Result{Found: f})
	}
	return err
}

// Cycles are those that the second tree has and the first has not; see conflict.NewCycles. The
// error is a *Stopped if the analysis stopped.
func (a *Analysis) Cycles(
	ctx context.Context, objects *objects.Reader, trees [2]string, changes []change.File,
) (found []conflict.Cycle, err error) {
	readable := func(f change.File) bool {
		_, support := source.LanguageOf(f.Path)
		return support == code.Readable
	}
	if !slices.ContainsFunc(changes, readable) {
		return nil, nil
	}
	r := request{Limit: a.options.Limit, Memory: a.options.Memory, Cycles: &cycles{trees[0], trees[1], changes}}
	t := task{request: r, objects: objects}
	t.take = func(m message) bool {
		found = m.Cycles.Found
		return true
	}
	err = a.ask(ctx, t)
	if stopped := (*Stopped)(nil); errors.As(err, &stopped) && stopped.again {
		err = a.ask(ctx, t)
	}
	return found, err
}

// request is what the child is asked about the pairs, or about the first of them, as many as it may be told of at once.
func (a *Analysis) request(pairs []conflict.Pair, depth Depth) request {
	r := request{Limit: a.options.Limit, Memory: a.options.Memory}
	if depth == Checked {
		local := conflict.GoOptions{}.Local()
		r.Go, r.Ahead = &local, mostAhead
		for _, p := range a.programs() {
			r.Programs = append(r.Programs, program{p.Name, p.Endings, p.Untyped})
		}
	}
	type span struct{ name, base, head string }
	known, files := map[span]int{}, 0
	side := func(s change.Set) int {
		key := span{s.Name, s.Base, s.Head}
		if _, there := known[key]; !there {
			known[key] = len(r.Sets)
			files += len(s.Files)
			r.Sets = append(r.Sets, set{Name: s.Name, Base: s.Base, Head: s.Head, Known: s.HeadFS != nil,
				Files: s.Files})
		}
		return known[key]
	}
	for _, p := range pairs {
		one := pair{A: side(p.A), B: side(p.B), Clean: p.Merge.Clean, Conflicts: p.Merge.Conflicts, Tree: p.Merge.Tree,
			Look: p.Look, Landing: p.Landing.ID}
		if p.Merge.Err != nil {
			one.Fault = p.Merge.Err.Error()
		}
		if r.Pairs = append(r.Pairs, one); files > mostSent {
			break
		}
	}
	return r
}

func (a *Analysis) programs() []conflict.Checker {
	if a.options.Programs == nil {
		return nil
	}
	return a.options.Programs()
}

// check lets a program look at a tree of the pair that the child is at.
func (a *Analysis) check(ctx context.Context, p conflict.Pair, q question) (conflict.Report, error) {
	programs := a.programs()
	if q.Program < 0 || q.Program >= len(programs) {
		return conflict.Report{}, fmt.Errorf("there is no checker %d", q.Program)
	}
	tree := conflict.Tree{ID: p.Merge.Tree, FS: p.Merge.FS}
	switch q.Tree {
	case ofA:
		tree = conflict.Tree{ID: p.A.Head, FS: p.A.HeadFS}
	case ofB:
		tree = conflict.Tree{ID: p.B.Head, FS: p.B.HeadFS}
	case ofLanding:
		tree = p.Landing
	}
	paths := slices.DeleteFunc(q.Paths, func(name string) bool { return !fs.ValidPath(name) })
	return programs[q.Program].Check(ctx, tree, paths)
}
