package git

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// What this file stores is, byte by byte, what git stores in the usual case; all else git is asked to store, at the
// cost of a process.

// stores is the folder that objects are stored in, "" where only git can: where they have other names than SHA-1, or
// others may read and write them by rules of the repository.
func (r *Repo) stores(ctx context.Context) string {
	c, err := r.configuration(ctx)
	if err != nil || slices.ContainsFunc(c.settings, func(s setting) bool {
		return s.key == "core.sharedrepository" || s.key == "extensions.objectformat" ||
			s.key == "extensions.compatobjectformat"
	}) {
		return ""
	}
	return cmp.Or(r.objects, filepath.Join(r.CommonDir, "objects"))
}

// store puts an object into a file of its own in the folder, which has all of it, on the disk, before it has its name.
func (r *Repo) store(folder, kind string, data []byte) (string, error) {
	whole := append(fmt.Appendf(nil, "%s %d\x00", kind, len(data)), data...)
	id := nameOf(whole, emptyTree)
	path := filepath.Join(folder, id[:2], id[2:])
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = r.writeOnce(path, whole)
	}
	return id, wrap(err, "store %s %.12s", kind, id)
}

// writeOnce makes the file of an object, which nobody changes any more. git takes away what is left of one that was cut
// off, by its name.
func (r *Repo) writeOnce(path string, whole []byte) error {
	file, err := newFile(filepath.Dir(path))
	if err != nil {
		return err
	}
	if _, err = file.Write(uncompressed(whole)); err == nil && !r.Quarantined() {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// uncompressed is data in the format of zlib, in blocks that are as they are: what is stored here is small, and the
// first compressor of a process costs more than that takes on the disk until git packs it.
func uncompressed(data []byte) []byte {
	const most = 1<<16 - 1 // of a block
	packed := []byte{0x78, 0x01}
	for part := range slices.Chunk(data, most) {
		size := uint16(len(part))
		packed = append(packed, 0)
		packed = binary.LittleEndian.AppendUint16(packed, size)
		packed = append(binary.LittleEndian.AppendUint16(packed, ^size), part...)
	}
	packed = append(packed, 1, 0, 0, 0xff, 0xff) // the last block is an empty one
	return binary.BigEndian.AppendUint32(packed, adler32.Checksum(data))
}

// newFile makes a file that nobody may write to but by the one who made it.
func newFile(folder string) (*os.File, error) {
	for n := time.Now().UnixNano(); ; n++ {
		name := filepath.Join(folder, fmt.Sprintf("tmp_obj_%d_%x", os.Getpid(), n))
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
		if !errors.Is(err, os.ErrExist) {
			return file, err
		}
	}
}

// isObject reports whether an object of the kind is here; false says only that it was not found.
func (r *Repo) isObject(ctx context.Context, id, kind string) bool {
	if len(id) != len(emptyTree) || !isFullID(id) {
		return false
	}
	found, ok := r.lookUp(ctx, id)
	return ok && found.kind == kind
}
