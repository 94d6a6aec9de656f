package project

import (
	"slices"
	"strings"

	"delegate/change"
)

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
