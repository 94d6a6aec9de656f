package conflict

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"delegate/change"
	"delegate/conflict/code"
	"delegate/conflict/internal/lang"
	"delegate/conflict/internal/languages"
)

// The sizes up to which a side's source files are read for their symbols.
// What goes beyond is merged by git and said to be unread.
const (
	largestSource = 1 << 20  // bytes of one file
	mostSource    = 32 << 20 // bytes of all changed files of a side, before and after
	mostFiles     = 3000     // changed source files of a side
)

// changes is one change set with what its source files say.
type changes struct {
	set      change.Set
	memory   *Memory
	sources  []*changedFile
	byPath   map[string]*changedFile   // by the path in the head
	byNode   map[string][]*changedFile // by what imports lead to: the folder for Go, else the file
	byBase   map[string]*changedFile   // by the path in the base
	families map[string]int            // in how many types and files a name is defined
	edits    []Edit
	still    []Edit           // what kept says, nil until it is asked
	byName   map[string][]int // edits by the old name and by the new one
	// byNewName are the edits that bring a name, by that name.
	byNewName map[string][]int
	bases     map[string][]string // the last names of what the types of the changed files extend, by their own names
	unparsed  []unparsed
	required  *[]requirement               // what changed in manifests, once asked for
	aliases   map[string]map[string]string // other names of paths by the folder that gives them, as far as asked for
	lines     map[version][]string         // of sources, as far as asked for
	uses      map[string][]Use             // the new references by their names, once asked for
	modules   map[string]string            // import paths of folders by the go.mod around them, as far as asked for
}

// changedFile is one changed source file.
type changedFile struct {
	file     change.File
	language *lang.Language
	// Old and new are the file in the base and the head without references; nil where it is absent.
	Old, New *code.File
	// refs are the references of the head that the base does not have, and all those inside of tests that changed.
	refs []code.Reference
	// fresh are the imports that only the head has, dropped those that only the base has.
	fresh, dropped []code.Import
	// faulty sources could not be read, or do not parse any more.
	faulty bool
	// hunks are where the two versions differ.
	hunks []change.Hunk
	// pairing is nil until it is asked for. The file is shared: nothing else of it is filled in later.
	pairing *pairing
}

// unparsed is a changed file whose symbols are not known.
type unparsed struct {
	path     string
	language code.Language
	line     int
	reason   string
	// unsupported files are in a language that nothing here can read.
	unsupported bool
	// tooLarge files are beyond the sizes that are read, and not broken: another program may read them.
	tooLarge bool
}

// errLimit says that a file which could be read otherwise is beyond the sizes that are.
var errLimit = errors.New("the file, or what the side changes in all, is too large to be analysed")

// reader reads the sides, each once however many pairs it is in.
type reader struct {
	sides   map[line]*changes
	imports map[string]map[string][]code.Import // of nodes of a base
	memory  *Memory
}

func newReader(memory *Memory) *reader {
	return &reader{sides: map[line]*changes{}, imports: map[string]map[string][]code.Import{}, memory: memory}
}

// side reads the set's changed source files.
func (r *reader) side(s change.Set) (*changes, error) {
	key := lineOf(s)
	if known := r.sides[key]; known != nil {
		return known, nil
	}
	made := &changes{
		set: s, memory: r.memory, families: map[string]int{}, byPath: map[string]*changedFile{},
		byNode: map[string][]*changedFile{},
		byBase: map[string]*changedFile{}, byName: map[string][]int{}, byNewName: map[string][]int{},
		bases: map[string][]string{}, modules: map[string]string{}, aliases: map[string]map[string]string{},
		lines: map[version][]string{},
	}
	budget := mostSource
	for _, f := range s.Files {
		if s.BaseFS == nil || s.HeadFS == nil || !isText(f) {
			continue
		}
		if err := made.read(f, &budget); err != nil {
			return nil, err
		}
	}
	made.findEdits()
	made.countFamilies()
	r.sides[key] = made
	return made, nil
}

func isText(f change.File) bool {
	plain := func(mode uint32) bool { return mode == 0 || mode == change.ModeFile || mode == change.ModeExecutable }
	return plain(f.OldMode) && plain(f.NewMode) && !f.Binary
}

