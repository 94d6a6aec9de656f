package takeover

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Media is the storage of the agent's git-lfs: a folder objects as git-lfs has it, and its temporary files.
func (q Quarantine) Media() string { return filepath.Join(q.Folder, "media") }

// FoundMedia is where the agent's git-lfs looks for the repository's files: beside the place of ReadThrough.
func (q Quarantine) FoundMedia() string { return filepath.Join(q.Folder, "lfs", "objects") }

// importMedia brings the files of the agent's git-lfs into the repository's storage that are what their names say.
// Others stay where they are, and what points to them cannot be checked out.
func (t *takeover) importMedia(ctx context.Context) error {
	root, err := os.OpenRoot(t.q.Media())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	storage, err := t.c.Repo.MediaFolder(ctx)
	if err != nil {
		return err
	}
	m := mediaCopy{from: root, to: storage}
	for _, first := range m.below("objects") {
		for _, second := range m.below(first) {
			for _, name := range m.below(second) {
				if err := errors.Join(m.take(name), ctx.Err()); err != nil {
					return fmt.Errorf("import files of git-lfs: %w", err)
				}
			}
		}
	}
	for _, name := range m.unsound {
		t.fault("file %q of git-lfs: its content has another name", path.Base(name))
	}
	return nil
}

// mediaCopy copies files of git-lfs.
type mediaCopy struct {
	from    *os.Root
	to      string
	bytes   int64
	unsound []string
}

// below are the entries of a folder; none if it cannot be read.
func (m *mediaCopy) below(folder string) (names []string) {
	entries, _ := list(m.from, folder, mostObjects)
	for _, e := range entries {
		names = append(names, path.Join(folder, e.Name()))
	}
	return names
}

// take copies one file that the storage lacks. It gets its name there once it is known to be right, and on the disk.
func (m *mediaCopy) take(name string) error {
	id := path.Base(name)
	target := filepath.Join(m.to, filepath.FromSlash(name))
	if !isID(id, 64) || name != path.Join("objects", id[:2], id[2:4], id) || there(target) {
		return nil
	}
	in, err := regular(m.from, name)
	if err != nil {
		return nil // what should be there will be missing
	}
	defer in.Close()
	temporary := filepath.Join(m.to, "tmp")
	if err := errors.Join(os.MkdirAll(temporary, 0o777), os.MkdirAll(filepath.Dir(target), 0o777)); err != nil {
		return err
	}
	out, err := os.CreateTemp(temporary, id+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, sum), io.LimitReader(in, mostBytes-m.bytes+1))
	if m.bytes += n; m.bytes > mostBytes {
		err = tooMuch()
	}
	if err := errors.Join(err, out.Chmod(0o444), out.Sync(), out.Close()); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != id {
		m.unsound = append(m.unsound, name)
		return nil
	}
	return os.Rename(out.Name(), target)
}
