package project

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"delegate/internal/git"
	"delegate/scope"
)

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
