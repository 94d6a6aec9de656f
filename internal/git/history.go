package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"delegate/internal/sys/run"
)

// Held says whether the history of some reference contains the commit. The heads of worktrees are none.
func (r *Repo) Held(ctx context.Context, commit string) (bool, error) {
	holders, err := r.lines(ctx, "for-each-ref", "--count=1", "--contains="+commit)
	return len(holders) > 0, wrap(err, "look what holds %.12s", commit)
}

// OwnCommits are the commits of a line of work that another has not, oldest first, without merges.
func (r *Repo) OwnCommits(ctx context.Context, onto, head string) ([]string, error) {
	args := []string{"rev-list", "--reverse", "--topo-order", "--no-merges", head, "^" + onto}
	commits, err := r.ids(ctx, call{args: args, reads: true})
	return commits, wrap(err, "list commits of %.12s", head)
}

// Message is the whole message of a commit.
func (r *Repo) Message(ctx context.Context, commit string) (string, error) {
	text, err := r.line(ctx, "log", "-1", "--no-show-signature", "--format=%B", commit)
	return strings.TrimRight(text, "\n") + "\n", wrap(err, "read message of %.12s", commit)
}

// Beyond calls visit for each commit that the objects in from reach and those in known do not.
// Ids of objects that are no commits, or are not here any more, reach nothing.
func (r *Repo) Beyond(ctx context.Context, from, known []string, visit func(commit string)) error {
	if len(from) == 0 {
		return nil
	}
	c := call{args: []string{"rev-list", "--ignore-missing", "--stdin"}, reads: true, limit: workLimit,
		stdin: revisions(from, known)}
	commits, err := r.ids(ctx, c)
	if err != nil {
		return fmt.Errorf("list the commits beyond %d others: %w", len(known), err)
	}
	for _, commit := range commits {
		visit(commit)
	}
	return nil
}

// Subjects are the first lines of at most most commits on the first-parent line of to that from
// does not have, newest first, each behind its short id, and how many there are.
func (r *Repo) Subjects(ctx context.Context, from, to string, most int) (lines []string, all int, err error) {
	lines, err = r.lines(ctx, "log", "--first-parent", "--no-show-signature", "--no-decorate", "--no-color",
		"--format=%h %s", "--end-of-options", to, "^"+from)
	return lines[:min(len(lines), most)], len(lines), wrap(err, "list commits of %.12s", to)
}

// TreeAndParents are the tree of a commit and its parents in their order; ErrNoCommit (wrapped) if it is none.
// It is asked for each time, since callers learn by it that a commit is not there any more.
func (r *Repo) TreeAndParents(ctx context.Context, commit string) (tree string, parents []string, err error) {
	if found, ok := r.lookInto(ctx, commit+"^{commit}"); ok && !r.isShallow() {
		if tree, parents, err := parseCommit(found.data); err == nil {
			return tree, parents, nil
		}
	}
	args := []string{
		"rev-list", "--max-count=1", "--no-commit-header", "--format=%T %P", "--end-of-options", commit + "^{commit}",
		"--",
	}
	line, err := r.line(ctx, args...)
	if run.ExitCode(err) > 0 { // of any fault: whether it is that the commit is missing, the other question tells
		if _, itsErr := r.Resolve(ctx, commit); errors.Is(itsErr, ErrNoCommit) {
			err = ErrNoCommit
		}
	}
	ids := strings.Fields(line)
	if err == nil && (len(ids) == 0 || slices.ContainsFunc(ids, func(id string) bool { return !isFullID(id) })) {
		err = odd(args, line)
	}
	if err != nil {
		return "", nil, fmt.Errorf("parents of %q: %w", commit, err)
	}
	return ids[0], ids[1:], nil
}

// Parents are the parents of a commit in their order; ErrNoCommit (wrapped) if it is none.
func (r *Repo) Parents(ctx context.Context, commit string) ([]string, error) {
	_, parents, err := r.TreeAndParents(ctx, commit)
	return parents, err
}

// Touched are the paths that commits of to change which from does not have, each with the newest of them.
// A move counts as two paths, a merge only where it differs from all it merges.
func (r *Repo) Touched(ctx context.Context, from, to string) (map[string]string, error) {
	list := []string{"rev-list", "--topo-order", "--end-of-options", to, "^" + from}
	commits, err := r.ids(ctx, call{args: list, reads: true, limit: workLimit})
	if err != nil {
		return nil, fmt.Errorf("list commits of %.12s: %w", to, err)
	}
	if len(commits) == 0 {
		return nil, nil
	}
	touched, err := again(func() (map[string]string, error) {
		touched := map[string]string{}
		return touched, r.eachTouch(ctx, commits, call{args: []string{"-c"}}, func(commit, path string) {
			if touched[path] == "" {
				touched[path] = commit
			}
		})
	})
	return touched, wrap(err, "read history of %.12s", to)
}

