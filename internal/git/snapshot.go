package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
)

// IncompleteError says that a snapshot lacks files which git could not add, in git's own words.
type IncompleteError struct {
	Worktree, Detail string
	Left             []Skipped // files that were left out unread; Detail says nothing of them
}

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("snapshot of %q lacks files: %s %v", e.Worktree, e.Detail, e.Left)
}

// Snapshot writes the checkout's files, tracked and untracked but not ignored, as a tree. A file
// that git cannot add (unreadable, a repository without a commit, a filter that fails), or that is
// beyond the bounds, makes an *IncompleteError with the tree of all others. It works on an index
// of its own (the file index, kept between calls for speed), starting from the commit from; the
// checkout's index is not touched and no flag in it can hide a file; it only adds files that are
// staged although they are ignored. Paths in leave are taken back out unless the commit has them.
// It writes objects only.
func (r *Repo) Snapshot(ctx context.Context, index, from string, leave []string) (string, error) {
	env := []string{"GIT_INDEX_FILE=" + index}
	if err := r.startIndex(ctx, index, from); err != nil {
		return "", err
	}
	committed, err := r.IndexEntries(ctx, index, leave)
	if err != nil {
		return "", err
	}
	leave = slices.DeleteFunc(slices.Clone(leave), func(p string) bool { return committed[p].ID != "" })
	left, err := r.beyond(ctx, index)
	if err != nil {
		return "", fmt.Errorf("snapshot of %q: %w", r.Worktree, err)
	}
	missing, err := r.addFiles(ctx, env, &left)
	if err != nil {
		return "", fmt.Errorf("snapshot of %q: %w", r.Worktree, err)
	}
	if len(leave) > 0 {
		c := call{args: []string{"update-index", "--force-remove", "-z", "--stdin"}, stdin: records(leave), env: env}
		if _, err := r.do(ctx, c); err != nil {
			return "", fmt.Errorf("snapshot of %q: %w", r.Worktree, err)
		}
	}
	tree, err := r.writeTree(ctx, env)
	if err != nil {
		return "", fmt.Errorf("snapshot of %q: %w", r.Worktree, err)
	}
	if missing != "" || len(left) > 0 {
		return tree, &IncompleteError{Worktree: r.Worktree, Detail: missing, Left: left}
	}
	return tree, nil
}

// Unchanged returns the tree of a private index that Snapshot left, where nothing changed since: git finds all files of
// the checkout in it as they are, no other one is staged, and no file outside changed that says what git ignores and
// how it reads files. False says only that another snapshot has to be taken. It runs no filter.
func (r *Repo) Unchanged(ctx context.Context, index, from string) (tree string, ok bool) {
	info, err := os.Stat(index)
	if err != nil || !r.settingsBefore(ctx, info.ModTime()) {
		return "", false
	}
	data, err := os.ReadFile(index)
	if err != nil {
		return "", false
	}
	names, tree, err := readIndex(data, len(from)/2)
	if err != nil || tree == "" || r.stagesOther(names, len(from)/2) {
		return "", false
	}
	env, err := r.disarm(ctx, anyFilter, "")
	if err != nil {
		return "", false
	}
	found, err := r.At(r.GitDir, r.Worktree).Bounded(Bounds{Entries: 1}).listed(ctx, call{reads: true,
		args: []string{"ls-files", "-z", "--modified", "--others", "--exclude-standard"},
		env:  append(env, "GIT_INDEX_FILE="+index)})
	if err != nil || len(found) > 0 {
		return "", false
	}
	object, there := r.lookUp(ctx, tree) // a prune may have taken it
	return tree, there && object.kind == "tree"
}

// settingsBefore reports whether the files outside of a checkout that say how git looks at it are older than a time.
func (r *Repo) settingsBefore(ctx context.Context, at time.Time) bool {
	files, err := r.SettingsFiles(ctx)
	for _, name := range []string{"exclude", "attributes"} {
		files = append(files, filepath.Join(r.CommonDir, "info", name))
	}
	return err == nil && !slices.ContainsFunc(files, func(file string) bool {
		info, err := os.Stat(file)
		return err == nil && !info.ModTime().Before(at) || err != nil && !errors.Is(err, fs.ErrNotExist)
	})
}

