package conflict

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"delegate/change"
)

// mostNamed is how many lines or files a sentence lists before it counts the rest.
const mostNamed = 3

// bothDo says what each side does.
func bothDo(p Pair, ours, theirs []action) string {
	return doing(p.A.Name, ours) + "; " + doing(p.B.Name, theirs)
}

func doing(who string, actions []action) string {
	if len(actions) == 0 {
		return who + " changes nothing there by name"
	}
	phrases := make([]string, len(actions))
	for i, a := range actions {
		phrases[i] = a.phrase()
	}
	return who + " " + list(phrases, "more files")
}

// list joins with commas and "and", counting what goes beyond mostNamed as so many of rest.
func list(items []string, rest string) string {
	if len(items) > mostNamed+1 { // one more is no longer than its count
		items = append(slices.Clone(items[:mostNamed]), fmt.Sprintf("%d %s", len(items)-mostNamed, rest))
	}
	if len(items) == 1 {
		return items[0]
	}
	last := len(items) - 1
	return strings.Join(items[:last], ", ") + " and " + items[last]
}

// phrase is a verb and its object: "renames a to b".
func (a action) phrase() string {
	f := a.file
	name := quoted(f.Path)
	named, alone := modeWords(f.NewMode)
	switch f.Kind {
	case change.Added:
		return "adds " + named + name + a.differing()
	case change.Deleted:
		return "deletes " + name
	case change.Renamed:
		moved := "renames " + quoted(f.OldPath) + " to " + name + a.differing()
		if len(a.spans) > 0 && !a.apart {
			moved += " and changes " + lineWords(a.spans)
		}
		return moved + modeToo(f)
	case change.TypeChanged:
		return "turns " + name + " into " + alone
	case change.ModeChanged:
		return modeChange(f, name)
	}
	return a.edit(name) + modeToo(f)
}

// edit is the phrase for a file whose content changed in place.
func (a action) edit(name string) string {
	f := a.file
	switch {
	case f.NewMode == change.ModeSubmodule:
		return "moves the submodule " + name + " to " + short(f.NewID)
	case f.NewMode == change.ModeSymlink:
		return "points the symbolic link " + name + " elsewhere"
	case f.Binary:
		return "changes the binary file " + name
	case len(a.spans) == 0:
		return "changes " + name
	}
	return "changes " + lineWords(a.spans) + " of " + name
}

// modeToo is what follows if a file that was edited or renamed changed its mode as well.
func modeToo(f change.File) string {
	if f.OldMode == f.NewMode || f.OldMode == 0 || f.NewMode == 0 {
		return ""
	}
	return " and " + modeChange(f, "it")
}

// differing is what follows if the file has no common origin with the other side's.
func (a action) differing() string {
	switch {
	case len(a.spans) == 0 || !a.apart:
		return ""
	case len(a.spans) == 1 && a.spans[0].first == a.spans[0].last:
		return " (" + lineWords(a.spans) + " differs)"
	}
	return " (" + lineWords(a.spans) + " differ)"
}

func lineWords(spans []span) string {
	words := make([]string, len(spans))
	for i, s := range spans {
		words[i] = strconv.Itoa(s.first)
		if s.last > s.first {
			words[i] += "-" + strconv.Itoa(s.last)
		}
	}
	if len(spans) == 1 && spans[0].first == spans[0].last {
		return "line " + words[0]
	}
	return "lines " + list(words, "more places")
}

// modeWords are what a file of a mode is called, before its name and alone.
func modeWords(mode uint32) (named, alone string) {
	words := map[uint32][2]string{
		change.ModeSymlink:    {"the symbolic link ", "a symbolic link"},
		change.ModeSubmodule:  {"the submodule ", "a submodule"},
		change.ModeExecutable: {"the executable ", "a file"},
	}[mode]
	return words[0], cmp.Or(words[1], "a file")
}

// modeChange says what a change of mode does with the file of a name.
func modeChange(f change.File, name string) string {
	switch f.NewMode {
	case change.ModeExecutable:
		return "makes " + name + " executable"
	case change.ModeFile:
		return "makes " + name + " not executable"
	}
	return fmt.Sprintf("changes the mode of %s to %06o", name, f.NewMode)
}

func short(id string) string { return id[:min(len(id), 7)] }

// quoted is a path as it stands in a sentence: in quotes if a blank or an odd character would confuse.
func quoted(name string) string {
	odd := func(r rune) bool { return r == '"' || r == '\\' || unicode.IsSpace(r) || !unicode.IsPrint(r) }
	if name == "" || strings.ContainsFunc(name, odd) {
		return strconv.Quote(name)
	}
	return name
}

// kindWords are git's names of conflicts without the word that they all begin with.
func kindWords(kinds []string) string {
	words := make([]string, len(kinds))
	for i, kind := range kinds {
		rest, conflict := strings.CutPrefix(kind, "CONFLICT")
		if conflict {
			kind = strings.Trim(rest, " ()")
		}
		words[i] = kind
	}
	return strings.Join(words, ", ")
}
