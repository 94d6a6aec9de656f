package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"delegate/internal/run"
)

// EditTree is the tree with other entries at some paths; an entry without ID takes its path away,
// and one where a folder
// was replaces the folder. It works in an index of its own and writes objects only.
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
	if err != nil {
		return "", fmt.Errorf("edit tree %.12s: %w", tree, err)
	}
	return edited, nil
}

// EmptyTree writes the tree that holds nothing and returns its id.
func (r *Repo) EmptyTree(ctx context.Context) (string, error) {
	id, err := r.id(ctx, call{args: []string{"mktree"}, stdin: strings.NewReader("")})
	if err != nil {
		return "", fmt.Errorf("write an empty tree: %w", err)
	}
	return id, nil
}

// Entries are the files of a commit or tree, with those of its folders, sorted by path.
func (r *Repo) Entries(ctx context.Context, tree string) ([]Entry, error) {
	records, err := r.listTree(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("list entries of %.12s: %w", tree, err)
	}
	var all []Entry
	for _, record := range records {
		meta, path, found := strings.Cut(record, "\t")
		parts := strings.Fields(meta)
		if !found || len(parts) != 3 || !isFullID(parts[2]) {
			return nil, fmt.Errorf("list entries of %.12s: record %q", tree, record)
		}
		mode, err := strconv.ParseUint(parts[0], 8, 32)
		if err != nil {
			return nil, fmt.Errorf("list entries of %.12s: record %q", tree, record)
		}
		all = append(all, Entry{Mode: uint32(mode), ID: parts[2], Path: path})
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
	if err != nil {
		return "", fmt.Errorf("write content: %w", err)
	}
	return id, nil
}

// FileMerge is three texts to merge by lines. A side that does not have the file is empty.
type FileMerge struct {
	Base, Ours, Theirs []byte
	// Marker is how many characters a conflict marker has; 0 means git's 7.
	Marker int
	// Names are what the markers call ours, base and theirs, in place of these words.
	Names [3]string
}

// MergeFile merges texts as git merges files, whatever attributes and drivers say. Where both sides
// changed the same lines the
// result shows all three between markers that name them; conflicts counts those places.
// Binary content is an error. Nothing is written to the repository.
func (r *Repo) MergeFile(ctx context.Context, m FileMerge) (merged []byte, conflicts int, err error) {
	folder, err := os.MkdirTemp("", "delegate-merge-")
	if err != nil {
		return nil, 0, fmt.Errorf("merge texts: %w", err)
	}
	defer os.RemoveAll(folder)
	args := []string{"merge-file", "--stdout", "--zdiff3", "-q"}
	if m.Marker > 0 {
		args = append(args, "--marker-size="+strconv.Itoa(m.Marker))
	}
	var files []string
	for i, side := range []struct {
		name string
		text []byte
	}{{"ours", m.Ours}, {"base", m.Base}, {"theirs", m.Theirs}} {
		path := filepath.Join(folder, side.name)
		if err := os.WriteFile(path, side.text, 0o600); err != nil {
			return nil, 0, fmt.Errorf("merge texts: %w", err)
		}
		files, args = append(files, path), append(args, "-L", cmp.Or(m.Names[i], side.name))
	}
	out, err := r.do(ctx, call{args: append(args, files...)})
	const most = 127 // places; git counts no further, and ends with 255 if it could not merge
	if code := run.ExitCode(err); code >= 0 && code <= most {
		return out, code, nil
	}
	return nil, 0, fmt.Errorf("merge texts: %w", err)
}
