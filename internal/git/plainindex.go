package git

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
)

// The parts of an index, as git's documentation of its format has them.
const (
	indexHead  = 12 // a sign, the version, the number of entries
	statSize   = 40 // of an entry, before the id: times, device, inode, mode, owner, size
	modeAt     = 24 // in that
	wordFlags  = 2
	moreFlags  = 0x4000 // an entry has a second word of flags
	stageFlags = 0x3000
	nameFlags  = 0x0fff // the length of the name, or this for a longer one
)

var (
	errIndexCut = errors.New("it ends too early")
	errSplit    = errors.New("it is split, and its other part is not read (git config core.splitIndex false)")
)

// IndexEntries returns how many entries an index has.
func IndexEntries(index string) (int, error) {
	file, err := os.Open(index)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	var start struct{ Sign, Version, Entries uint32 }
	err = binary.Read(file, binary.BigEndian, &start)
	return int(start.Entries), err
}

// PlainIndex is an index that somebody else wrote in the form in which git reads it without doubt: its files with their
// ids and stages, and nothing else of it. Extensions are left out, since git believes what they say, and so are
// folders, of which each stands for any number of files. Where the names are more than most bytes together, which a
// short index can say of names that begin alike, it is refused.
func PlainIndex(data []byte, idSize, most int) ([]byte, error) {
	r, entries, err := openIndex(data, idSize)
	if err != nil {
		return nil, err
	}
	plain := binary.BigEndian.AppendUint32([]byte("DIRC\x00\x00\x00\x02"), 0)
	files, total := uint32(0), 0
	for range entries {
		fixed, name, err := r.next()
		if err != nil {
			return nil, err
		}
		if total += len(name); total > most {
			return nil, fmt.Errorf("its names have more than %d bytes", most)
		}
		mode := binary.BigEndian.Uint32(fixed[modeAt:])
		if mode == treeMode || name == "" { // a split one has no name for what the other part has
			continue
		}
		plain = appendEntry(plain, mode, fixed[statSize:], name)
		files++
	}
	if bytes.HasPrefix(r.rest, []byte("link")) {
		return nil, errSplit
	}
	binary.BigEndian.PutUint32(plain[8:], files)
	if idSize == sha1.Size {
		sum := sha1.Sum(plain)
		return append(plain, sum[:]...), nil
	}
	sum := sha256.Sum256(plain)
	return append(plain, sum[:]...), nil
}

// openIndex returns a reader of the entries of an index, and how many there are.
func openIndex(data []byte, idSize int) (*indexReader, uint32, error) {
	if len(data) < indexHead+idSize || string(data[:4]) != "DIRC" {
		return nil, 0, errors.New("it is none")
	}
	version, entries := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, 0, fmt.Errorf("it has the version %d", version)
	}
	r := &indexReader{rest: data[indexHead : len(data)-idSize], idSize: idSize, packed: version == 4}
	return r, entries, nil
}

// readIndex returns the names in an index, and the tree that git noted as that of all of them, "" for none.
func readIndex(data []byte, idSize int) (names map[string]bool, tree string, err error) {
	r, entries, err := openIndex(data, idSize)
	if err != nil {
		return nil, "", err
	}
	names = map[string]bool{}
	for range entries {
		_, name, err := r.next()
		if err != nil {
			return nil, "", err
		}
		names[name] = true
	}
	for len(r.rest) >= 8 {
		size := int(binary.BigEndian.Uint32(r.rest[4:]))
		if size > len(r.rest)-8 {
			break
		}
		// of the root there is no name, how many entries it has (-1 for a tree that is not known), and the id
		counts, id, _ := bytes.Cut(r.rest[8:8+size], []byte{'\n'})
		if string(r.rest[:4]) == "link" {
			return nil, "", errSplit
		}
		if string(r.rest[:4]) == "TREE" && len(id) >= idSize && !bytes.HasPrefix(counts, []byte("\x00-")) {
			tree = hex.EncodeToString(id[:idSize])
		}
		r.rest = r.rest[8+size:]
	}
	return names, tree, nil
}

// appendEntry adds one file with an id and flags, and no time of it.
func appendEntry(plain []byte, mode uint32, rest []byte, name string) []byte {
	id, flags := rest[:len(rest)-wordFlags], binary.BigEndian.Uint16(rest[len(rest)-wordFlags:])
	plain = append(plain, make([]byte, modeAt)...)
	plain = binary.BigEndian.AppendUint32(plain, mode)
	plain = append(append(plain, make([]byte, statSize-modeAt-4)...), id...)
	plain = binary.BigEndian.AppendUint16(plain, flags&stageFlags|uint16(min(len(name), nameFlags)))
	plain = append(plain, name...)
	return append(plain, make([]byte, padding(statSize+len(rest)+len(name)))...)
}

// padding is how many zeros end an entry of that size.
func padding(size int) int { return 8 - size%8 }

// indexReader reads the entries of an index.
type indexReader struct {
	rest   []byte
	idSize int
	packed bool // a name is what differs from the one before
	name   string
}

// next is what one entry has before its name, without a second word of flags, and the name.
func (r *indexReader) next() (fixed []byte, name string, err error) {
	size := statSize + r.idSize + wordFlags
	if len(r.rest) < size+wordFlags {
		return nil, "", errIndexCut
	}
	fixed = r.rest[:size]
	if binary.BigEndian.Uint16(fixed[size-wordFlags:])&moreFlags != 0 {
		size += wordFlags
	}
	r.rest = r.rest[size:]
	kept := ""
	if r.packed {
		cut, ok := r.number()
		if !ok || cut > uint64(len(r.name)) {
			return nil, "", errIndexCut
		}
		kept = r.name[:len(r.name)-int(cut)]
	}
	end := bytes.IndexByte(r.rest, 0)
	if end < 0 {
		return nil, "", errIndexCut
	}
	r.name = kept + string(r.rest[:end])
	skip := end + 1
	if !r.packed {
		skip = end + padding(size+end)
	}
	if skip > len(r.rest) {
		return nil, "", errIndexCut
	}
	r.rest = r.rest[skip:]
	return fixed, r.name, nil
}

// number reads one in git's variable form.
func (r *indexReader) number() (n uint64, ok bool) {
	for i, b := range r.rest {
		n |= uint64(b & 0x7f)
		if b&0x80 == 0 {
			r.rest = r.rest[i+1:]
			return n, true
		}
		if i >= 8 {
			break
		}
		n = (n + 1) << 7
	}
	return 0, false
}