// read adds one changed file, if it is a source file.
func (s *changes) read(f change.File, budget *int) error {
	name, support := languages.Of(f.Path)
	language := languages.Named(name)
	switch {
	case support == code.NotCode:
		return nil
	case support == code.Unreadable:
		s.skip(f.Path, name, unparsed{unsupported: true, reason: string(name) + " is not read by this program"})
		return nil
	case len(s.sources) == mostFiles:
		s.skip(f.Path, name, unparsed{reason: fmt.Sprintf("the side changes more than %d source files", mostFiles),
			tooLarge: true})
		s.byPath[f.Path] = &changedFile{file: f, language: language, faulty: true}
		return nil
	}
	r, known := s.memory.get(f, *budget)
	if known {
		*budget -= r.size
		s.unparsed = append(s.unparsed, r.unparsed...)
	} else {
		before, at := *budget, len(s.unparsed)
		src, err := s.parse(f, language, budget)
		if err != nil {
			return err
		}
		r = remembered{src: src, unparsed: slices.Clone(s.unparsed[at:]), size: before - *budget}
		// else it is the budget that says it
		if !slices.ContainsFunc(r.unparsed, func(u unparsed) bool { return u.tooLarge }) {
			s.memory.put(f, r)
		}
	}
	src := r.src
	s.sources = append(s.sources, src)
	s.byPath[f.Path], s.byBase[f.BasePath()] = src, src
	at := language.Node(f.Path)
	s.byNode[at] = append(s.byNode[at], src)
	if old := language.Node(f.BasePath()); old != at {
		s.byNode[old] = append(s.byNode[old], src)
	}
	return nil
}

// parse reads both versions of a changed source file.
func (s *changes) parse(f change.File, language *lang.Language, budget *int) (*changedFile, error) {
	src := &changedFile{file: f, language: language}
	oldText, err := s.text(s.set.BaseFS, f.BasePath(), f.OldMode, language, budget)
	if err == nil && f.OldMode != 0 {
		src.Old = s.memory.parsed(named{f.BasePath(), f.OldID}, oldText)
	}
	var newText []byte
	if err == nil {
		newText, err = s.text(s.set.HeadFS, f.Path, f.NewMode, language, budget)
	}
	if err == nil && f.NewMode != 0 {
		src.New = s.memory.parsed(named{f.Path, f.NewID}, newText)
		err = src.newFault()
	}
	if err := s.excuse(src, err); err != nil {
		return nil, err
	}
	if src.Old != nil && src.New != nil {
		src.hunks = s.memory.hunks(f, oldText, newText)
	}
	src.compare()
	return src, nil
}

// excuse takes an error that is only the file's own as the reason why the source is not read, and returns any other.
func (s *changes) excuse(src *changedFile, err error) error {
	var fault code.Fault
	if !errors.As(err, &fault) {
		return err
	}
	s.skip(src.file.Path, src.language.Name, unparsed{line: fault.Line, reason: fault.Reason,
		tooLarge: errors.Is(err, errLimit)})
	src.faulty = true
	return nil
}

func (s *changes) skip(path string, language code.Language, u unparsed) {
	u.path, u.language = path, language
	s.unparsed = append(s.unparsed, u)
}

// text reads one version of a source file; one that is too large is a limit.
func (s *changes) text(files fs.FS, name string, mode uint32, language *lang.Language, budget *int) ([]byte, error) {
	if mode == 0 {
		return nil, nil
	}
	if !fs.ValidPath(name) {
		return nil, code.Fault{Reason: "the name cannot be read"}
	}
	data, ok, err := readUpTo(s.set.Name, files, name, min(largestSource, *budget))
	if err != nil {
		return nil, err
	}
	if language.OtherKind == nil || !language.OtherKind(data) {
		*budget -= len(data)
	}
	if !ok {
		return nil, errors.Join(errLimit, code.Fault{Reason: errLimit.Error()})
	}
	return data, nil
}

// newFault is the first fault of the head if the base has none. Where both have some, as in C with
// macros that the grammar does not know, what stands outside of them is compared.
func (s *changedFile) newFault() error {
	if s.Old != nil && len(s.Old.Faults) > 0 || len(s.New.Faults) == 0 ||
		s.Old != nil && s.language.Has(lang.Headers) && s.onlyGuards() {
		return nil
	}
	return s.New.Faults[0]
}

