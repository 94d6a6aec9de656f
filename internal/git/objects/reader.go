// Package objects reads a repository's objects: trees as file systems, files, and what changed between commits. One git
// process reads them for each Reader. Nothing is written.
package objects

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"delegate/change"
	"delegate/internal/git"
)

// Reader reads files and trees of a repository. It serves one caller at a time, but who reads the trees that it has
// made: they can be read side by side.
type Reader struct {
	mu    sync.Mutex // of who reads trees
	repo  *git.Repo
	from  Source          // what is asked in place of git, nil for git
	blobs *git.Blobs      // nil until it is needed
	until context.Context // ends blobs
	trees map[string][]git.Entry
	count int               // of entries in all trees
	roots map[string]string // commits' trees
}

// New returns a Reader of a repository. Nothing is read before it is asked for.
func New(repo *git.Repo) *Reader {
	return &Reader{repo: repo, trees: map[string][]git.Entry{}, roots: map[string]string{}}
}

// Source reads an object as git stores it, and says of what kind it is.
type Source func(id string) (data []byte, kind string, err error)

// From reads from a source in place of a repository, and cannot tell what changed between commits.
func From(from Source) *Reader {
	return &Reader{from: from, trees: map[string][]git.Entry{}, roots: map[string]string{}}
}

// Close gives a process back.
func (o *Reader) Close() error {
	if o.blobs == nil {
		return nil
	}
	return o.blobs.Close()
}

// Blob returns the content of a file object.
func (o *Reader) Blob(ctx context.Context, id string) ([]byte, error) {
	data, _, err := o.Read(ctx, id)
	return data, err
}

// largestObject is more than anything that fits into memory here; git's own limit is met before.
const largestObject = math.MaxInt64

// Read is an object as git stores it, and its kind.
func (o *Reader) Read(ctx context.Context, id string) (data []byte, kind string, err error) {
	if o.from != nil {
		return o.from(id)
	}
	return o.reads(ctx).Read(id, largestObject)
}

// ReadAhead is Read for objects that are likely to be needed next, as far as so many bytes go. One that cannot be read
// ends them, and whoever reads it is told why.
func (o *Reader) ReadAhead(ctx context.Context, ids []string, most int64) (data [][]byte, kinds []string, err error) {
	return o.reads(ctx).ReadAhead(ids, most)
}

// reads returns what reads, as long as the Reader lives: another one where the context of the last has ended.
func (o *Reader) reads(ctx context.Context) *git.Blobs {
	if o.blobs != nil && o.until.Err() != nil {
		_ = o.blobs.Close() // it was ended
		o.blobs = nil
	}
	if o.blobs == nil {
		o.blobs, o.until = o.repo.OpenBlobs(ctx), ctx
	}
	return o.blobs
}

// Commit is the commit that a revision names; git.ErrNoCommit (wrapped) if it names none.
func (o *Reader) Commit(ctx context.Context, revision string) (string, error) {
	id, data, err := o.reads(ctx).Commit(revision)
	if err != nil {
		return "", err
	}
	o.roots[id], err = git.ParseCommitTree(data)
	return id, err
}

// Commits is Commit for many revisions, "" for those that name none.
func (o *Reader) Commits(ctx context.Context, revisions []string) ([]string, error) {
	ids, data, err := o.reads(ctx).Commits(revisions)
	for i := 0; i < len(ids) && err == nil; i++ {
		if ids[i] != "" {
			o.roots[ids[i]], err = git.ParseCommitTree(data[i])
		}
	}
	return ids, err
}

// mostEntries bounds how many entries of folders are remembered, some 100 bytes each.
const mostEntries = 100_000

func (o *Reader) entries(ctx context.Context, tree string) ([]git.Entry, error) {
	if known, ok := o.trees[tree]; ok {
		return known, nil
	}
	all, err := o.readEntries(ctx, tree)
	if err != nil {
		return nil, err
	}
	if o.count += len(all); o.count > mostEntries {
		clear(o.trees)
		o.count = len(all)
	}
	o.trees[tree] = all
	return all, nil
}

func (o *Reader) readEntries(ctx context.Context, tree string) ([]git.Entry, error) {
	data, _, err := o.Read(ctx, tree)
	if err != nil {
		return nil, err
	}
	return git.ParseTree(data, len(tree)/2)
}

// Tree is a commit's or tree's files as a file system, which reads nothing before it is asked for.
// Symbolic links are files with mode fs.ModeSymlink whose content is the target; submodules are empty folders.
func (o *Reader) Tree(ctx context.Context, commit string) fs.FS {
	return &treeFS{ctx: ctx, objects: o, commit: commit}
}

// rootOf is the tree of a commit; a tree is its own.
func (o *Reader) rootOf(ctx context.Context, id string) (string, error) {
	if tree, known := o.roots[id]; known {
		return tree, nil
	}
	tree, err := o.readRoot(ctx, id)
	if err != nil {
		return "", err
	}
	if len(id) == len(tree) { // a name could mean another commit the next time
		o.roots[id] = tree
	}
	return tree, nil
}

func (o *Reader) readRoot(ctx context.Context, id string) (string, error) {
	data, kind, err := o.Read(ctx, id)
	if err != nil || kind != "commit" {
		return id, err
	}
	return git.ParseCommitTree(data)
}

