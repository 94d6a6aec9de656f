package project

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"delegate/change"
	"delegate/internal/git"
	"delegate/scope"
)

const (
	// mostLinks is how many links are followed one after the other, as Linux does.
	mostLinks = 40
	// longestTarget is more than any system takes.
	longestTarget = 64 << 10
)

// links judges a symbolic link in the scope by where it leads in the head, through whatever other
// links. Git never writes through a link, but programs do: so it must not lead to what the agent
// may not write. A folder counts as allowed if a new file in it would be. Whoever reads through the
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
