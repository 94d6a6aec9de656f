package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"delegate/internal/sys/run"
)

// writeTree writes the index as a tree. What it took over from a commit need not be here: a partial
// clone lacks files that a sparse checkout leaves out, and git would fetch each of them only to see
// that it is there, or end where it cannot.
func (r *Repo) writeTree(ctx context.Context, env []string) (string, error) {
	return r.id(ctx, call{args: []string{"write-tree", "--missing-ok"}, env: env})
}

// ParseTree reads a tree object as git stores it; idSize is the length of object ids in bytes.
func ParseTree(data []byte, idSize int) ([]Entry, error) {
	var all []Entry
	for len(data) > 0 {
		head, rest, found := bytes.Cut(data, []byte{0})
		mode, name, named := strings.Cut(string(head), " ")
		bits, err := strconv.ParseUint(mode, 8, 32)
		if !found || !named || err != nil || len(rest) < idSize {
			return nil, fmt.Errorf("git tree entry %q", head)
		}
		all = append(all, Entry{Mode: uint32(bits), ID: hex.EncodeToString(rest[:idSize]), Path: name})
		data = rest[idSize:]
	}
	return all, nil
}

// ParseCommitTree finds the tree in a commit object as git stores it.
func ParseCommitTree(data []byte) (string, error) {
	line, _, _ := strings.Cut(string(data), "\n")
	tree, found := strings.CutPrefix(line, "tree ")
	if !found || !isFullID(tree) {
		return "", fmt.Errorf("git commit begins with %q", line)
	}
	return tree, nil
}

// parseCommit finds the tree and the parents in a commit object as git stores it.
func parseCommit(data []byte) (tree string, parents []string, err error) {
	if tree, err = ParseCommitTree(data); err != nil {
		return "", nil, err
	}
	_, rest, _ := strings.Cut(string(data), "\n")
	for line := range strings.Lines(rest) {
		id, isParent := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "parent ")
		if !isParent {
			break
		}
		if !isFullID(id) {
			return "", nil, fmt.Errorf("git commit has the line %q", line)
		}
		parents = append(parents, id)
	}
	return tree, parents, nil
}

// Entry is one file of a tree.
type Entry struct {
	Mode uint32
	ID   string
	Path string
}

// Files lists the paths of a commit or tree.
func (r *Repo) Files(ctx context.Context, tree string) ([]string, error) {
	files, err := r.listTree(ctx, tree, "--name-only")
	return files, wrap(err, "list files of %.12s", tree)
}

// Blob returns the content of a file object, by its full id.
func (r *Repo) Blob(ctx context.Context, id string) ([]byte, error) {
	blobs := r.OpenBlobs(ctx)
	defer blobs.Close()
	data, kind, err := blobs.Read(id, math.MaxInt64)
	if err == nil && kind != "blob" {
		err = fmt.Errorf("it is a %s: %w", kind, ErrNoObject)
	}
	return data, wrap(err, "read blob %.12s", id)
}

// EditTree is the tree with other entries at some paths; an entry without ID takes its path away,
// and one where a folder was replaces the folder. It works in an index of its own and writes
// objects only.
func (r *Repo) EditTree(ctx context.Context, tree string, entries []Entry) (string, error) {
	folder, err := os.MkdirTemp("", "delegate-tree-")
	if err != nil {
		return "", fmt.Errorf("edit tree %.12s: %w", tree, err)
	}
	defer os.RemoveAll(folder)
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(folder, "index")}
	var input strings.Builder
	for _, e := range entries {
		mode, id := e.Mode, e.ID
		if id == "" {
			mode, id = 0, strings.Repeat("0", len(tree))
		}
		fmt.Fprintf(&input, "%o %s\t%s\x00", mode, id, e.Path)
	}
	if _, err := r.do(ctx, call{args: []string{"read-tree", tree}, env: env}); err != nil {
		return "", fmt.Errorf("edit tree %.12s: %w", tree, err)
	}
	// A path that may not be in a tree is left out with a remark and nothing else.
	update := call{args: []string{"update-index", "-z", "--index-info"}, env: env, mixed: true}
	update.stdin = strings.NewReader(input.String())
	said, err := r.do(ctx, update)
	if err == nil && len(said) > 0 {
		err = errors.New(strings.TrimSpace(string(said)))
	}
	if err != nil {
		return "", fmt.Errorf("edit tree %.12s: %w", tree, err)
	}
	edited, err := r.writeTree(ctx, env)
	return edited, wrap(err, "edit tree %.12s", tree)
}

// EmptyTree writes the tree that holds nothing and returns its id.
func (r *Repo) EmptyTree(ctx context.Context) (string, error) {
	id, err := r.id(ctx, call{args: []string{"mktree"}, stdin: strings.NewReader("")})
	return id, wrap(err, "write an empty tree")
}