// stagesOther reports whether a file of the checkout is staged that is none of these.
func (r *Repo) stagesOther(names map[string]bool, idSize int) bool {
	file := cmp.Or(r.stagedIndex, r.IndexPath())
	data, err := atomicfile.ReadRegular(file, mostStaged)
	if errors.Is(err, fs.ErrNotExist) {
		return false // git takes a missing index for an empty one
	}
	staged, _, readErr := readIndex(data, idSize)
	for name := range staged {
		if !names[name] && filepath.IsLocal(name) && isThere(filepath.Join(r.Worktree, name)) {
			return true
		}
	}
	return errors.Join(err, readErr) != nil
}

// mostStaged is more than the index of a million files has.
const mostStaged = 256 << 20

// startIndex fills the private index from the commit and keeps what it knows of unchanged files. One that git cannot
// read is only a cache: it is made anew.
func (r *Repo) startIndex(ctx context.Context, index, from string) error {
	c := call{args: []string{"read-tree", "--reset", from}, env: []string{"GIT_INDEX_FILE=" + index}}
	_, err := r.do(ctx, c)
	if run.ExitCode(err) > 0 && os.Remove(index) == nil {
		_, err = r.do(ctx, c)
	}
	return wrap(err, "snapshot of %q", r.Worktree)
}

// addFiles brings the index to the files of the checkout, without those that are left out, and
// answers with what git said of others.
func (r *Repo) addFiles(ctx context.Context, env []string, left *[]Skipped) (string, error) {
	if len(*left) > 0 && (*left)[0].Why == BeyondEntries {
		return "", nil
	}
	missing, err := r.addAll(ctx, env, *left)
	if err != nil {
		return "", err
	}
	staged, err := r.addStaged(ctx, env, left)
	return strings.TrimSpace(missing + "\n" + staged), err
}

// StagedIn is the same checkout for snapshots that take what is staged from another index file,
// which nobody else writes. The file may be hostile.
func (r *Repo) StagedIn(index string) *Repo {
	other := *r
	other.stagedIndex = index
	return &other
}

// addStaged takes in files that are staged although --all leaves them out because they are ignored,
// and answers with what git said if it refused. Those beyond the bounds are left out as well.
func (r *Repo) addStaged(ctx context.Context, env []string, left *[]Skipped) (string, error) {
	asked := call{args: []string{"ls-files", "-z", "--cached", "--ignored", "--exclude-standard"}, reads: true}
	if r.stagedIndex != "" {
		asked.env = []string{"GIT_INDEX_FILE=" + r.stagedIndex}
	}
	staged, err := r.do(ctx, asked)
	if err != nil {
		return r.refused(err)
	}
	paths := slices.DeleteFunc(fields(staged), func(p string) bool {
		if !filepath.IsLocal(filepath.FromSlash(p)) {
			return true // an index can hold any name
		}
		at := filepath.Join(r.Worktree, filepath.FromSlash(p))
		if size, leased := look(at); leased || r.bounds.File > 0 && size > r.bounds.File {
			if !slices.ContainsFunc(*left, func(l Skipped) bool { return l.Path == p }) {
				why := BeyondFile
				if leased {
					why = Leased
				}
				*left = append(*left, Skipped{p, size, why})
			}
			return true
		}
		_, err := os.Lstat(at)
		return err != nil
	})
	if len(paths) == 0 {
		return "", nil
	}
	_, err = r.open(ctx, call{args: []string{"add", "--force", "--sparse", "--pathspec-from-file=-",
		"--pathspec-file-nul"}, stdin: records(paths), env: append(env, "GIT_LITERAL_PATHSPECS=1")})
	if err != nil {
		return r.refused(err)
	}
	return "", nil
}

// refused makes git's words of an error that only says that git did not want to, where the index is another's work.
func (r *Repo) refused(err error) (string, error) {
	var exit *run.ExitError
	if r.stagedIndex == "" || !errors.As(err, &exit) || exit.Code <= 0 {
		return "", err
	}
	return exit.Stderr, nil
}

