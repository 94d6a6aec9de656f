package takeover

import (
	"bufio"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"delegate/internal/git"
	"delegate/internal/sys/atomicfile"
)

// How much is read of what an agent can write.
const (
	mostHead     = 4 << 10   // bytes of a HEAD or a reference
	mostLog      = 64 << 20  // bytes of a reflog
	mostIndex    = 256 << 20 // bytes of an index
	mostBranches = 100       // references beside its branch
	deepest      = 10        // folders in one another, of references
)

// agentFolder is a folder in which somebody else can put anything. No link out of it is followed,
// no pipe is waited for,
// and nothing is read beyond a limit. Names are relative, with slashes.
type agentFolder string

// read is the content of a regular file of at most most bytes; the error wraps fs.ErrNotExist if there is none.
func (f agentFolder) read(name string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	file, err := regular(root, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%q has more than %d bytes", name, most)
	}
	return data, err
}

var errNoFile = errors.New("this is no regular file")

// regular opens a file for reading that is neither a link nor anything but a file.
func regular(root *os.Root, name string) (*os.File, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNoFile
	}
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = file.Stat(); err == nil && !info.Mode().IsRegular() {
		err = errNoFile
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// list are at most most entries of a folder; none if it is not there.
func list(root *os.Root, name string, most int) ([]fs.DirEntry, error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.IsDir():
		err = errors.New("this is no folder")
	}
	if err != nil {
		return nil, err
	}
	dir, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(most)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}

// view is what an agent's git has, as far as it could be read.
type view struct {
	Head   string            // content of HEAD, "" if there is none
	Refs   map[string]string // its own references, by what they are called outside
	Faults []string          // what is there and is none
}

func (v view) equal(other view) bool {
	same := len(v.Refs) == len(other.Refs)
	for name, id := range v.Refs {
		same = same && other.Refs[name] == id
	}
	return same && v.Head == other.Head && slices.Equal(v.Faults, other.Faults)
}

// view reads the agent's HEAD and references. What is moved while this looks is seen at one of its
// values, or at the next look.
func (c *Checkout) view(q Quarantine, idLength int) (view, error) {
	gitDir, refs := c.Repo.GitDir, filepath.Join(c.Repo.CommonDir, filepath.FromSlash(c.refFolder()))
	if q.Whole() {
		gitDir, refs = q.GitDir(), q.Refs()
	}
	v := view{Refs: map[string]string{}}
	head, err := agentFolder(gitDir).read("HEAD", mostHead)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		v.Faults = append(v.Faults, fmt.Sprintf("HEAD: %v", err))
	}
	v.Head = strings.TrimSpace(strings.ToValidUTF8(string(head), "?"))
	root, err := os.OpenRoot(refs)
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	defer root.Close()
	r := refReader{root: root, idLength: idLength, own: path.Base(c.Branch), outside: c.outside, view: &v}
	r.take(r.own)
	if q.Whole() {
		r.folder(".", 0)
	}
	return v, nil
}

// refReader collects the references of a folder.
type refReader struct {
	root     *os.Root
	idLength int
	own      string // the branch of the checkout, which is read first
	outside  func(name string) string
	view     *view
	seen     int
}

func (r *refReader) fault(format string, args ...any) {
	r.view.Faults = append(r.view.Faults, fmt.Sprintf(format, args...))
}

func (r *refReader) folder(name string, depth int) {
	entries, err := list(r.root, name, mostBranches+1)
	if err == nil && depth > deepest {
		err = errors.New("too many folders in one another")
	}
	if err != nil {
		r.fault("references %q: %v", name, err)
		return
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		full := path.Join(name, e.Name())
		if strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(e.Name(), ".lock") || full == r.own {
			continue // what git does not take for a reference, and what was read
		}
		if r.seen++; r.seen > mostBranches {
			if r.seen == mostBranches+1 {
				r.fault("more than %d references", mostBranches)
			}
			return
		}
		if e.IsDir() {
			r.folder(full, depth+1)
		} else {
			r.take(full)
		}
	}
}

