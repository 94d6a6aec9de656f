package project

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"delegate/change"
	"delegate/internal/git"
	"delegate/scope"

	"golang.org/x/text/unicode/norm"
)

const (
	// mostLinks is how many links are followed one after the other, as Linux does.
	mostLinks = 40
	// longestTarget is more than any system takes.
	longestTarget = 64 << 10
)

// links judges a symbolic link in the scope by where it leads in the head, through whatever other
// links. Git never writes through a link, but programs do: so it must not lead to what the agent
// may not write. A folder counts as allowed if a new file in it would be. Who reads through the
// link is no reason to refuse it, so a scope that allows the link by its full name may have it lead
// anywhere in the repository that is not forbidden.
func (g *scopeCheck) links(f change.File) (Breach, error) {
	text, _, err := g.blobs.Read(f.NewID, longestTarget)
	if errors.Is(err, git.ErrTooLarge) {
		return Breach{Reason: "is a symbolic link to a path longer than any"}, nil
	}
	if err != nil {
		return Breach{}, err
	}
	readings := []string{string(text)}
	if slashed := strings.ReplaceAll(string(text), `\`, "/"); slashed != string(text) { // as Windows reads it
		readings = append(readings, slashed)
	}
	for _, target := range readings {
		way, err := g.follow(f.Path, target)
		if err != nil {
			return Breach{}, err
		}
		if way.outside != "" {
			return Breach{Reason: fmt.Sprintf("symbolic link to %q leads %s; point it at a file of its scope", text,
				way.outside)}, nil
		}
		if b := g.reaches(way); b.Reason != "" && !(b.Allowable && g.named(f.Path)) {
			b.Reason = fmt.Sprintf("symbolic link to %q leads to %q, which %s; point it at a file of its scope", text,
				way.end, b.Reason)
			if b.Allowable {
				b.Reason += ", or allow the link by its full name"
			}
			return b, nil
		}
	}
	return Breach{}, nil
}

// reaches holds the end of a link against the scope.
func (g *scopeCheck) reaches(way linkEnd) Breach {
	end := way.end
	if way.folder {
		end = path.Join(end, "any new file")
	}
	verdict := g.scope.Check(end)
	switch {
	case verdict.Allowed && strings.Contains(end, `\`):
		return Breach{} // the other reading of the target says what this is to Windows
	case verdict.Allowed:
		return Breach{Reason: g.misnamed(end)}
	}
	return Breach{Reason: "is " + verdict.String(), Allowable: verdict.Reason == scope.OutsideScope}
}

// linkEnd is where a link leads.
type linkEnd struct {
	end     string // from the root, "." for the root itself
	folder  bool   // the head has a folder there
	outside string // how it leaves the repository, or why nobody can tell
}

// follow goes along a link through the head.
func (g *scopeCheck) follow(link, target string) (linkEnd, error) {
	for range mostLinks {
		if outside := leavesRepository(link, target); outside != "" {
			return linkEnd{outside: outside}, nil
		}
		full := path.Join(path.Dir(link), target)
		at, walked, err := g.walk(full)
		if err != nil {
			return linkEnd{}, err
		}
		rest := strings.TrimPrefix(strings.TrimPrefix(full, walked), "/")
		switch {
		case at.Mode == modeSubmodule:
			return linkEnd{outside: "into a submodule"}, nil
		case at.Mode != modeSymlink:
			return linkEnd{end: full, folder: at.Mode == modeTree && rest == ""}, nil
		}
		text, _, err := g.blobs.Read(at.ID, longestTarget)
		if err != nil {
			return linkEnd{}, err
		}
		link = walked
		if target = string(text); leavesRepository(link, target) == "" && rest != "" {
			target = path.Join(target, rest)
		}
	}
	return linkEnd{outside: "through more links than can be followed"}, nil
}

// walk finds the path in the head as far as folders go: the last entry on the way and its path; a
// zero one beyond what is there. Where a name is missing, one that some file systems take for the
// same serves.
func (g *scopeCheck) walk(full string) (at git.Entry, walked string, err error) {
	at = git.Entry{Mode: modeTree, ID: g.head}
	if full == "." {
		return at, full, nil
	}
	parts := strings.Split(full, "/")
	for i, part := range parts {
		if at.Mode != modeTree {
			break
		}
		f, err := g.folder(at.ID)
		if err != nil {
			return at, "", err
		}
		next, there := f.entries[part]
		if names := f.alike[alike(part)]; !there && len(names) > 0 {
			next, there = f.entries[names[0]], true
		}
		if !there {
			return git.Entry{}, full, nil
		}
		at, walked = next, strings.Join(parts[:i+1], "/")
	}
	return at, walked, nil
}

// leavesRepository says how a link's target leaves the repository by its words alone, "" if it does not.
func leavesRepository(link, target string) string {
	const out = "out of the repository"
	if target == "" || path.IsAbs(target) || len(target) > 1 && target[1] == ':' {
		return out
	}
	parts := strings.Split(target, "/")
	named := slices.IndexFunc(parts, func(part string) bool { return part != ".." && part != "." && part != "" })
	// a name on the way may become a link itself, and then nobody can tell by the words where this goes
	if named >= 0 && slices.Contains(parts[named:], "..") {
		return out + ", or may do so: it goes up again behind a name"
	}
	if inside := path.Join(path.Dir(link), target); inside == ".." || strings.HasPrefix(inside, "../") {
		return out
	}
	return ""
}

// mostAttributes is more than any file of attributes that people write.
const mostAttributes = 4 << 20

// newDrivers lists the drivers for filters, comparisons and merges that a file of attributes names
// in the head and not in the base.
func (g *scopeCheck) newDrivers(f change.File) ([]string, error) {
	if err := g.readMacros(); err != nil {
		return nil, err
	}
	text, _, err := g.blobs.Read(f.NewID, mostAttributes)
	if err != nil {
		return nil, err
	}
	fresh := g.drivers(string(text))
	if f.OldMode != 0 && f.OldMode != modeSymlink {
		before, _, err := g.blobs.Read(f.OldID, mostAttributes)
		if err != nil {
			return nil, err
		}
		known := g.drivers(string(before))
		fresh = slices.DeleteFunc(fresh, func(word string) bool { return slices.Contains(known, word) })
	}
	return fresh, nil
}

// drivers are the words of the text that give files to a driver, each once, in their order.
func (g *scopeCheck) drivers(text string) []string {
	var all []string
	for _, words := range attributes(text) {
		for _, word := range words {
			if g.drives(word) && !slices.Contains(all, word) {
				all = append(all, word)
			}
		}
	}
	return all
}

func (g *scopeCheck) drives(word string) bool {
	return strings.HasPrefix(word, "filter=") || strings.HasPrefix(word, "diff=") ||
		strings.HasPrefix(word, "merge=") || g.macros[word]
}

// readMacros learns which attributes stand for drivers. Git takes such definitions from the root only.
func (g *scopeCheck) readMacros() error {
	if g.macros != nil {
		return nil
	}
	g.macros = map[string]bool{}
	root, err := g.folder(g.head)
	if err != nil {
		return err
	}
	e, there := root.entries[attributesFile]
	if !there || e.Mode == modeSymlink || e.Mode == modeTree || e.Mode == modeSubmodule {
		return nil
	}
	text, _, err := g.blobs.Read(e.ID, mostAttributes)
	if err != nil {
		return err
	}
	lines := attributes(string(text))
	for known := -1; known != len(g.macros); { // a macro may stand for another one
		known = len(g.macros)
		for _, words := range lines {
			name, defines := strings.CutPrefix(words[0], macroSign)
			if defines && slices.ContainsFunc(words[1:], g.drives) {
				g.macros[name] = true
			}
		}
	}
	return nil
}

const macroSign = "[attr]"

// attributes are the words of every line that says something, the pattern or the macro first.
// The words of a quoted pattern count as attributes too, which can only find too much.
func attributes(text string) [][]string {
	var all [][]string
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if strings.HasPrefix(strings.TrimLeft(line, " \t\r"), "#") {
			continue
		}
		words := strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(" \t\r\n\"", c) })
		if len(words) > 0 {
			all = append(all, words)
		}
	}
	return all
}

// misnamed says how a path that the scope allows is another one to the file systems of Windows or
// macOS, where that one is forbidden; "" if it is not. The path is one of the head.
func (g *scopeCheck) misnamed(name string) string {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." {
			return "has a folder without a name in its path, which no checkout can have; give it a name"
		}
	}
	other := elsewhere(name)
	folded := alike(other)
	if folded == modulesFile && name != modulesFile ||
		path.Base(folded) == attributesFile && path.Base(name) != attributesFile {
		return fmt.Sprintf("is %q to Windows or macOS; give it another name", path.Base(folded))
	}
	if other == name {
		return ""
	}
	verdict := g.scope.Check(other)
	split := strings.Contains(name, `\`)
	if verdict.Allowed || !split && (verdict.Reason == scope.OutsideScope || verdict.Reason == scope.OutsideRoots) {
		return ""
	}
	if verdict.Reason == scope.BadPath {
		return fmt.Sprintf("is %q to Windows, which may leave the repository; give it another name", other)
	}
	return fmt.Sprintf("is %q to Windows or macOS, which is %s; give it another name", other, verdict)
}

// elsewhere is the path that a file system of Windows or macOS may open for a path in git:
// HFS+ reads over some code points; Windows also separates by backslashes, drops dots and spaces at the end of a name,
// takes what follows a colon for a stream of the file, and knows files by short names.
// Case is kept.
func elsewhere(name string) string {
	parts := strings.FieldsFunc(name, func(c rune) bool { return c == '/' || c == '\\' })
	if strings.HasPrefix(name, `\`) || len(name) > 2 && name[1:3] == `:\` {
		parts = slices.Insert(parts, 0, "")
	}
	for i, part := range parts {
		part = dropIgnorable(part)
		part, _, _ = strings.Cut(part, ":")
		if bare := strings.TrimRight(part, " "); bare != ".." && bare != "." {
			part = strings.TrimRight(part, " .")
		} else {
			part = bare
		}
		parts[i] = longName(part)
	}
	return strings.Join(parts, "/")
}

// shortened are the forbidden names and those of git's own files that Windows shortens: how the
// short name begins and what follows its number.
func shortened() map[[2]string]string {
	return map[[2]string]string{
		{"git~", ""}:        ".git",
		{"gitmod~", ""}:     modulesFile,
		{"gi7eba~", ""}:     modulesFile, // where four others came first
		{"gitatt~", ""}:     attributesFile,
		{"gi7d29~", ""}:     attributesFile,
		{"claude~", ""}:     ".claude",
		{"delega~", ".yam"}: ".delegate.yaml",
		{"01_pro~", ".md"}:  "01_progress.md",
		{"00_mas~", ".md"}:  "00_MASTER_INDEX.md",
	}
}

// longName is the name that a short one may stand for, and every other name itself.
func longName(name string) string {
	if len(name) > 12 || !strings.Contains(name, "~") {
		return name
	}
	lower := strings.ToLower(name)
	for ends, long := range shortened() {
		number, fits := strings.CutPrefix(lower, ends[0])
		if !fits || !strings.HasSuffix(number, ends[1]) {
			continue
		}
		if number = strings.TrimSuffix(number, ends[1]); len(number) == 1 && number[0] >= '1' && number[0] <= '9' {
			return long
		}
	}
	return name
}

// dropIgnorable takes out what HFS+ reads over when it compares names.
func dropIgnorable(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 0x200c && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x206a && c <= 0x206f, c == 0xfeff:
			return -1
		}
		return c
	}, name)
}

// alike maps names that a file system of Windows or macOS takes for one to the same text.
// Case is folded letter by letter, as these systems do, so that "ß" and "ss" stay two names.
// A name that is not UTF-8 is like no other.
func alike(name string) string {
	if !utf8.ValidString(name) {
		return name
	}
	name = dropIgnorable(name)
	if bare := strings.TrimRight(name, " ."); bare != "" {
		name = bare
	}
	return norm.NFC.String(strings.Map(smallest, norm.NFD.String(name)))
}

// smallest is the first of the letters that differ in case alone, where ASCII goes to its small ones.
func smallest(c rune) rune {
	first := c
	for other := unicode.SimpleFold(c); other != c; other = unicode.SimpleFold(other) {
		first = min(first, other)
	}
	return unicode.ToLower(first)
}

// caseCollision says which other name of the head stands in the place of one that is new in it, to
// a file system that ignores case or the way accents are encoded; "" if none does. A new name is
// that of the path itself or of a folder on the way to it. It reads only the folders along the
// path.
func (g *scopeCheck) caseCollision(name string) (string, error) {
	at := git.Entry{Mode: modeTree, ID: g.head}
	way := ""
	for part := range strings.SplitSeq(name, "/") {
		f, err := g.folder(at.ID)
		if err != nil {
			return "", err
		}
		next, there := f.entries[part]
		if !there {
			return "is stored under a name with a slash in it, which no checkout can have; give it another name", nil
		}
		for i, other := range f.alike[alike(part)] {
			if other == part && i == slices.Index(f.alike[alike(part)], part) {
				continue
			}
			known, err := g.has(g.base, path.Join(way, part))
			if err != nil {
				return "", err
			}
			if !known || other == part {
				return fmt.Sprintf("%q and %q are one name to file systems that ignore case or the encoding of "+
					"accents, as on macOS and Windows: "+
					"a checkout there loses one of them; give it another name", path.Join(way, part),
					path.Join(way, other)), nil
			}
		}
		at, way = next, path.Join(way, part)
	}
	return "", nil
}