// onlyGuards reports whether the faults come from preprocessor lines, as with braces that only C++ sees,
// and every definition of the base is still found in the head.
func (s *changedFile) onlyGuards() bool {
	after := map[string]bool{}
	for _, d := range s.New.Definitions {
		after[d.Key()] = after[d.Key()] || d.Kind != code.Local
	}
	if slices.ContainsFunc(s.New.Faults, func(f code.Fault) bool { return !strings.Contains(f.Reason, "#") }) {
		return false
	}
	return !slices.ContainsFunc(s.Old.Definitions, func(d code.Definition) bool {
		return d.Kind != code.Local && !after[d.Key()]
	})
}

// compare finds what the head refers to and imports that the base does not, and lets go of the rest.
func (s *changedFile) compare() {
	var before code.File
	if s.Old != nil {
		before = *s.Old
		s.Old.References = nil
	}
	if s.New == nil {
		s.dropped = before.Imports
		return
	}
	changed := changedTests(before.Definitions, s.New.Definitions)
	count := map[string]int{}
	for _, r := range before.References {
		count[refKey(r)]++
	}
	for _, r := range s.New.References {
		count[refKey(r)]--
	}
	for _, r := range s.New.References {
		if count[refKey(r)] < 0 && (s.Old == nil || within(s.hunks, r.Line)) || changed[r.In] {
			s.refs = append(s.refs, r)
		}
	}
	s.New.References = nil
	s.fresh, s.dropped = importsLeft(s.New.Imports, before.Imports), importsLeft(before.Imports, s.New.Imports)
}

// refKey is equal for references that mean the same at the same place of the file's structure.
func refKey(r code.Reference) string {
	return r.In + "\x00" + r.Qualifier + "\x00" + r.Name + "\x00" + string(rune('0'+r.Args+1)) + string(r.Use)
}

func within(hunks []change.Hunk, line int) bool {
	return slices.ContainsFunc(hunks, func(h change.Hunk) bool {
		return line >= h.NewStart && line < h.NewStart+h.NewLines
	})
}

// lineNow is the line of the head at which a line of the base is or was; a deleted file keeps its own.
func (s *changedFile) lineNow(line int) int { return lineNow(s.hunks, line) }

func lineNow(hunks []change.Hunk, line int) int {
	shift := 0
	for _, h := range hunks {
		switch {
		case line < h.OldStart:
			return line + shift
		case line < h.OldStart+h.OldLines:
			return max(h.NewStart, 1)
		}
		shift = h.NewStart + h.NewLines - h.OldStart - h.OldLines
	}
	return line + shift
}

// changedTests are the keys of the tests that are new or changed.
func changedTests(old, new []code.Definition) map[string]bool {
	before := map[string]uint64{}
	for _, d := range old {
		if d.Test {
			before[d.Key()] = d.Hash
		}
	}
	changed := map[string]bool{}
	for _, d := range new {
		hash, was := before[d.Key()]
		changed[d.Key()] = changed[d.Key()] || d.Test && (!was || hash != d.Hash)
	}
	return changed
}

// importsLeft are those imports of a that b does not have.
func importsLeft(a, b []code.Import) []code.Import {
	return slices.DeleteFunc(slices.Clone(a), func(i code.Import) bool {
		return slices.ContainsFunc(b, func(o code.Import) bool {
			o.TypeOnly = i.TypeOnly
			return sameImport(i)(o)
		})
	})
}

// countFamilies counts for each name in how many types and files the side's changed files define it.
func (s *changes) countFamilies() {
	seen := map[[3]string]bool{}
	for _, src := range s.sources {
		for _, f := range []*code.File{src.Old, src.New} {
			if f == nil {
				continue
			}
			in := scopeOf(src.language, src.file.Path, f.Package).name
			for _, d := range f.Definitions {
				key := [3]string{d.Name, d.Container, in}
				if d.Kind != code.Local && !seen[key] {
					seen[key] = true
					s.families[d.Name]++
				}
			}
		}
	}
}

// ImportPath is what Go imports the file's folder by; "" if no go.mod of the head says it.
func (s *changes) ImportPath(name string) string { return modulePath(s.set.HeadFS, s.modules, name) }
