package takeover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/git"
	"delegate/internal/sys/atomicfile"
)

// Taken is what a take-over found.
type Taken struct {
	// Divergent are commits of the agent's that neither the branch nor HEAD of the worktree came to,
	// because somebody moved these outside. The repository has them, and the next head keeps them as parents.
	Divergent []string
	// Faults name what the agent's git has that was not taken over, and why.
	Faults []string
}

// TakeOver brings what the agent's git wrote into the repository: its objects, after they were
// checked, then the branch, branches that it made beside (as NAME.beside/…), HEAD, and an index in
// which what is left uncommitted is an unstaged change. Files are never touched. A branch or HEAD
// that somebody else moved since the last take-over stays where it is (Taken.Divergent). A branch that
// the agent deleted stays as well. With objects only, HEAD is the real one already; the branch follows
// it, but not to where it came from.
//
// The agent may be at work meanwhile and need not mean well. What it changes during the take-over
// is taken at one of its values or at the next one. A *git.TakeOverError says that its objects are
// not sound; then nothing moved. The time it takes is bounded by ctx. Where nothing happened since
// the last one, no program is started. The same unsound objects are looked at three times, for they
// may have been on their way, and then once a minute, after a reference moved, or at the next Enter
// that makes the agent's git anew.
func (c *Checkout) TakeOver(ctx context.Context, q Quarantine) (Taken, error) {
	guard, err := q.lock(ctx)
	if err != nil {
		return Taken{}, err
	}
	defer guard.Unlock()
	return c.takeOver(ctx, q)
}

func (c *Checkout) takeOver(ctx context.Context, q Quarantine) (Taken, error) {
	n, err := q.recall()
	if err != nil {
		return Taken{}, err
	}
	t := takeover{c: c, q: q, notes: n}
	if t.seen, err = c.view(q, n.IDLength); err != nil {
		return Taken{}, fmt.Errorf("take over %q: %w", c.Branch, err)
	}
	if t.now, err = c.placeNow(ctx); err != nil {
		return Taken{}, fmt.Errorf("take over %q: %w", c.Branch, err)
	}
	if t.seen.equal(n.Seen) && !n.Waits && t.now == n.Found {
		if n.Again {
			err = t.once(ctx)
		}
		return t.taken(), err
	}
	if err := t.attempt(ctx); err != nil {
		return Taken{}, fmt.Errorf("take over %q: %w", c.Branch, err)
	}
	return t.taken(), nil
}

// attempt is run, unless the same came to nothing too often: an agent could keep this program busy
// with copying gigabytes. After a while it is tried once more: git says the same of a full disk as of bad objects.
func (t *takeover) attempt(ctx context.Context) error {
	const most = 3
	before := t.notes
	again := before.Refused.Times > 0 && t.seen.equal(before.Refused.Seen)
	if again && before.Refused.Times >= most && time.Since(before.Refused.At) < refusedFor {
		return &git.TakeOverError{Detail: before.Refused.Detail}
	}
	err := t.run(ctx)
	var unsound *git.TakeOverError
	if !errors.As(err, &unsound) {
		return err
	}
	if !again {
		before.Refused.Times = 0
	}
	before.Refused = refusal{Seen: t.seen, Detail: unsound.Detail, Times: before.Refused.Times + 1, At: time.Now()}
	return errors.Join(err, t.q.remember(before))
}

// placeNow reads where the branch and HEAD are, from their files where they have some.
func (c *Checkout) placeNow(ctx context.Context) (place, error) {
	var s place
	head, err := atomicfile.ReadRegular(filepath.Join(c.Repo.GitDir, "HEAD"), mostHead)
	if err != nil {
		return s, err
	}
	s.Head = strings.TrimSpace(string(head))
	ref := "refs/heads/" + c.Branch
	value, err := atomicfile.ReadRegular(filepath.Join(c.Repo.CommonDir, filepath.FromSlash(ref)), mostHead)
	if s.Tip = strings.TrimSpace(string(value)); err == nil && (isID(s.Tip, 40) || isID(s.Tip, 64)) {
		return s, nil
	}
	s.Tip, _, err = c.Repo.Ref(ctx, ref) // packed
	return s, err
}

// takeover is one take-over under way.
type takeover struct {
	c     *Checkout
	q     Quarantine
	notes notes
	seen  view
	now   place
}