// treeFS carries its context because fs.FS has no place for one; it lives as long as the call that made it.
type treeFS struct {
	ctx     context.Context
	objects *Reader
	commit  string // or a tree
}

func (t *treeFS) find(name string) (git.Entry, error) {
	root, err := t.objects.rootOf(t.ctx, t.commit)
	if err != nil {
		return git.Entry{}, err
	}
	at := git.Entry{Mode: modeTree, ID: root, Path: "."}
	if name == "." {
		return at, nil
	}
	for part := range strings.SplitSeq(name, "/") {
		if at.Mode != modeTree {
			return git.Entry{}, fs.ErrNotExist
		}
		entries, err := t.objects.entries(t.ctx, at.ID)
		if err != nil {
			return git.Entry{}, err
		}
		found := slices.IndexFunc(entries, func(e git.Entry) bool { return e.Path == part })
		if found < 0 {
			return git.Entry{}, fs.ErrNotExist
		}
		at = entries[found]
	}
	return at, nil
}

// modeTree is git's mode of a folder.
const modeTree = 0o040000

// Open implements fs.FS.
func (t *treeFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	t.objects.mu.Lock()
	defer t.objects.mu.Unlock()
	entry, err := t.find(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &treeFile{fsys: t, entry: entry}, nil
}

func (t *treeFS) blob(id string) ([]byte, error) {
	t.objects.mu.Lock()
	defer t.objects.mu.Unlock()
	return t.objects.Blob(t.ctx, id)
}

func (t *treeFS) entries(id string) ([]git.Entry, error) {
	t.objects.mu.Lock()
	defer t.objects.mu.Unlock()
	return t.objects.entries(t.ctx, id)
}

// treeFile reads its content when it is asked for.
type treeFile struct {
	fsys  *treeFS
	entry git.Entry
	data  *bytes.Reader // nil before the first read
	rest  []git.Entry
	read  bool
}

// load reads the content of a file; folders have none.
func (f *treeFile) load() error {
	if f.data != nil {
		return nil
	}
	if f.entry.Mode == modeTree || f.entry.Mode == change.ModeSubmodule {
		return &fs.PathError{Op: "read", Path: f.entry.Path, Err: fs.ErrInvalid}
	}
	data, err := f.fsys.blob(f.entry.ID)
	if err != nil {
		return &fs.PathError{Op: "read", Path: f.entry.Path, Err: err}
	}
	f.data = bytes.NewReader(data)
	return nil
}

func (f *treeFile) Stat() (fs.FileInfo, error) {
	if f.entry.Mode == modeTree || f.entry.Mode == change.ModeSubmodule {
		return info{f.entry, 0}, nil
	}
	if err := f.load(); err != nil {
		return nil, err
	}
	return info{f.entry, f.data.Size()}, nil
}

func (f *treeFile) Close() error { return nil }

// ContentID returns the id of a file's content; "" for a folder.
func (f *treeFile) ContentID() string {
	if f.entry.Mode == modeTree {
		return ""
	}
	return f.entry.ID
}

func (f *treeFile) Read(p []byte) (int, error) {
	if err := f.load(); err != nil {
		return 0, err
	}
	return f.data.Read(p)
}

func (f *treeFile) ReadDir(n int) ([]fs.DirEntry, error) {
	if !f.read {
		f.read = true
		if f.entry.Mode == modeTree {
			entries, err := f.fsys.entries(f.entry.ID)
			if err != nil {
				return nil, err
			}
			f.rest = entries
		}
	}
	take := len(f.rest)
	if n > 0 && n < take {
		take = n
	}
	if n > 0 && take == 0 {
		return nil, io.EOF
	}
	all := make([]fs.DirEntry, 0, take)
	for _, e := range f.rest[:take] {
		all = append(all, dirEntry{f.fsys, e})
	}
	f.rest = f.rest[take:]
	return all, nil
}

// dirEntry learns a file's size only when asked for it.
type dirEntry struct {
	fsys  *treeFS
	entry git.Entry
}

func (d dirEntry) Name() string      { return d.entry.Path }
func (d dirEntry) IsDir() bool       { return d.Type().IsDir() }
func (d dirEntry) Type() fs.FileMode { return info{d.entry, 0}.Mode().Type() }
func (d dirEntry) String() string    { return fs.FormatDirEntry(d) }

func (d dirEntry) Info() (fs.FileInfo, error) {
	if d.IsDir() {
		return info{d.entry, 0}, nil
	}
	data, err := d.fsys.blob(d.entry.ID)
	if err != nil {
		return nil, err
	}
	return info{d.entry, int64(len(data))}, nil
}

type info struct {
	entry git.Entry
	size  int64
}

func (i info) Name() string       { return path.Base(i.entry.Path) }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.Mode().IsDir() }
func (i info) Sys() any           { return i.entry }

func (i info) Mode() fs.FileMode {
	switch i.entry.Mode {
	case modeTree, change.ModeSubmodule:
		return fs.ModeDir | 0o755
	case change.ModeSymlink:
		return fs.ModeSymlink | 0o777
	case change.ModeExecutable:
		return 0o755
	}
	return 0o644
}