// take reads one reference.
func (r *refReader) take(name string) {
	file, err := regular(r.root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return // deleted, or moved right now
	}
	if err != nil {
		r.fault("reference %q: %v", name, err)
		return
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, mostHead))
	id := strings.TrimSpace(string(data))
	switch {
	case err != nil:
		r.fault("reference %q: %v", name, err)
	case !isRefName(name):
		r.fault("reference %q: this is no name for one", name)
	case strings.HasPrefix(id, "ref:"):
		r.fault("reference %q: it is symbolic, %.100q", name, id)
	case !isID(id, r.idLength):
		r.fault("reference %q: %.100q is no object id", name, id)
	case r.view.Refs[r.outside(name)] != "":
		r.fault("reference %q: another one has its name outside, %q", name, r.outside(name))
	default:
		r.view.Refs[r.outside(name)] = id
	}
}

// isID says whether the text is a full object id of the repository.
func isID(text string, length int) bool {
	return len(text) == length && strings.Trim(text, "0123456789abcdef") == "" && strings.Trim(text, "0") != ""
}

// isRefName says whether git takes the name for a reference, or for the last part of one. Here it
// has to be UTF-8 as well, to be noted.
func isRefName(name string) bool {
	if !utf8.ValidString(name) || strings.ContainsAny(name, " ~^:?*[\\\x7f") || strings.Contains(name, "..") ||
		strings.Contains(name, "@{") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") || strings.HasSuffix(part, ".") {
			return false
		}
	}
	return !strings.ContainsFunc(name, func(c rune) bool { return c < ' ' })
}

// place is where the real branch and HEAD are.
type place struct {
	Tip  string // of the branch, "" if it is gone
	Head string // content of the worktree's HEAD
}

// notes are what a quarantine remembers. They lie where the agent cannot write.
type notes struct {
	Left      place             // where the last take-over left the real branch and HEAD
	Found     place             // where it found them, if somebody had moved them
	Next      place             // where one was about to take them
	Branches  map[string]string // the agent's further branches, as they were left
	Meant     map[string]string // those that one was about to make or move
	Seen      view              // what the agent's git had then
	Unmerged  []string          `json:"Owed"`   // of its commits, those that were divergent when its git was made anew
	Divergent []string          `json:"Beside"` // as Taken.Divergent has it
	Faults    []string          // of the last take-over
	Index     string            // the commit that the real index was taken to
	Waits     bool              // the index was locked then
	Again     bool              // it is to be done once more
	IDLength  int               // of the repository's object ids
	Refused   refusal           // the last take-over, if the objects were not sound
}

// refusal is a take-over that came to nothing.
type refusal struct {
	Seen   view      // what the agent's git had
	Detail string    // what was wrong
	Times  int       // how often in a row
	At     time.Time // when it did last
}

// refusedFor is how long what came to nothing too often is not tried again.
const refusedFor = time.Minute

// recall reads the notes; none are the zero notes.
func (q Quarantine) recall() (notes, error) {
	var n notes
	if err := atomicfile.ReadJSON(q.notes(), &n); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return n, fmt.Errorf("read notes of quarantine: %w", err)
	}
	return n, nil
}

func (q Quarantine) remember(n notes) error { return atomicfile.WriteJSON(q.notes(), n) }

// Bounds of one take-over.
const (
	mostBytes   = 4 << 30   // of new objects, as they are stored and as they are read
	mostObjects = 1_000_000 // files of new objects
)

// unproven is the folder of the references that agents move: what they name may not have been checked.
func (c *Checkout) unproven() string {
	first, _, _ := strings.Cut(c.Branch, "/")
	return "refs/heads/" + first + "/"
}

// importTips makes the tips and all they need part of the repository, or answers with a *git.TakeOverError.
// Whether that came about is asked of the repository alone, without the quarantine, so no name of
// an object has to be believed.
func (c *Checkout) importTips(ctx context.Context, q Quarantine, tips []string) error {
	if len(tips) == 0 {
		return nil
	}
	in := git.ImportRequest{Tips: tips, Unproven: c.unproven()}
	var unsound *git.TakeOverError
	if err := c.Repo.Connected(ctx, in); !errors.As(err, &unsound) {
		return err
	}
	folder := filepath.Join(q.Folder, "taking")
	if err := os.RemoveAll(folder); err != nil { // of a take-over that was killed
		return err
	}
	defer os.RemoveAll(folder)
	held, err := c.copyObjects(ctx, q, folder)
	if err != nil {
		return err
	}
	if err := c.Repo.Import(ctx, held, in); err != nil {
		return err
	}
	return c.Repo.Connected(ctx, in)
}