func (t *takeover) taken() Taken {
	divergent := slices.Concat(t.notes.Unmerged, t.notes.Divergent)
	slices.Sort(divergent)
	return Taken{Divergent: slices.Compact(divergent), Faults: slices.Clone(t.notes.Faults)}
}

// run does the steps in an order in which each can be cut off: objects, then a note of what is
// intended, then references.
func (t *takeover) run(ctx context.Context) error {
	t.notes.Faults, t.notes.Divergent = slices.Clone(t.seen.Faults), nil
	head := t.headOf()
	if err := errors.Join(t.importMedia(ctx), t.c.importTips(ctx, t.q, t.tips(head))); err != nil {
		return err
	}
	move := t.follow
	if t.q.Whole() {
		move = t.move
	}
	if err := move(ctx, head); err != nil {
		return err
	}
	t.notes.Seen, t.notes.Found, t.notes.Next, t.notes.Meant, t.notes.Refused = t.seen, t.now, place{}, nil,
		refusal{}
	return t.q.remember(t.notes)
}

// move takes the references, HEAD and the index to what the agent's git has.
func (t *takeover) move(ctx context.Context, head head) error {
	if err := t.compareNext(ctx); err != nil {
		return err
	}
	if err := t.moveBranch(ctx, t.seen.Refs[path.Base(t.c.Branch)]); err != nil {
		return err
	}
	if err := t.moveOthers(ctx); err != nil {
		return err
	}
	if err := t.moveHead(ctx, head); err != nil {
		return err
	}
	return t.moveIndex(ctx)
}

// follow takes the branch to the agent's HEAD, which is on no branch. An agent that looks at an older
// commit, or went back to one, takes nothing off its branch.
func (t *takeover) follow(ctx context.Context, head head) error {
	if err := t.compareNext(ctx); err != nil || head.commit == "" || head.commit != head.want || t.now.Tip == "" {
		return err
	}
	inside, err := t.c.Repo.IsAncestor(ctx, head.commit, t.now.Tip)
	if err != nil || inside {
		return err
	}
	return t.moveBranch(ctx, head.commit)
}

// head is what the agent's HEAD says.
type head struct {
	commit string // by its own references or detached; "" if neither
	want   string // for the real HEAD: full name of a branch or a commit; "" for none
	other  string // full name of a reference that is not the agent's
}

func (t *takeover) headOf() head {
	ref, symbolic := strings.CutPrefix(t.seen.Head, "ref:")
	ref = strings.TrimSpace(ref)
	own, inFolder := strings.CutPrefix(ref, t.c.refFolder()+"/")
	switch {
	case t.seen.Head == "":
	case !symbolic && isID(t.seen.Head, t.notes.IDLength):
		return head{commit: t.seen.Head, want: t.seen.Head}
	case symbolic && inFolder && isRefName(own):
		own = t.c.outside(own)
		return head{commit: t.seen.Refs[own], want: t.c.refFolder() + "/" + own}
	case symbolic && strings.HasPrefix(ref, "refs/") && isRefName(ref):
		t.fault("HEAD names %q, which is not the agent's", ref)
		return head{other: ref}
	default:
		t.fault("HEAD says %.100q", t.seen.Head)
	}
	return head{}
}

func (t *takeover) fault(format string, args ...any) {
	t.notes.Faults = append(t.notes.Faults, fmt.Sprintf(format, args...))
}