// addAll brings the index to the files of the checkout and answers with what git said of those that it could not add.
func (r *Repo) addAll(ctx context.Context, env []string, left []Skipped) (string, error) {
	sparse, err := r.sparse(ctx)
	if err != nil {
		return "", err
	}
	a := adder{repo: r, env: env, left: left}
	if sparse { // what lies outside of the patterns is left out by --all; if it is absent, nobody deleted it
		present, err := r.differing(ctx, env, "--diff-filter=d")
		if err != nil {
			return "", err
		}
		if err := a.pieces(ctx, present); err != nil {
			return "", err
		}
	}
	said, err := r.open(ctx, call{
		args:  []string{"add", "--all", "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul"},
		stdin: records(excluding(left)), env: env, mixed: true,
	})
	if err == nil { // a folder that it cannot open is no fault to git
		a.said = append(a.said, warnings(string(said))...)
		return a.missing(), nil
	}
	var exit *run.ExitError
	if !errors.As(err, &exit) || exit.Code < 0 {
		return "", err
	}
	if _, statErr := os.Stat(r.Worktree); statErr != nil {
		return "", err
	}
	if exit.Code == 1 { // all others are in
		a.said = append(a.said, strings.TrimSpace(string(said)))
		return a.missing(), nil
	}
	// One file stopped git before it wrote anything: add in pieces to find which.
	paths, err := r.differing(ctx, env)
	if err != nil {
		return "", err
	}
	if err := a.pieces(ctx, paths); err != nil {
		return "", err
	}
	return a.missing(), nil
}

// sparse says whether the checkout leaves files out. Without a list of patterns git leaves out
// none, whatever the configuration says.
func (r *Repo) sparse(ctx context.Context) (bool, error) {
	if !isThere(filepath.Join(r.GitDir, "info", "sparse-checkout")) {
		return false, nil
	}
	return r.isSet(ctx, "core.sparseCheckout")
}

// warnings are the lines in which git itself speaks; a filter's words are left out.
func warnings(said string) []string {
	var all []string
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "warning: ") {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// adder collects what git says of files that it cannot add.
type adder struct {
	repo *Repo
	env  []string
	left []Skipped // what is not to be added
	said []string
}

func (a *adder) missing() string { return strings.Join(a.said, "\n") }

// pieces adds the paths, halving a list in which one of them stops git, so that all others are in.
func (a *adder) pieces(ctx context.Context, paths []string) error {
	const most = 100 // so many single failures have another cause than the files
	paths = slices.DeleteFunc(paths, func(p string) bool {
		return slices.ContainsFunc(a.left, func(l Skipped) bool { return l.Path == p })
	})
	if len(paths) == 0 {
		return nil
	}
	args := []string{"--literal-pathspecs", "add", "--all", "--sparse", "--ignore-errors", "--pathspec-from-file=-",
		"--pathspec-file-nul"}
	_, err := a.repo.open(ctx, call{args: args, stdin: records(paths), env: a.env})
	var exit *run.ExitError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &exit) || exit.Code < 0 || len(a.said) >= most:
		return err
	case exit.Code == 1 || len(paths) == 1:
		a.said = append(a.said, exit.Stderr)
		return nil
	}
	half := len(paths) / 2
	if err := a.pieces(ctx, paths[:half]); err != nil {
		return err
	}
	return a.pieces(ctx, paths[half:])
}

// differing are the files of the checkout that the index does not have or may have otherwise; their
// content is not looked at.
func (r *Repo) differing(ctx context.Context, env []string, filter ...string) ([]string, error) {
	listed := call{env: env, reads: true, limit: workLimit}
	listed.args = append([]string{"diff-files", "--name-only", "-z", "--no-renames"}, filter...)
	known, err := r.listed(ctx, listed)
	if err != nil {
		return nil, err
	}
	listed.args = []string{"ls-files", "--others", "--exclude-standard", "-z"}
	others, err := r.listed(ctx, listed)
	return append(known, others...), err
}

// Skipped is a file that a snapshot leaves out; the tree has it as the commit does.
type Skipped struct {
	Path string
	Size int64
	Why  SkipReason
}

// SkipReason says why.
type SkipReason string

// The reasons: one of the bounds, or a lease by which another process stops each process that opens the file.
const (
	BeyondFile    SkipReason = "file"
	BeyondWork    SkipReason = "work"
	BeyondEntries SkipReason = "entries" // Path is ".": nothing that is uncommitted is in
	Leased        SkipReason = "lease"
)

// errEntries says that a listing has more entries than the bounds allow.
var errEntries = errors.New("more entries than are looked at")

