package takeover

import (
	"bufio"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"delegate/internal/git"
)

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
