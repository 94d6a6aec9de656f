package conflict

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"delegate/change"
)

// findCaseCollisions reports names of the two sides that differ and yet are one name to a file
// system that ignores case or the way accents are encoded. git merges them, and a checkout on macOS
// or Windows then loses one of the two. Names that collided before either side began are left
// alone.
func findCaseCollisions(p Pair) []Finding {
	ours, theirs := p.ours.names, p.theirs.names
	var findings []Finding
	clash := func(a, b change.File, how string) {
		if !ours.gone[a.Path] && !theirs.gone[a.Path] && !ours.gone[b.Path] && !theirs.gone[b.Path] &&
			(isNew(a) || isNew(b)) {
			findings = append(findings, p.caseCollision(a, b, how))
		}
	}
	for j, b := range p.B.Files {
		for _, i := range ours.at[theirs.folded[j]] {
			if a := p.A.Files[i]; a.Path != b.Path {
				clash(a, b, "that is one name")
			}
		}
		for _, a := range p.ours.inTheWay(theirs.around[j]) {
			clash(a, b, fileAndFolder)
		}
	}
	for i, a := range p.A.Files {
		for _, b := range p.theirs.inTheWay(ours.around[i]) {
			clash(a, b, fileAndFolder)
		}
	}
	return findings
}

const fileAndFolder = "the file and the folder have one name"

// names are those that the files of a side have in the head, as such a file system takes them.
type names struct {
	folded []string         // of each file
	around [][]folder       // of each file, from the inmost
	at     map[string][]int // the files of the head by their folded paths
	gone   map[string]bool
}

// folder is one around a file.
type folder struct{ path, folded string }

func newNames(files []change.File) names {
	n := names{folded: make([]string, len(files)), around: make([][]folder, len(files)), at: map[string][]int{},
		gone: removedPaths(files)}
	known := map[string]string{}
	for i, f := range files {
		n.folded[i] = fold(f.Path)
		if f.Kind != change.Deleted {
			n.at[n.folded[i]] = append(n.at[n.folded[i]], i)
		}
		for dir := path.Dir(f.Path); dir != "." && dir != "/"; dir = path.Dir(dir) {
			if _, seen := known[dir]; !seen {
				known[dir] = fold(dir)
			}
			n.around[i] = append(n.around[i], folder{dir, known[dir]})
		}
	}
	return n
}

// removedPaths are the paths that the side takes away and puts nothing in place of.
func removedPaths(files []change.File) map[string]bool {
	gone := map[string]bool{}
	for _, f := range files {
		if f.Kind == change.Deleted {
			gone[f.Path] = true
		}
		if f.OldPath != "" {
			gone[f.OldPath] = true
		}
	}
	for _, f := range files {
		if f.Kind != change.Deleted {
			delete(gone, f.Path)
		}
	}
	return gone
}

// inTheWay are the side's files that stand where a file of the other needs a folder, by a name that
// is not quite the folder's. Where the names are equal git itself sees the conflict.
func (l *layout) inTheWay(around []folder) []change.File {
	var found []change.File
	for _, dir := range around {
		for _, i := range l.names.at[dir.folded] {
			if l.set.Files[i].Path != dir.path {
				found = append(found, l.set.Files[i])
			}
		}
	}
	return found
}

func isNew(f change.File) bool { return f.Kind == change.Added || f.Kind == change.Renamed }

// fold maps names that such a file system takes for one to the same text.
// Case is folded letter by letter, as these systems do, so that "ß" and "ss" stay two names.
// A name that is not UTF-8 collides with none.
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

// caseCollision is the finding for two names; how says in what they are one.
func (p Pair) caseCollision(a, b change.File, how string) Finding {
	f := p.finding(Error, Confirmed, bare([]change.File{a}), bare([]change.File{b}))
	f.Message = p.A.Name + " has " + quoted(a.Path) + " and " + p.B.Name + " has " + quoted(b.Path) +
		". To file systems that ignore case or the encoding of accents, as on macOS and Windows, " + how +
		": git merges the two cleanly, and a checkout there loses one of them."
	f.Advice = "Give one of the two another name. " + p.adviceToOrder()
	return f
}
