package conflict

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"delegate/change"
	"delegate/conflict/internal/plain"
)

// largestPlain is the size up to which a file is read for what it allots and mentions, in bytes.
const largestPlain = 256 << 10

// plainFile is one changed file with what its two versions allot and mention in the lines that differ.
type plainFile struct {
	file     change.File
	old, new plain.File
	// added are the entries that only the head has.
	added  []plain.Entry
	losses []plain.Loss // of tables and columns, newly
	// demands are the columns that each row has to give a value now, of tables that were there.
	demands []plain.Demand
	hunks   []change.Hunk
	fresh   []plain.Word // nil until asked for
	sought  []soughtText // nil until asked for
	size    int          // of both versions, in bytes
}

// plainFiles are the changed files of the side that are read without a grammar. They are read once.
func (l *layout) plainFiles() ([]*plainFile, error) {
	if l.plain != nil {
		return l.plain, nil
	}
	l.plain = []*plainFile{}
	for _, f := range l.set.Files {
		if !isText(f) || isRecording(f.Path) || !plain.Reads(f.Path) || len(l.plain) == mostFiles {
			continue
		}
		read, err := l.memory.plainFile(f, func() (*plainFile, error) { return l.readPlain(f) })
		if err != nil {
			return nil, err
		}
		l.plain = append(l.plain, read)
	}
	return l.plain, nil
}

func (l *layout) readPlain(f change.File) (*plainFile, error) {
	old, oldErr := l.plainText(l.set.BaseFS, f.BasePath(), f.OldMode)
	new, newErr := l.plainText(l.set.HeadFS, f.Path, f.NewMode)
	hunks, hunkErr := l.changed(f)
	if err := errors.Join(oldErr, newErr, hunkErr); err != nil {
		return nil, err
	}
	read := &plainFile{file: f, hunks: hunks, size: len(old) + len(new)}
	if f.OldMode != 0 {
		read.old = plain.Read(f.BasePath(), old, read.isOld)
	}
	if f.NewMode != 0 {
		read.new = plain.Read(f.Path, new, read.isNew)
	}
	left := slices.Clone(read.old.Entries)
	for _, e := range read.new.Entries {
		if i := slices.IndexFunc(left, e.Same); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else {
			read.added = append(read.added, e)
		}
	}
	before := plain.Losses(old)
	for _, loss := range plain.Losses(new) {
		if !slices.ContainsFunc(before, func(b plain.Loss) bool {
			return b.Table == loss.Table && b.Name == loss.Name
		}) {
			read.losses = append(read.losses, loss)
		}
	}
	demanded := plain.Demands(f.BasePath(), old)
	for _, d := range plain.Demands(f.Path, new) {
		known := slices.ContainsFunc(demanded, func(b plain.Demand) bool {
			return b.Table == d.Table && b.Column == d.Column
		})
		if !known && read.isNew(d.Line) && (f.OldMode == 0 || plain.Mentions(string(old), d.Table)) {
			read.demands = append(read.demands, d)
		}
	}
	return read, nil
}

// plainText is one version of a file; one that is absent or too large is empty.
func (l *layout) plainText(files fs.FS, name string, mode uint32) ([]byte, error) {
	if mode == 0 || files == nil || !fs.ValidPath(name) {
		return nil, nil
	}
	data, ok, err := readUpTo(l.set.Name, files, name, largestPlain)
	if !ok {
		return nil, err
	}
	return data, err
}

// isNew reports whether a line of the head is one that the side wrote.
func (f *plainFile) isNew(line int) bool { return f.file.OldMode == 0 || within(f.hunks, line) }

// isOld reports whether a line of the base is one that the side took out or changed.
func (f *plainFile) isOld(line int) bool {
	return f.file.NewMode == 0 || slices.ContainsFunc(f.hunks, func(h change.Hunk) bool {
		return line >= h.OldStart && line < h.OldStart+h.OldLines
	})
}

// entries are all that a version of a file allots, in unchanged lines too.
func (l *layout) entries(files fs.FS, name string, mode uint32) ([]plain.Entry, error) {
	data, err := l.plainText(files, name, mode)
	return plain.Read(name, data, nil).Entries, err
}

// lineNow is where a line of the base is or was in the head; a deleted file keeps its own.
func (f *plainFile) lineNow(line int) int { return lineNow(f.hunks, line) }

// mentioned are those of the words that the text files of the side's head have anywhere, but in prose. With more
// files than can be looked at in bounded time every word counts as there.
func (l *layout) mentioned(words []string) (map[string]bool, error) {
	there := map[string]bool{}
	err := l.eachText(l.set.HeadFS, ".", func(name, text string) bool {
		if plain.IsProse(name) {
			return true
		}
		for _, word := range words {
			there[word] = there[word] || plain.Mentions(text, word) || plain.Defines(name, text, word)
		}
		return len(there) < len(words) || slices.ContainsFunc(words, func(w string) bool { return !there[w] })
	})
	if errors.Is(err, errUnseen) {
		for _, word := range words {
			there[word] = true
		}
		return there, nil
	}
	return there, err
}

// eachText shows the text files of a tree below a folder, as long as more are wanted. With one that cannot be read, or
// more than can be looked at in bounded time, it is errUnseen.
func (l *layout) eachText(tree fs.FS, folder string, see func(name, text string) (more bool)) error {
	files, size := 0, 0
	err := fs.WalkDir(tree, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, ok, err := readUpTo(l.set.Name, tree, name, largestPlain)
		if err != nil {
			return errUnseen // as in a clone of a part
		}
		if !ok || change.IsBinary(data) {
			return nil
		}
		if files, size = files+1, size+len(data); files > mostLookedAt || size > mostSource {
			return errUnseen
		}
		if !see(name, string(data)) {
			return fs.SkipAll
		}
		return nil
	})
	if err == nil || errors.Is(err, errUnseen) {
		return err
	}
	return fmt.Errorf("look for words in %q: %w", l.set.Name, err)
}

// mostLookedAt bounds the files in which words are looked for.
const mostLookedAt = 5000

var errUnseen = errors.New("not all files can be looked at")