// Entries are the files of a commit or tree, with those of its folders, sorted by path.
func (r *Repo) Entries(ctx context.Context, tree string) ([]Entry, error) {
	all, err := r.entries(ctx, tree)
	return all, wrap(err, "list entries of %.12s", tree)
}

func (r *Repo) entries(ctx context.Context, tree string) ([]Entry, error) {
	records, err := r.listTree(ctx, tree)
	if err != nil {
		return nil, err
	}
	all := make([]Entry, 0, len(records))
	for _, record := range records {
		meta, path, _ := strings.Cut(record, "\t")
		words := strings.Split(meta, " ")
		if len(words) != 3 || path == "" || !isFullID(words[2]) {
			return nil, fmt.Errorf("record %q", record)
		}
		mode, err := strconv.ParseUint(words[0], 8, 32)
		if err != nil {
			return nil, fmt.Errorf("record %q", record)
		}
		all = append(all, Entry{Mode: uint32(mode), ID: words[2], Path: path})
	}
	return all, nil
}

// listTree lists a commit or tree with its folders; only that of the empty tree has no entry.
func (r *Repo) listTree(ctx context.Context, tree string, options ...string) ([]string, error) {
	args := append([]string{"ls-tree", "-r", "-z", "--full-tree"}, options...)
	out, err := r.do(ctx, call{args: append(args, tree), reads: true, limit: workLimit})
	if err != nil || len(out) > 0 {
		return fields(out), err
	}
	id, err := r.TreeOf(ctx, tree)
	if err == nil && id != emptyTree && id != emptyTree256 {
		// A tree of nothing but empty folders, which no git makes, is no empty answer with -t.
		folders, foldersErr := r.read(ctx, "ls-tree", "-r", "-t", "-z", "--full-tree", tree)
		if err = foldersErr; err == nil && len(folders) == 0 {
			err = odd(args, "")
		}
	}
	return nil, err
}

// The trees without an entry, by SHA-1 and by SHA-256.
const (
	emptyTree    = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	emptyTree256 = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
)

// WriteBlob stores plain content, no filter applied, and returns its id.
func (r *Repo) WriteBlob(ctx context.Context, data []byte) (string, error) {
	args := []string{"hash-object", "-w", "--stdin", "--no-filters"}
	id, err := r.id(ctx, call{args: args, stdin: bytes.NewReader(data)})
	return id, wrap(err, "write content")
}

// Modes in a tree and in an index.
const plainFile, executableFile, treeMode = 0o100644, 0o100755, 0o040000

// Person is a name and an address as git writes them.
type Person struct {
	Name, Email string
}

func (p Person) String() string { return p.Name + " <" + p.Email + ">" }

// Committer is who commits here by git's own rules (environment, configuration); ErrNoIdentity
// (wrapped) if git knows no identity.
func (r *Repo) Committer(ctx context.Context) (Person, error) {
	return r.person(ctx, "GIT_COMMITTER_IDENT")
}

// Author is the same for authorship.
func (r *Repo) Author(ctx context.Context) (Person, error) { return r.person(ctx, "GIT_AUTHOR_IDENT") }

func (r *Repo) person(ctx context.Context, variable string) (Person, error) {
	return configured(ctx, r, variable, func() (Person, error) { return r.askPerson(ctx, variable) })
}

func (r *Repo) askPerson(ctx context.Context, variable string) (Person, error) {
	out, err := r.line(ctx, "-c", "user.useConfigOnly=true", "var", variable)
	if run.ExitCode(err) > 0 {
		err = ErrNoIdentity
	}
	if err != nil {
		return Person{}, fmt.Errorf("ask git who commits: %w", err)
	}
	name, rest, found := strings.Cut(out, " <")
	email, _, closed := strings.Cut(rest, ">")
	if !found || !closed {
		return Person{}, fmt.Errorf("ask git who commits: answer %q", out)
	}
	return Person{Name: name, Email: email}, nil
}

// CommitTree makes a commit object of a tree; no reference moves. It writes one object.
func (r *Repo) CommitTree(ctx context.Context, tree, message string, parents ...string) (string, error) {
	return r.commitTree(ctx, nil, tree, message, parents)
}

func (r *Repo) commitTree(
	ctx context.Context, env []string, tree, message string, parents []string, options ...string,
) (string, error) {
	args := append([]string{"commit-tree", tree, "-F", "-"}, options...)
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	id, err := r.id(ctx, call{args: args, stdin: strings.NewReader(message), env: env})
	return id, wrap(err, "commit tree %.12s", tree)
}

