package project

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/fence/sandbox"
	"delegate/internal/text/lazyregexp"
	"delegate/internal/text/ui"
	"delegate/registry"
	"delegate/scope"
)

// How the record names folders that are elsewhere on another machine.
const (
	homeName   = "~"
	tmpName    = "$TMPDIR"
	besideName = ".." // from the main worktree: the folder that has it
	someFolder = "…"
)

// Recorded returns an agent's words as a file that people commit may have them: only what is seen of them, with paths
// that begin in the agent's worktree, beside the repository, in the person's home or in the temporary folder, without
// the path of that on this machine.
func (p *Project) Recorded(a registry.Agent, words string) string {
	return p.fromFolders(a, ui.Clean(words))
}

func (p *Project) fromFolders(a registry.Agent, text string) string {
	home, _ := os.UserHomeDir() // without one there is nothing below it
	folders := [][2]string{{a.Worktree, "."}, {home, homeName}, {os.TempDir(), tmpName},
		{filepath.Dir(p.Main), besideName}}
	slices.SortStableFunc(folders, func(x, y [2]string) int { return cmp.Compare(len(y[0]), len(x[0])) })
	for _, f := range folders {
		if filepath.IsAbs(f[0]) && f[0] != "/" {
			text = renamed(text, f[0], f[1])
		}
	}
	return text
}

// RecordedPath returns a path in the same way. One that lies in none of these folders is named from the repository on,
// or by its last part where the two have nothing in common; one of the system is as it is on every machine.
func (p *Project) RecordedPath(a registry.Agent, path string) string {
	name := strings.TrimPrefix(p.fromFolders(a, path), "./")
	home, _ := os.UserHomeDir() // without one there is nothing below it
	places := append(sandbox.Personal(home), "/tmp")
	inside := func(folder string) bool { return sandbox.Contains(folder, name) }
	if !filepath.IsAbs(name) || !slices.ContainsFunc(places, inside) {
		return name
	}
	from, err := filepath.Rel(p.Main, name)
	if err != nil || strings.Count(from+"/", besideName+"/") >= strings.Count(p.Main, "/") {
		return someFolder + "/" + filepath.Base(name)
	}
	return from
}

// placeOf is where on this machine a path lies that RecordedPath named, "" where nobody knows any more, and whether
// that is outside of the agent's worktree.
func (p *Project) placeOf(name string) (path string, outside bool) {
	first, below, _ := strings.Cut(name, "/")
	switch first {
	case "":
		return filepath.Clean(name), true
	case homeName:
		home, _ := os.UserHomeDir() // without one there is nothing below it
		return filepath.Join(home, below), true
	case tmpName:
		return filepath.Join(os.TempDir(), below), true
	case besideName:
		return filepath.Join(p.Main, name), true
	}
	return "", first == someFolder
}

// Allows reports whether a scope allows a write at a path as RecordedPath named it: no scope does elsewhere.
func (p *Project) Allows(limits *scope.Scope, recorded string) bool {
	_, outside := p.placeOf(recorded)
	return !outside && limits.Check(recorded).Allowed
}

// The letters of a path, as one goes on before the place and behind it.
var (
	partBefore = lazyregexp.New(`[\w./~-]$`)
	partBehind = lazyregexp.New(`^(?:[\w-]|\.\w)`)
)

// renamed is a text with the folder called by a name, where it is no part of another path.
func renamed(text, folder, name string) string {
	var b strings.Builder
	for {
		before, behind, found := strings.Cut(text, folder)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if partBefore.MatchString(before) || partBehind.MatchString(behind) {
			b.WriteString(folder)
		} else {
			b.WriteString(name)
		}
		text = behind
	}
}