// tips are the commits that have to be in the repository before anything names them.
func (t *takeover) tips(h head) []string {
	all := slices.Collect(maps.Values(t.seen.Refs))
	if h.commit != "" {
		all = append(all, h.commit)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// compareNext finds out which of the two places, where the last take-over left them or where it was
// about to take them, the branch and HEAD are at.
func (t *takeover) compareNext(ctx context.Context) error {
	if t.now.Tip != "" && t.now.Tip == t.notes.Next.Tip {
		t.notes.Left.Tip = t.now.Tip
	}
	if t.now.Head == t.notes.Next.Head {
		t.notes.Left.Head = t.now.Head
	}
	var unmerged []string
	for _, commit := range t.notes.Unmerged {
		inside := false
		if t.now.Tip != "" {
			var err error
			if inside, err = t.c.Repo.IsAncestor(ctx, commit, t.now.Tip); err != nil {
				return err
			}
		}
		if !inside {
			unmerged = append(unmerged, commit)
		}
	}
	t.notes.Unmerged = unmerged
	return nil
}

const reason = "delegate: taken over"

// moveBranch takes the branch to the agent's tip, if it is where the last take-over left it.
func (t *takeover) moveBranch(ctx context.Context, tip string) error {
	switch {
	case tip == "" || tip == t.now.Tip:
		return nil
	case t.now.Tip == "" || t.now.Tip != t.notes.Left.Tip:
		t.keepDivergent(tip)
		return nil
	}
	t.notes.Next = place{Tip: tip}
	if err := t.q.remember(t.notes); err != nil {
		return err
	}
	update := git.RefUpdate{Ref: "refs/heads/" + t.c.Branch, Old: t.now.Tip, New: tip}
	if err := t.c.Repo.DropRefLocks(update); err != nil {
		return err
	}
	err := t.c.Repo.UpdateRefs(ctx, reason, update)
	if _, ok := errors.AsType[*git.MovedError](err); ok {
		t.keepDivergent(tip)
		return nil
	}
	if err == nil {
		t.now.Tip, t.notes.Left.Tip = tip, tip
	}
	return err
}

func (t *takeover) keepDivergent(commit string) {
	if commit != "" && !slices.Contains(t.notes.Divergent, commit) {
		t.notes.Divergent = append(t.notes.Divergent, commit)
	}
}

// moveOthers takes over branches that the agent made beside its own; those of somebody else in the
// same folder are left alone.
func (t *takeover) moveOthers(ctx context.Context) error {
	own := path.Base(t.c.Branch)
	if _, hasOwn := t.seen.Refs[own]; hasOwn && len(t.seen.Refs) == 1 || len(t.seen.Refs) == 0 {
		return nil
	}
	real, err := t.c.Repo.RefsUnder(ctx, t.c.refFolder()+"/")
	if err != nil {
		return err
	}
	left := maps.Clone(t.notes.Branches)
	if left == nil {
		left = map[string]string{}
	}
	meant := map[string]string{}
	for name, id := range t.seen.Refs {
		there := real[t.c.refFolder()+"/"+name]
		if there != "" && there == t.notes.Meant[name] { // by a take-over that was killed
			left[name] = there
		}
		switch {
		case name == own || there == id:
		case there != left[name]:
			t.fault("branch %q is another's, or was moved; the agent has it at %s", name, id)
		default:
			meant[name] = id
		}
	}
	t.notes.Branches, t.notes.Meant = left, meant
	return t.moveMeant(ctx)
}

// moveMeant makes or moves the branches. One that git refuses keeps no other back.
func (t *takeover) moveMeant(ctx context.Context) error {
	if len(t.notes.Meant) == 0 {
		return nil
	}
	if err := t.q.remember(t.notes); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(t.notes.Meant)) {
		id := t.notes.Meant[name]
		err := t.c.Repo.UpdateRefs(ctx, reason,
			git.RefUpdate{Ref: t.c.refFolder() + "/" + name, Old: t.notes.Branches[name], New: id})
		switch {
		case ctx.Err() != nil:
			return err
		case err != nil:
			t.fault("branch %q at %s: %v", name, id, err)
		default:
			t.notes.Branches[name] = id
		}
	}
	return nil
}

// moveHead takes the worktree's HEAD to where the agent's is, if it is where the last take-over left it.
func (t *takeover) moveHead(ctx context.Context, h head) error {
	want := h.want
	if strings.HasPrefix(want, "refs/") {
		want = "ref: " + want
	}
	switch {
	case h.other != "":
		commit, err := t.c.Repo.Resolve(ctx, h.other)
		if err != nil && !errors.Is(err, git.ErrNoCommit) && !errors.Is(err, git.ErrBroken) {
			return err
		}
		t.keepDivergent(commit)
		return nil
	case want == "" || want == t.now.Head:
		return nil
	case t.now.Head != t.notes.Left.Head || !t.has(h):
		t.keepDivergent(h.commit)
		return nil
	}
	t.notes.Next.Head = want
	if err := t.q.remember(t.notes); err != nil {
		return err
	}
	if err := t.c.Repo.SetHead(ctx, h.want, reason); err != nil {
		return err
	}
	t.now.Head, t.notes.Left.Head = want, want
	return nil
}

// has says whether the real HEAD can be there: a branch has to be the agent's own, and at its commit.
func (t *takeover) has(h head) bool {
	name, isBranch := strings.CutPrefix(h.want, t.c.refFolder()+"/")
	switch {
	case !isBranch:
		return true
	case name == path.Base(t.c.Branch):
		return t.now.Tip != ""
	}
	return h.commit != "" && t.notes.Branches[name] == h.commit
}

// moveIndex lets the real index follow the real HEAD. Where somebody holds its lock, the next take-over tries again.
func (t *takeover) moveIndex(ctx context.Context) error {
	t.notes.Waits = false
	commit, err := t.c.Repo.Resolve(ctx, "HEAD")
	if errors.Is(err, git.ErrNoCommit) {
		return nil
	}
	if err != nil || commit == t.notes.Index {
		return err
	}
	var locked *git.LockedError
	if t.notes.Index != "" {
		err = t.c.Repo.FollowIndex(ctx, t.notes.Index, commit)
	}
	if t.notes.Waits = errors.As(err, &locked); t.notes.Waits {
		return nil
	}
	if err == nil {
		t.notes.Index = commit
	}
	return err
}

// received is what a snapshot starts from.
type received struct {
	repo    *git.Repo // the checkout, with what the agent has staged
	parents []string
	unsound string // why the agent's commits could not be taken over, "" if they were
	faults  []string
}

// receive takes over what the agent's git has in its quarantine and finds the commits that the head must keep.
// Commits that are not sound do not keep the files from being saved.
func (c *Checkout) receive(ctx context.Context, r SnapshotRequest) (received, error) {
	in := received{repo: c.Repo}
	q, begun := OpenQuarantine(r.Quarantine)
	if !begun {
		var err error
		in.parents, err = c.parents(ctx, r.Previous)
		return in, err
	}
	taken, err := c.TakeOver(ctx, q)
	if unsound, ok := errors.AsType[*git.TakeOverError](err); ok {
		in.unsound = fmt.Sprintf("commits were not taken over: %v", unsound)
	} else if err != nil {
		return in, err
	}
	in.faults = taken.Faults
	if in.unsound != "" && !q.Whole() && r.Previous != "" { // the branch itself may name what is missing
		in.parents = []string{r.Previous}
	} else if in.parents, err = c.parents(ctx, r.Previous); err != nil {
		return in, err
	}
	if in.parents, err = c.join(ctx, in.parents, taken.Divergent); err != nil || !q.Whole() {
		return in, err
	}
	return in, c.stage(&in, q, r.Index+".agent")
}

// join adds commits to parents, so that none is in the history of another.
func (c *Checkout) join(ctx context.Context, parents, divergent []string) ([]string, error) {
	for _, commit := range divergent {
		var kept []string
		within := false
		for _, p := range parents {
			inside, err := c.Repo.IsAncestor(ctx, commit, p)
			if err != nil {
				return nil, err
			}
			within = within || inside
			below, err := c.Repo.IsAncestor(ctx, p, commit)
			if err != nil {
				return nil, err
			}
			if !below || inside {
				kept = append(kept, p)
			}
		}
		if parents = kept; !within {
			parents = append(parents, commit)
		}
	}
	return parents, nil
}

// stage lets the snapshot take what the agent has staged from a copy of its index, in a form in which nothing but its
// files is read. Where it is still that of the real checkout, no agent wrote it. One that cannot be read stages
// nothing, and the head is incomplete.
func (c *Checkout) stage(in *received, q Quarantine, index string) error {
	data, err := agentFolder(q.GitDir()).read("index", mostIndex)
	if err == nil && !holds(c.Repo.IndexPath(), data) {
		data, err = git.PlainIndex(data, len(in.parents[0])/2, mostIndex)
	}
	if err != nil {
		data = nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		in.unsound = strings.TrimSpace(fmt.Sprintf("%s\nthe agent's index was not read: %v", in.unsound, err))
	}
	if err := os.Remove(index); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	in.repo = c.Repo.StagedIn(index)
	if len(data) == 0 {
		return nil // git takes a missing index for an empty one
	}
	return os.WriteFile(index, data, 0o600)
}

// holds reports whether a file of this program's own has just this content.
func holds(file string, data []byte) bool {
	info, err := os.Stat(file)
	if err != nil || info.Size() != int64(len(data)) {
		return false
	}
	found, err := os.ReadFile(file)
	return err == nil && bytes.Equal(found, data)
}