// CommitPaths commits these files of the checkout and nothing else, what is staged elsewhere stays staged. It writes.
func (r *Repo) CommitPaths(ctx context.Context, message string, paths []string) (string, error) {
	add := append([]string{"--literal-pathspecs", "add", "-f", "--"}, paths...)
	if _, err := r.do(ctx, call{args: add}); err != nil {
		return "", fmt.Errorf("stage %q: %w", paths[0], err)
	}
	args := append([]string{"--literal-pathspecs", "commit", "--quiet", "--only", "-m", message, "--"}, paths...)
	if _, err := r.do(ctx, call{args: args}); err != nil {
		return "", fmt.Errorf("commit %q: %w", paths[0], err)
	}
	return r.Resolve(ctx, "HEAD")
}

// CommitTreeLike is CommitTree with the author, committer and dates of the first parent, so that
// the same input gives the same commit.
func (r *Repo) CommitTreeLike(ctx context.Context, tree, message string, parents ...string) (string, error) {
	const both = authorFormat + "%x00" + committerFormat
	question, of := "commit "+message, append([]string{tree}, parents...)
	if id, found := findFact[string](r, question, of...); found && r.isMade(ctx, id) {
		return id, nil
	}
	makers := func() ([]string, error) { return r.identity(ctx, parents[0], both) }
	env, err := fact(r, makers, "made by", parents[0])
	if err != nil {
		return "", err
	}
	id, err := r.commitTree(ctx, env, tree, message, parents)
	if err == nil {
		r.keepFact(id, question, of...)
		r.keepFact(env, "made by", id)
	}
	return id, err
}

// Formats of git log that print the environment which gives another commit the same author or
// committer. Without the "@" git takes a small number of seconds for another form of date.
const (
	authorFormat    = "GIT_AUTHOR_NAME=%an%x00GIT_AUTHOR_EMAIL=%ae%x00GIT_AUTHOR_DATE=@%ad"
	committerFormat = "GIT_COMMITTER_NAME=%cn%x00GIT_COMMITTER_EMAIL=%ce%x00GIT_COMMITTER_DATE=@%cd"
)

// identity is the environment that gives a commit what the format names of another.
func (r *Repo) identity(ctx context.Context, commit, format string) ([]string, error) {
	args := []string{"log", "-1", "--no-show-signature", "--format=" + format, "--date=raw", commit}
	line, err := r.line(ctx, args...)
	env := strings.Split(line, "\x00")
	if err == nil && len(env) != strings.Count(format, "%x00")+1 {
		err = odd(args, line)
	}
	return env, wrap(err, "read commit %.12s", commit)
}

// NewCommit is a commit to be made.
type NewCommit struct {
	Tree, Message string
	Parents       []string
	AuthorOf      string // the commit whose author and date it keeps; "" for the person's own
}

// Commit makes a commit object, signed where commit.gpgSign says so; no reference moves.
// An error of the signing program is one of the call: nothing unsigned is made instead.
func (r *Repo) Commit(ctx context.Context, c NewCommit) (string, error) {
	signs, err := r.isSet(ctx, "commit.gpgSign") // commit-tree does not ask by itself
	if err != nil {
		return "", err
	}
	var options, env []string
	if signs {
		options = []string{"-S"}
	}
	if c.AuthorOf != "" {
		if env, err = r.identity(ctx, c.AuthorOf, authorFormat); err != nil {
			return "", err
		}
	}
	return r.commitTree(ctx, env, c.Tree, c.Message, c.Parents, options...)
}

// ErrNotPicked is wrapped for a commit that cannot be made anew elsewhere: it has not one parent,
// or an author whom git would not accept again.
var ErrNotPicked = errors.New("cannot be made anew")

// Pick applies what a commit changed in its parent to another commit, by git's three-way merge, without a checkout.
// ErrNotPicked if the result could be no commit.
func (r *Repo) Pick(ctx context.Context, commit, onto string) (Merged, error) {
	parents, err := r.Parents(ctx, commit)
	if err != nil {
		return Merged{}, err
	}
	if len(parents) != 1 {
		return Merged{}, fmt.Errorf("pick %.12s: %w: it has %d parents", commit, ErrNotPicked, len(parents))
	}
	author, err := r.identity(ctx, commit, authorFormat)
	if err != nil {
		return Merged{}, err
	}
	if slices.ContainsFunc(author[:2], func(e string) bool {
		return strings.Trim(e[strings.Index(e, "=")+1:], " .,:;<>\"\\'") == ""
	}) {
		return Merged{}, fmt.Errorf("pick %.12s: %w: its author has no name or address", commit, ErrNotPicked)
	}
	tree, err := r.TreeOf(ctx, onto)
	if err != nil {
		return Merged{}, err
	}
	// The target's tree as a change of the commit's parent: so that parent is the merge base.
	ours, err := r.CommitTreeLike(ctx, tree, "Pick\n", parents[0])
	if err != nil {
		return Merged{}, err
	}
	return r.Merge(ctx, ours, commit)
}
