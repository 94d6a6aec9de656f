package conflict

import (
	"maps"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"delegate/change"
)

// findTwins reports names of the two sides that differ and yet are one name
// to a file system that ignores case or the way accents are encoded.
// git merges them, and a checkout on macOS or Windows then loses one of the two.
// Names that were twins before either side began are left alone.
func findTwins(p Pair) []Finding {
	ours, theirs := byFoldedPath(p.A), byFoldedPath(p.B)
	gone := removed(p.A)
	maps.Copy(gone, removed(p.B))
	clash := func(a, b change.File) bool {
		return !gone[a.Path] && !gone[b.Path] && (isNew(a) || isNew(b))
	}
	var findings []Finding
	for _, b := range p.B.Files {
		for _, a := range ours[fold(b.Path)] {
			if a.Path != b.Path && clash(a, b) {
				findings = append(findings, p.twins(a, b, "that is one name"))
			}
		}
		for _, a := range inTheWay(ours, b) {
			if clash(a, b) {
				findings = append(findings, p.twins(a, b, fileAndFolder))
			}
		}
	}
	for _, a := range p.A.Files {
		for _, b := range inTheWay(theirs, a) {
			if clash(a, b) {
				findings = append(findings, p.twins(a, b, fileAndFolder))
			}
		}
	}
	return findings
}

const fileAndFolder = "the file and the folder have one name"

// byFoldedPath are the files of a side's head by their folded paths.
func byFoldedPath(s change.Set) map[string][]change.File {
	files := map[string][]change.File{}
	for _, f := range s.Files {
		if f.Kind != change.Deleted {
			files[fold(f.Path)] = append(files[fold(f.Path)], f)
		}
	}
	return files
}

// removed are the paths that the side takes away and puts nothing in place of.
func removed(s change.Set) map[string]bool {
	gone := map[string]bool{}
	for _, f := range s.Files {
		if f.Kind == change.Deleted {
			gone[f.Path] = true
		}
		if f.OldPath != "" {
			gone[f.OldPath] = true
		}
	}
	for _, f := range s.Files {
		if f.Kind != change.Deleted {
			delete(gone, f.Path)
		}
	}
	return gone
}

// inTheWay are the files that stand where the other side's file needs a folder, by a name that is not quite the folder's.
// Where the names are equal git itself sees the conflict.
func inTheWay(files map[string][]change.File, f change.File) []change.File {
	var found []change.File
	for dir := path.Dir(f.Path); dir != "." && dir != "/"; dir = path.Dir(dir) {
		for _, other := range files[fold(dir)] {
			if other.Path != dir {
				found = append(found, other)
			}
		}
	}
	return found
}

func isNew(f change.File) bool { return f.Kind == change.Added || f.Kind == change.Renamed }

// fold maps names that such a file system takes for one to the same text.
// Case is folded letter by letter, as these systems do, so that "ß" and "ss" stay two names.
// A name that is not UTF-8 is a twin of none.
func fold(name string) string {
	if !utf8.ValidString(name) {
		return name
	}
	return norm.NFC.String(strings.Map(foldRune, norm.NFD.String(name)))
}

// foldRune picks the smallest of the letters that differ in case alone.
func foldRune(r rune) rune {
	smallest := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		smallest = min(smallest, other)
	}
	return smallest
}

// twins is the finding for two names; how says in what they are one.
func (p Pair) twins(a, b change.File, how string) Finding {
	f := p.finding(Error, Confirmed, bare([]change.File{a}), bare([]change.File{b}))
	f.Message = p.A.Name + " has " + quoted(a.Path) + " and " + p.B.Name + " has " + quoted(b.Path) +
		". To file systems that ignore case or the encoding of accents, as on macOS and Windows, " + how +
		": git merges the two without a word, and a checkout there loses one of them."
	f.Advice = "Give one of the two another name. " + p.adviceToOrder()
	return f
}
