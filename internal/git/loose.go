package git

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"delegate/internal/atomicfile"
	"delegate/internal/lazyregexp"
)

// plainLook is the object that a name stands for where the reference and the object lie in files of their own, as those
// of the last days do; false where git has to look: into packs, borrowed objects, or at what is damaged.
func (r *Repo) plainLook(name string) (object, bool) {
	start, peeled, peels := strings.Cut(name, "^")
	id := start
	if !isFullID(id) {
		if id = r.looseRef(start); id == "" {
			return object{}, false
		}
	}
	found, ok := r.looseObject(id)
	switch {
	case !ok:
		return object{}, false
	case !peels, peeled == "{"+found.kind+"}":
		return found, true
	case peeled == "{tree}" && found.kind == "commit":
		tree, err := ParseCommitTree(found.data)
		if err != nil {
			return object{}, false
		}
		found, ok = r.looseObject(tree)
		return found, ok && found.kind == "tree"
	}
	return object{}, false
}

// looseRef is the id in the file of a reference, "" where that is not all there is to it.
func (r *Repo) looseRef(ref string) string {
	file := r.RefFile(ref)
	if file == "" || !r.LooseRefs() || strings.Contains(ref, "..") {
		return ""
	}
	data, err := atomicfile.ReadRegular(file, mostOfRef)
	id, ended := strings.CutSuffix(string(data), "\n")
	if err != nil || !ended || !isFullID(id) {
		return ""
	}
	return id
}

// mostLoose is how many references are read before git is asked, which takes as long as about a hundred of them.
const mostLoose = 100

// plainName is a part of a reference's name, or the name of a folder, that git takes as it is.
var plainName = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$`)

// plainRefs are the references below a folder of them, where each lies in a file of its own and names an object that
// does as well.
func (r *Repo) plainRefs(prefix string) (map[string]string, bool) {
	if !r.LooseRefs() || !strings.HasSuffix(prefix, "/") || !isEverywhere(prefix+"x") ||
		strings.Contains(prefix, "..") {
		return nil, false
	}
	refs := map[string]string{}
	err := filepath.WalkDir(filepath.Join(r.CommonDir, filepath.FromSlash(prefix)),
		func(path string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil || d.IsDir():
				return err
			case strings.HasPrefix(d.Name(), ".") || strings.HasSuffix(d.Name(), ".lock"):
				return nil // what git takes for no reference
			}
			ref := filepath.ToSlash(strings.TrimPrefix(path, r.CommonDir+string(filepath.Separator)))
			found, plain := r.plainLook(ref)
			if !plain || len(refs) >= mostLoose || !plainName.MatchString(d.Name()) {
				return fs.ErrInvalid
			}
			refs[ref] = found.id
			return nil
		})
	if err != nil {
		return nil, false
	}
	// only now: one that was packed meanwhile is there
	packed, err := os.ReadFile(filepath.Join(r.CommonDir, "packed-refs"))
	return refs, errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Contains(packed, []byte(" "+prefix))
}

// plainFile is the content of a file in a commit that a full id or HEAD names, nil where the commit has none, if all on
// the way to it lies in files of its own.
func (r *Repo) plainFile(revision, path string) (data []byte, ok bool) {
	if revision == "HEAD" {
		revision = r.headRef()
	}
	if revision == "" || !isEverywhere(revision) || strings.Contains(revision, "^") {
		return nil, false
	}
	at, ok := r.plainLook(revision + "^{tree}")
	for part := range strings.SplitSeq(path, "/") {
		if !ok || at.kind != "tree" {
			return nil, false
		}
		entries, err := ParseTree(at.data, len(at.id)/2)
		i := slices.IndexFunc(entries, func(e Entry) bool { return e.Path == part })
		if err != nil || i < 0 {
			return nil, err == nil
		}
		at, ok = r.looseObject(entries[i].ID)
	}
	return at.data, ok && at.kind == "blob"
}

// mostOfPlain is the size up to which files' contents are read here.
const mostOfPlain = 16 << 20

// plainObject is the object that a name stands for, if it is not larger, where it and the reference lie in files of
// their own; false where git has to look.
func (r *Repo) plainObject(name string, most int64) (object, bool) {
	if !isFullID(name) {
		if r.Quarantined() || !isEverywhere(name) {
			return object{}, false
		}
		o, ok := r.plainLook(name)
		return o, ok && o.size <= most
	}
	for _, folder := range append([]string{r.objects, filepath.Join(r.CommonDir, "objects")}, r.outer...) {
		if folder == "" {
			continue
		}
		if o, ok := objectIn(folder, name, min(most, mostOfPlain)); ok {
			return o, true
		}
	}
	return object{}, false
}

// looseObject is the object in the file of that name.
func (r *Repo) looseObject(id string) (o object, ok bool) {
	return objectIn(filepath.Join(r.CommonDir, "objects"), id, mostOfCommit)
}

// objectIn is the object in the file of its name in a folder of objects, if it is not larger and its name proves its
// content. The file may be hostile.
func objectIn(folder, id string, most int64) (o object, ok bool) {
	packed, err := atomicfile.ReadRegular(filepath.Join(folder, id[:2], id[2:]), mostOfPlain)
	if err != nil {
		return o, false
	}
	unpacked, err := unpacking(packed)
	if err != nil {
		return o, false
	}
	defer unpackers.Put(unpacked)
	const mostOfHead = 32 // a kind and a number
	data, err := io.ReadAll(io.LimitReader(unpacked, most+mostOfHead))
	start, content, found := bytes.Cut(data, []byte{0})
	kind, size, _ := strings.Cut(string(start), " ")
	n, numbered := strconv.Atoi(size)
	if err != nil || !found || numbered != nil || n != len(content) || int64(n) > most || nameOf(data, id) != id {
		return o, false
	}
	return object{head{id: id, kind: kind, size: int64(n)}, content}, true
}

// unpackers are readers that nobody uses: one takes 40 KiB, for objects that mostly have a hundred bytes.
var unpackers sync.Pool

func unpacking(packed []byte) (io.ReadCloser, error) {
	from := bytes.NewReader(packed)
	if idle, ok := unpackers.Get().(io.ReadCloser); ok {
		return idle, idle.(zlib.Resetter).Reset(from, nil)
	}
	return zlib.NewReader(from)
}

// BlobID returns the id that content has as an object, by the kind of hash that another id is of.
func BlobID(data []byte, like string) string {
	return nameOf(append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...), like)
}

// nameOf is the name of an object, by the kind of hash that another name is of.
func nameOf(data []byte, like string) string {
	if len(like) == sha1.Size*2 {
		return fmt.Sprintf("%x", sha1.Sum(data))
	}
	return fmt.Sprintf("%x", sha256.Sum256(data))
}
