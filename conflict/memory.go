package conflict

import (
	"io/fs"
	"strings"

	"delegate/change"
	"delegate/conflict/code"
	"delegate/conflict/internal/languages"
)

// Memory is a cache of parsed files, so that later pairs and later calls of Run do not parse the same file again. Its
// size is limited. A Memory must not be used by several calls of Run at once.
type Memory struct {
	known   map[change.File]remembered
	plain   map[change.File]*plainFile
	texts   int // in bytes of the files that plain is of
	sources map[named]*code.File
	size    int // in bytes of the files that sources are of
	lines   map[string][]string
	differ  map[[2]string][]change.Hunk
	spread  int // in bytes of the files that lines are of
}

// remembered is one changed file as it was read, with what it took of the budget.
type remembered struct {
	src      *changedFile
	unparsed []unparsed
	size     int
}

// named is a content by its id, with the name that tells its language.
type named struct{ path, id string }

// What a memory holds at most; one that is full begins anew.
const (
	mostKnown = 20_000  // changed files
	mostKept  = 4 << 20 // bytes of parsed files, which take several times as much
	mostLines = 4 << 20 // bytes of files by their lines
)

// NewMemory returns an empty cache.
func NewMemory() *Memory {
	return &Memory{known: map[change.File]remembered{}, plain: map[change.File]*plainFile{},
		sources: map[named]*code.File{}, lines: map[string][]string{}, differ: map[[2]string][]change.Hunk{}}
}

func (m *Memory) get(f change.File, budget int) (remembered, bool) {
	if m == nil {
		return remembered{}, false
	}
	r, ok := m.known[f]
	return r, ok && r.size <= budget
}

func (m *Memory) put(f change.File, r remembered) {
	if m == nil || !hasIDs(f) {
		return
	}
	if len(m.known) >= mostKnown {
		clear(m.known)
	}
	m.known[f] = r
}

// plainFile is the file as it is read without a grammar. It is shared: only what it tells of itself is filled in later.
func (m *Memory) plainFile(f change.File, read func() (*plainFile, error)) (*plainFile, error) {
	if m == nil || !hasIDs(f) {
		return read()
	}
	if known := m.plain[f]; known != nil {
		return known, nil
	}
	file, err := read()
	if err != nil {
		return nil, err
	}
	if m.texts += file.size; m.texts > mostKept {
		clear(m.plain)
		m.texts = file.size
	}
	m.plain[f] = file
	return file, nil
}

// linesOf are the lines of a file by the id of its content, "" for one that has none. Nobody changes them.
func (m *Memory) linesOf(id string, read func() (data []byte, ok bool, err error)) ([]string, error) {
	if m != nil && id != "" {
		if known, ok := m.lines[id]; ok {
			return known, nil
		}
	}
	data, ok, err := read()
	if err != nil || !ok {
		return nil, err
	}
	lines := strings.Split(string(data), "\n")
	if m == nil || id == "" {
		return lines, nil
	}
	if m.spread += len(data); m.spread > mostLines {
		clear(m.lines)
		m.spread = len(data)
	}
	m.lines[id] = lines
	return lines, nil
}

// hunks are where the two versions of a changed file differ. Nobody changes them.
func (m *Memory) hunks(f change.File, old, new []byte) []change.Hunk {
	if m == nil || !hasIDs(f) {
		return change.Hunks(old, new)
	}
	key := [2]string{f.OldID, f.NewID}
	known, ok := m.differ[key]
	if !ok {
		if len(m.differ) >= mostKnown {
			clear(m.differ)
		}
		known = change.Hunks(old, new)
		m.differ[key] = known
	}
	return known
}

// hasIDs reports whether the versions of a changed file that there are have ids, which tell their contents.
func hasIDs(f change.File) bool {
	return (f.OldMode == 0 || f.OldID != "") && (f.NewMode == 0 || f.NewID != "")
}

// identified files of a tree can tell whether they are the same without being read: files with one id are. It is "" for
// one that is not known.
type identified interface{ ContentID() string }

// source is a file of a tree as it is parsed, nil if it cannot be. It is shared: nobody changes it.
func (m *Memory) source(tree fs.FS, name string) *code.File {
	file, err := tree.Open(name)
	if err != nil {
		return nil
	}
	defer file.Close()
	key := named{path: name}
	if one, ok := file.(identified); ok && m != nil {
		key.id = one.ContentID()
	}
	if key.id != "" {
		if known, ok := m.sources[key]; ok {
			return known
		}
	}
	data, ok, err := readAllUpTo(file, largestSource)
	if err != nil || !ok {
		return nil
	}
	f, readable := languages.Parse(name, data)
	if !readable {
		return nil
	}
	m.keep(key, &f, len(data))
	return &f
}

// keep remembers a file of so many bytes, if its content has an id.
func (m *Memory) keep(key named, f *code.File, size int) {
	if m == nil || key.id == "" {
		return
	}
	if m.size += size; m.size > mostKept {
		clear(m.sources)
		m.size = size
	}
	m.sources[key] = f
}

// parsed is a source file of a readable language, for one who may change what lies at the top of it.
func (m *Memory) parsed(key named, data []byte) *code.File {
	if m != nil && key.id != "" {
		if known, ok := m.sources[key]; ok {
			f := *known
			return &f
		}
	}
	f, _ := languages.Parse(key.path, data)
	kept := f
	m.keep(key, &kept, len(data))
	return &f
}