// eachTouch visits the paths that commits change, in the order of the commits. The call has further
// options.
func (r *Repo) eachTouch(ctx context.Context, commits []string, c call, visit func(commit, path string)) error {
	if len(commits) == 0 {
		return nil
	}
	c.args = slices.Concat(rawDiff(), []string{"--stdin", "--root", "--no-renames"}, c.args)
	c.reads, c.limit, c.stdin = true, workLimit, asLines(commits)
	return r.stream(ctx, c, func(a *answer) {
		commit := ""
		for a.more() {
			field := a.next()
			if !strings.HasPrefix(field, ":") {
				if commit = strings.TrimSpace(field); !isFullID(commit) {
					a.err = odd(c.args, field)
				}
			} else if path := a.next(); a.err == nil {
				visit(commit, path)
			}
		}
	})
}

// Bases are the best common ancestors of every two of some commits.
type Bases struct {
	number map[string]int // of each commit
	best   [][]string     // by two such numbers, "" if they share no history
	more   []*big.Int     // for each commit those with which it has other best ones beside, one bit each
}

// Of is a best common ancestor of two of the commits that were given to MergeBases: one that no
// other is a descendant of. It is the sole one unless several are equally good, as after merges
// crosswise; it may then be another one than MergeBase names. ErrNoMergeBase (wrapped) if there is
// none.
func (b Bases) Of(x, y string) (id string, sole bool, err error) {
	i, given := b.number[x]
	j, too := b.number[y]
	if !given || !too || b.best[i][j] == "" {
		return "", false, fmt.Errorf("merge base of %.12s and %.12s: %w", x, y, ErrNoMergeBase)
	}
	return b.best[i][j], b.more[i].Bit(j) == 0, nil
}

// MergeBases finds the common ancestors of all pairs of commits, which are given by their full ids.
// It reads the history down to an ancestor common to all, and all of it if there is none.
// That takes two processes for any number of commits, and two more each time that commits dated
// later than their descendants mislead git.
func (r *Repo) MergeBases(ctx context.Context, ids []string) (Bases, error) {
	if len(ids) == 0 {
		return Bases{}, nil
	}
	w, err := r.walkAbove(ctx, slices.Compact(slices.Sorted(slices.Values(ids))))
	if err != nil {
		return Bases{}, fmt.Errorf("merge bases of %d commits: %w", len(ids), err)
	}
	return Bases{number: w.places, best: w.best, more: w.more}, nil
}

// walkAbove walks the history of the tips above a common ancestor.
// git stops looking for what that one reaches where dates tell that it is done; if they are wrong, it lists some of it.
// Such commits must not become bases: they are found among those that did, and left out the next time.
func (r *Repo) walkAbove(ctx context.Context, tips []string) (*walk, error) {
	bound, err := r.commonAncestor(ctx, tips)
	if err != nil {
		return nil, err
	}
	var below []string
	if bound != "" {
		below = append(below, bound)
	}
	for {
		w, err := again(func() (*walk, error) {
			w := newWalk(tips)
			return w, r.list(ctx, tips, below, w.visit)
		})
		if err != nil {
			return nil, err
		}
		found := w.found()
		if bound != "" {
			w.meet(bound, allOf(len(tips)))
		}
		if bound == "" || len(found) == 0 {
			return w, nil
		}
		known := len(below)
		err = r.list(ctx, []string{bound}, parentsOf(found), func(id string, _ []string) {
			if found[id] {
				below = append(below, id)
			}
		})
		if err != nil || len(below) == known {
			return w, err
		}
	}
}

// commonAncestor is one of all the commits, "" if there is none.
func (r *Repo) commonAncestor(ctx context.Context, ids []string) (string, error) {
	id, err := r.readID(ctx, append([]string{"merge-base", "--octopus"}, ids...)...)
	if run.ExitCode(err) == 1 {
		return "", nil
	}
	return id, wrap(err, "common ancestor of %d commits", len(ids))
}

// list visits the commits that those in from reach and those in below do not, each before its parents.
func (r *Repo) list(ctx context.Context, from, below []string, visit func(id string, parents []string)) error {
	c := call{args: []string{"rev-list", "--topo-order", "--parents", "--stdin"}, stdin: revisions(from, below)}
	return r.stream(ctx, c, func(a *answer) {
		for a.more() {
			line, err := a.ReadString('\n')
			words := strings.Fields(line)
			if err == nil && (len(words) == 0 || slices.ContainsFunc(words, func(id string) bool {
				return !isFullID(id)
			})) {
				err = odd(c.args, line)
			}
			if a.err = err; err == nil {
				visit(words[0], words[1:])
			}
		}
	})
}

// parentsOf names the parents of each commit.
func parentsOf(ids map[string]bool) []string {
	var all []string
	for id := range ids {
		all = append(all, id+"^@")
	}
	return all
}

// walk learns the bases from commits of which each comes before its parents.
// A commit that two tips reach is a best base of theirs if none of its children is reached by both.
// A set of tips is a number with one bit for each.
type walk struct {
	places map[string]int
	// for a commit still to come the tips that reach each of its children, as far as those came
	reach map[string][]*big.Int
	open  []*big.Int // for each tip those with which it has no base yet
	more  []*big.Int // for each tip those with which it has several
	best  [][]string
}