// listed reads the paths of a -z listing as far as the bounds let it; errEntries beyond.
func (r *Repo) listed(ctx context.Context, c call) (paths []string, err error) {
	command, err := r.inside(c)
	if err != nil {
		return nil, err
	}
	err = streamed(ctx, command, func(a *answer) {
		for a.more() {
			if r.bounds.Entries > 0 && len(paths) >= r.bounds.Entries {
				a.err = errEntries
				return
			}
			paths = append(paths, a.next())
		}
	})
	return paths, err
}

// beyond are the files of the checkout that a snapshot has to leave out, by their sizes on the disk: nothing is read.
// Files that are as large as the commit has them count for nothing: without their times in the
// index, all are listed as changed.
func (r *Repo) beyond(ctx context.Context, index string) ([]Skipped, error) {
	paths, err := r.differing(ctx, []string{"GIT_INDEX_FILE=" + index})
	if errors.Is(err, errEntries) {
		return []Skipped{{Path: ".", Size: int64(r.bounds.Entries), Why: BeyondEntries}}, nil
	}
	if err != nil {
		return nil, err
	}
	var left, doubtful []Skipped
	total := int64(0)
	for _, path := range paths {
		size, leased := look(filepath.Join(r.Worktree, filepath.FromSlash(path)))
		total += size
		if leased {
			left = append(left, Skipped{path, size, Leased})
		} else if size > 0 {
			doubtful = append(doubtful, Skipped{Path: path, Size: size})
		}
	}
	large := func(l Skipped) bool { return r.bounds.File > 0 && l.Size > r.bounds.File }
	if r.bounds.Work == 0 || total <= r.bounds.Work {
		doubtful = slices.DeleteFunc(doubtful, func(l Skipped) bool { return !large(l) })
	}
	if doubtful, err = r.grown(ctx, index, doubtful); err != nil {
		return nil, err
	}
	total = 0
	for _, l := range doubtful {
		switch total += l.Size; {
		case large(l):
			l.Why = BeyondFile
		case r.bounds.Work > 0 && total > r.bounds.Work:
			l.Why = BeyondWork
		default:
			continue
		}
		total -= l.Size
		left = append(left, l)
	}
	return left, nil
}

// look returns the size of a regular file, 0 of anything else, and whether a process holds a lease on it:
// an opener would wait for them.
func look(path string) (size int64, leased bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err == nil {
		_ = file.Close()
	}
	return info.Size(), errors.Is(err, syscall.EAGAIN)
}

// grown are those of the files that have not the size that the commit has them in, or that its
// pointer names for a large file of LFS.
func (r *Repo) grown(ctx context.Context, index string, files []Skipped) (grown []Skipped, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	paths := make([]string, len(files))
	for i, l := range files {
		paths[i] = l.Path
	}
	known, err := r.IndexEntries(ctx, index, paths)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range known {
		ids = append(ids, e.ID)
	}
	heads, err := r.heads(ctx, ids)
	if err != nil {
		return nil, err
	}
	sizes := make(map[string]int64, len(heads))
	for _, h := range heads {
		sizes[h.id] = h.size
	}
	blobs := r.OpenBlobs(ctx)
	for _, l := range files {
		e, committed := known[l.Path]
		if committed && (sizes[e.ID] == l.Size || pointedSize(blobs, e.ID, sizes[e.ID]) == l.Size) {
			continue
		}
		grown = append(grown, l)
	}
	return grown, blobs.Close()
}

// pointedSize is the size that a pointer of git-lfs names, -1 if the object is none.
func pointedSize(blobs *Blobs, id string, size int64) int64 {
	const mostPointed = 1 << 10
	pointed := int64(-1)
	if size <= 0 || size > mostPointed {
		return pointed
	}
	data, _, err := blobs.Read(id, mostPointed)
	if err != nil || !strings.HasPrefix(string(data), "version https://git-lfs.github.com/spec/") {
		return pointed
	}
	for line := range strings.Lines(string(data)) {
		if _, err := fmt.Sscanf(line, "size %d", &pointed); err == nil {
			break
		}
	}
	return pointed
}

// excluding are the pathspecs of everything but these files.
func excluding(left []Skipped) []string {
	specs := []string{"."}
	for _, l := range left {
		specs = append(specs, ":(top,literal,exclude)"+l.Path)
	}
	return specs
}