// copyObjects copies those of the agent's objects that the repository lacks to the folder, where
// only this program writes,
// so that what is checked is what comes in, and no git reads a folder that the agent can change under it.
func (c *Checkout) copyObjects(ctx context.Context, q Quarantine, folder string) (*git.Repo, error) {
	held, err := c.Repo.Quarantine(folder)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(q.Objects())
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f := objectCopy{root: root, to: filepath.Join(folder, "objects")}
	ids, err := f.loose()
	if err != nil {
		return nil, err
	}
	if ids, err = c.Repo.Missing(ctx, ids); err != nil {
		return nil, err
	}
	for _, id := range ids {
		if err := f.copyLoose(ctx, path.Join(id[:2], id[2:])); err != nil {
			return nil, err
		}
	}
	return held, f.packs(ctx, held)
}

// objectCopy copies objects and counts them.
type objectCopy struct {
	root         *os.Root
	to           string
	stored, read int64 // bytes
}

// tooMuch is the fault of objects beyond the bounds.
func tooMuch() error {
	return &git.TakeOverError{Detail: fmt.Sprintf("more than %d objects or %d GiB of them are new", mostObjects,
		mostBytes>>30)}
}

// loose are the ids of objects in files of their own, by the names of these.
func (f *objectCopy) loose() ([]string, error) {
	var ids []string
	for i := range 256 {
		folder := fmt.Sprintf("%02x", i)
		entries, err := list(f.root, folder, mostObjects)
		if err != nil {
			continue // no folder: what should be in it will be missing
		}
		for _, e := range entries {
			if id := folder + e.Name(); (isID(id, 40) || isID(id, 64)) && e.Type().IsRegular() {
				ids = append(ids, id)
			}
		}
		if len(ids) > mostObjects {
			return nil, tooMuch()
		}
	}
	return ids, nil
}

// copyLoose copies one object. One that is no object, or that vanished, is left out.
func (f *objectCopy) copyLoose(ctx context.Context, name string) error {
	file, err := regular(f.root, name)
	if err != nil {
		return ctx.Err()
	}
	defer file.Close()
	size, isObject := declared(file)
	if !isObject {
		return ctx.Err()
	}
	if f.read += min(size, mostBytes+1); f.read > mostBytes {
		return tooMuch()
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return errors.Join(f.copy(file, name), ctx.Err())
}

// copy writes what can be read of the file under the same name.
func (f *objectCopy) copy(file *os.File, name string) error {
	target := filepath.Join(f.to, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(file, mostBytes-f.stored+1))
	if f.stored += n; f.stored > mostBytes {
		err = tooMuch()
	}
	return errors.Join(err, out.Close())
}

// declared is the size that an object has by its own first line, which git holds it to; false if there is no such line.
func declared(file io.Reader) (int64, bool) {
	plain, err := zlib.NewReader(bufio.NewReaderSize(file, 512))
	if err != nil {
		return 0, false
	}
	defer plain.Close()
	line, err := bufio.NewReaderSize(io.LimitReader(plain, 64), 64).ReadString(0)
	if err != nil {
		return 0, false
	}
	_, number, _ := strings.Cut(strings.TrimSuffix(line, "\x00"), " ")
	size, err := strconv.ParseInt(number, 10, 64)
	return size, err == nil && size >= 0
}

// packs copies the packs and makes their indexes anew.
func (f *objectCopy) packs(ctx context.Context, held *git.Repo) error {
	entries, err := list(f.root, "pack", mostObjects)
	if err != nil {
		return nil // no folder
	}
	for _, e := range entries {
		id, isPack := strings.CutPrefix(strings.TrimSuffix(e.Name(), ".pack"), "pack-")
		if !isPack || !strings.HasSuffix(e.Name(), ".pack") || !isID(id, 40) && !isID(id, 64) {
			continue
		}
		name := path.Join("pack", e.Name())
		file, err := regular(f.root, name)
		if err != nil {
			continue // no pack: what should be in it will be missing
		}
		err = errors.Join(f.copy(file, name), file.Close())
		if err == nil {
			err = held.IndexPack(ctx, filepath.Join(f.to, filepath.FromSlash(name)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
