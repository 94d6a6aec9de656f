package analyze

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"delegate/change"
	"delegate/conflict"
	"delegate/conflict/code"
	"delegate/conflict/source"
	"delegate/internal/git"
	"delegate/internal/git/objects"
)

// Verb is the hidden command under which this program is the child.
const Verb = "__analyze"

// Live is for the first lines of main: where the arguments make this process the child, it lives
// that life and answers with the exit status.
func Live(args []string) (status int, mine bool) {
	if len(args) != 1 || args[0] != Verb {
		return 0, false
	}
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1, true
	}
	return 0, true
}

// child is the process that parses and checks. It keeps what it read for the requests to come.
type child struct {
	in         *gob.Decoder
	out        *bufio.Writer
	encoder    *gob.Encoder
	limits     limits
	objects    *objects.Reader
	memory     *conflict.Memory
	checker    conflict.Checker // Go's; without a name before it is asked for
	tells      bool             // what comes next is told, see request.silent
	at         string           // the file that is read next, if it is told
	prefetched prefetch
	recent     recent
	garbage    garbage
	talk       sync.Mutex // with the parent, of analyzers and checkers that work side by side
	fault      error      // why nothing more can be said or heard
}

// serve answers requests to the end of the input.
func serve(in io.Reader, out io.Writer) error {
	c := &child{in: gob.NewDecoder(bufio.NewReader(in)), out: bufio.NewWriter(out), memory: conflict.NewMemory(),
		tells: true}
	c.encoder = gob.NewEncoder(c.out)
	c.objects = objects.From(c.read)
	for first := true; ; first = false {
		var r request
		err := c.in.Decode(&r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && first {
			err = c.limits.lowerLimits(r)
		}
		if err != nil {
			return err
		}
		if err := c.answer(r); err != nil && c.fault == nil {
			c.send(message{Error: err.Error()})
		}
		if c.fault != nil {
			return c.fault
		}
	}
}

// send sends a message. After a fault nothing more is sent.
func (c *child) send(m message) {
	c.talk.Lock()
	defer c.talk.Unlock()
	c.write(m)
}

func (c *child) write(m message) {
	if c.fault == nil {
		c.fault = c.encoder.Encode(m)
	}
	if c.fault == nil {
		c.fault = c.out.Flush()
	}
}

// result sends what came out.
func (c *child) result(m message) {
	if c.send(m); c.tells {
		c.tells = false
	}
}

// askParent sends a message and waits for the answer.
func (c *child) askParent(m message) (answer, error) {
	c.talk.Lock()
	defer c.talk.Unlock()
	var a answer
	if c.write(m); c.fault == nil {
		c.fault = c.in.Decode(&a)
	}
	if c.fault != nil {
		return a, c.fault
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}

// read is the Source of all objects. What is read is parsed next, so a step begins here.
func (c *child) read(id string) ([]byte, string, error) {
	o, here := c.prefetched.take(id)
	if !here {
		o, here = c.recent.objects[id]
	}
	if here {
		c.tell(c.at)
	} else {
		ids := c.prefetched.from(id)
		a, err := c.askParent(message{At: c.at, Read: ids})
		if err == nil && (len(a.Objects) == 0 || len(a.Objects) > len(ids)) {
			err = errors.New("the answer holds other objects than those asked for")
		}
		if err != nil {
			return nil, "", err
		}
		o = a.Objects[0]
		c.prefetched.put(ids[:len(a.Objects)], a.Objects)
		delete(c.prefetched.here, id)
	}
	c.limits.step()
	if o.Error != "" {
		return nil, "", errors.New(o.Error)
	}
	if o.Kind == "tree" {
		c.prefetched.follow(o.Data, len(id)/2)
	}
	c.recent.put(id, o)
	return o.Data, o.Kind, nil
}

// recent are objects that were read, since many a file is read in each pair that it is in.
type recent struct {
	objects map[string]object
	size    int
}

// put adds an object. What does not fit in any more makes room by all others.
func (r *recent) put(id string, o object) {
	if _, known := r.objects[id]; known {
		return
	}
	if r.size += len(o.Data); r.objects == nil || r.size > bytesKept {
		r.objects, r.size = map[string]object{}, len(o.Data)
	}
	r.objects[id] = o
}

// prefetch are objects that are about to be needed, which are asked for together since each question
// takes the time of two processes.
type prefetch struct {
	order []string // of what is read in turn and was not asked for yet
	here  map[string]object
}

// expect notes the source files of the sets in the order in which they are read.
func (s *prefetch) expect(sets []set) {
	*s = prefetch{here: map[string]object{}}
	known := map[string]bool{"": true}
	for _, one := range sets {
		for _, f := range one.Files {
			if _, support := source.LanguageOf(f.Path); support != code.Readable {
				continue
			}
			for _, id := range []string{f.OldID, f.NewID} {
				if !known[id] {
					known[id], s.order = true, append(s.order, id)
				}
			}
		}
	}
}

// mostExpected bounds of how many objects it is known in which order they are read.
const mostExpected = 20_000

// follow notes the source files of a folder: who reads one of them reads others.
func (s *prefetch) follow(tree []byte, idSize int) {
	entries, err := git.ParseTree(tree, idSize)
	if err != nil || len(s.order)+len(entries) > mostExpected {
		return // who reads the folder is told
	}
	for _, e := range entries {
		if _, support := source.LanguageOf(e.Path); support == code.Readable && e.Mode == change.ModeFile {
			s.order = append(s.order, e.ID)
		}
	}
}

// from is the object and those that come next, none of them twice.
func (s *prefetch) from(id string) []string {
	at := slices.Index(s.order, id)
	if at < 0 {
		return []string{id}
	}
	return slices.Clone(s.order[at:min(at+mostAtOnce, len(s.order))])
}

// put keeps objects until they are needed, and they are not asked for ahead once more.
func (s *prefetch) put(ids []string, objects []object) {
	for i, o := range objects {
		if o.Error == "" {
			s.here[ids[i]] = o
		}
	}
	if at := slices.Index(s.order, ids[0]); at >= 0 { // from there they follow each other, see from
		s.order = slices.Delete(s.order, at, at+len(ids))
	}
}

func (s *prefetch) take(id string) (object, bool) {
	o, here := s.here[id]
	delete(s.here, id)
	return o, here
}

// stepInto begins the step of a package.
func (c *child) stepInto(folder string) {
	c.limits.step()
	if folder != "" {
		c.tell(folder)
	}
}

// tell says what comes next, which is to be known of a child that dies at it. Of one that came to a result before, or
// of a silent request, it is not: another is asked about the same pair, as its first.
func (c *child) tell(at string) {
	if c.tells {
		c.send(message{At: at})
	}
}

// answer does what is asked.
func (c *child) answer(r request) error {
	ctx := context.Background() // a parent that has had enough ends the process
	c.garbage.allow(r)
	if r.silent() {
		c.tells = false
	}
	c.prefetched.expect(r.Sets)
	if r.Cycles != nil {
		c.limits.begin()
		before, after := c.objects.Tree(ctx, r.Cycles.Before), c.objects.Tree(ctx, r.Cycles.After)
		found, err := conflict.NewCycles(trackedFS{before, c}, trackedFS{after, c}, r.Cycles.Changes)
		if err == nil {
			c.result(message{Cycles: &cycleList{found}})
		}
		return err
	}
	sets := make([]change.Set, len(r.Sets))
	for i, s := range r.Sets {
		sets[i] = change.Set{Name: s.Name, Base: s.Base, Head: s.Head, Files: s.Files}
		if s.Known {
			sets[i] = c.objects.Set(ctx, objects.Span{Name: s.Name, Base: s.Base, Head: s.Head}, s.Files)
			sets[i].BaseFS, sets[i].HeadFS = trackedFS{sets[i].BaseFS, c}, trackedFS{sets[i].HeadFS, c}
		}
	}
	asked := conflict.Request{Analyzers: conflict.Analyzers(), Memory: c.memory, Ahead: r.Ahead}
	for _, p := range r.Pairs {
		asked.Pairs = append(asked.Pairs, c.pair(ctx, p, sets))
	}
	at := 0
	if r.Go != nil {
		if c.checker.Name == "" {
			r.Go.Visit = c.stepInto
			c.checker = conflict.GoChecker(*r.Go)
		}
		asked.Checkers = append(asked.Checkers, c.checker)
	}
	for i, p := range r.Programs {
		asked.Checkers = append(asked.Checkers, c.program(i, p, func() conflict.Pair { return asked.Pairs[at] }))
	}
	c.limits.begin()
	for one, err := range conflict.Each(ctx, asked) {
		if err != nil {
			return err
		}
		c.result(message{Pair: &Result{one.Found, conflict.CheckFailed(one.Found), one.Lasting}})
		at++
		c.garbage.allow(r)
		c.limits.begin()
	}
	return nil
}

// pair is the pair with its trees.
func (c *child) pair(ctx context.Context, p pair, sets []change.Set) conflict.Pair {
	merge := conflict.Merge{Clean: p.Clean, Conflicts: p.Conflicts, Tree: p.Tree}
	whole := conflict.Pair{A: sets[p.A], B: sets[p.B], Merge: merge, Look: p.Look}
	if p.Fault != "" {
		whole.Merge.Err = errors.New(p.Fault)
	}
	if p.Tree != "" {
		whole.Merge.FS = trackedFS{c.objects.Tree(ctx, p.Tree), c}
	}
	if p.Landing != "" {
		whole.Landing = conflict.Tree{ID: p.Landing, FS: trackedFS{c.objects.Tree(ctx, p.Landing), c}}
	}
	return whole
}

// program is a checker that the parent asks.
func (c *child) program(index int, p program, pair func() conflict.Pair) conflict.Checker {
	return conflict.Checker{
		Name: p.Name, Endings: p.Endings, Untyped: p.Untyped,
		Check: func(_ context.Context, tree conflict.Tree, paths []string) (conflict.Report, error) {
			q := question{Program: index, Paths: paths}
			switch tree.ID {
			case pair().A.Head:
				q.Tree = ofA
			case pair().B.Head:
				q.Tree = ofB
			case pair().Merge.Tree:
			case pair().Landing.ID:
				q.Tree = ofLanding
			}
			a, err := c.askParent(message{Ask: &q})
			return a.Report, err
		},
	}
}

// trackedFS is a tree that tells the child which file is at hand.
type trackedFS struct {
	fs.FS
	child *child
}

// Open implements fs.FS.
func (n trackedFS) Open(name string) (fs.File, error) {
	if n.child.tells {
		n.child.at = name
	}
	return n.FS.Open(name)
}