func newWalk(tips []string) *walk {
	w := &walk{places: make(map[string]int, len(tips)), reach: map[string][]*big.Int{}}
	for i, tip := range tips {
		w.places[tip] = i
		w.best = append(w.best, make([]string, len(tips)))
		w.open = append(w.open, allOf(len(tips)))
		w.more = append(w.more, new(big.Int))
	}
	return w
}

// allOf is the set of that many tips.
func allOf(count int) *big.Int {
	all := new(big.Int).Lsh(big.NewInt(1), uint(count))
	return all.Sub(all, big.NewInt(1))
}

func (w *walk) visit(id string, parents []string) {
	tips := new(big.Int)
	for _, child := range w.reach[id] {
		tips.Or(tips, child)
	}
	if place, found := w.places[id]; found {
		tips.SetBit(tips, place, 1)
	}
	w.meet(id, tips)
	for _, parent := range parents {
		if !slices.ContainsFunc(w.reach[parent], func(known *big.Int) bool { return known.Cmp(tips) == 0 }) {
			w.reach[parent] = append(w.reach[parent], tips)
		}
	}
}

// meet notes the commit for all pairs of the tips that reach it and no child of it together.
func (w *walk) meet(id string, tips *big.Int) {
	children := w.reach[id]
	delete(w.reach, id)
	if slices.ContainsFunc(children, func(child *big.Int) bool { return child.Cmp(tips) == 0 }) {
		return
	}
	for i := range tips.BitLen() {
		if tips.Bit(i) == 0 {
			continue
		}
		fresh := new(big.Int).Set(tips)
		for _, child := range children {
			if child.Bit(i) == 1 {
				fresh.AndNot(fresh, child)
			}
		}
		for j := range fresh.BitLen() {
			switch {
			case fresh.Bit(j) == 0:
			case w.open[i].Bit(j) == 0:
				w.more[i].SetBit(w.more[i], j, 1)
			default:
				w.best[i][j] = id
			}
		}
		w.open[i].AndNot(w.open[i], fresh)
	}
}

// found are the bases that are no tips.
func (w *walk) found() map[string]bool {
	all := map[string]bool{}
	for _, row := range w.best {
		for _, id := range row {
			if _, tip := w.places[id]; !tip && id != "" {
				all[id] = true
			}
		}
	}
	return all
}

// OwnCommit is one commit of a line of work, as far as a reviewer of its history needs it.
type OwnCommit struct {
	ID, Author, Message string // the author as "Name <address>"
	// Added are the lines that it adds, whatever the attributes of their files say; of a merge, those that none of its
	// parents has.
	Added []byte
}

// mostAdded is how many bytes of added lines of one history are kept; the newest commits come first.
const mostAdded = 16 << 20

// OwnHistory are the commits of a line of work that another has not, newest first, with what each adds.
// More false says that the lines are all there are.
func (r *Repo) OwnHistory(ctx context.Context, onto, head string) (all []OwnCommit, more bool, err error) {
	args := []string{"log", "-z", "--topo-order", "--no-show-signature", "--no-color",
		"--format=%H%x00%an <%ae>%x00%B", "--end-of-options", head, "^" + onto}
	out, err := r.do(ctx, call{args: args, reads: true, limit: workLimit, env: offline()})
	if err != nil {
		return nil, false, wrap(err, "list commits of %.12s", head)
	}
	at := map[string]int{}
	for parts := fields(out); len(parts) >= 3; parts = parts[3:] {
		at[parts[0]] = len(all)
		all = append(all, OwnCommit{ID: parts[0], Author: parts[1], Message: parts[2]})
	}
	if len(all) == 0 {
		return nil, false, nil
	}
	patches := call{args: []string{"log", "--topo-order", "--no-show-signature", "--no-color", "--format=commit %H",
		"--patch", "--cc", "--unified=0", "--text", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--submodule=short",
		"--end-of-options", head, "^" + onto}, reads: true, limit: workLimit, env: offline()}
	size := 0
	err = r.stream(ctx, patches, func(a *answer) {
		commit := -1
		for a.more() {
			line, err := a.ReadBytes('\n')
			if err != nil && !errors.Is(err, io.EOF) {
				a.err = err
				return
			}
			if id, is := bytes.CutPrefix(line, []byte("commit ")); is {
				n, known := at[strings.TrimSpace(string(id))]
				if !known {
					a.err = odd(patches.args, string(line))
					return
				}
				commit = n
			}
			if added := bytes.TrimLeft(line, "+ "); commit >= 0 && isAdded(line) {
				if size += len(added); size > mostAdded {
					more = true
					_, a.err = io.Copy(io.Discard, a)
					return
				}
				all[commit].Added = append(all[commit].Added, added...)
			}
		}
	})
	return all, more, wrap(err, "read patches of %.12s", head)
}

// isAdded says whether a line of a patch is one that was added: to the file, or to that of each parent of a merge.
func isAdded(line []byte) bool {
	return (bytes.HasPrefix(line, []byte("+")) || bytes.HasPrefix(line, []byte(" +"))) &&
		!bytes.HasPrefix(line, []byte("+++ "))
}
