package conflict

import (
	"path"
	"slices"
	"strings"

	"delegate/change"
)

// findFileConflicts reports what git cannot merge, what both sides touch although git can,
// and names that only some file systems keep apart.
func findFileConflicts(p Pair) ([]Finding, error) {
	findings := findTwins(p)
	if p.Merge.Err != nil {
		return append(findings, notMerged(p)), nil
	}
	groups := groupConflicts(p)
	for _, g := range groups {
		f, err := p.conflictFinding(g)
		if err != nil {
			return nil, err
		}
		findings = append(findings, f)
	}
	if len(groups) == 0 && !p.Merge.Clean {
		findings = append(findings, unnamedConflict(p))
	}
	overlaps, err := p.overlapFindings(groups)
	if err != nil {
		return nil, err
	}
	quiet, err := p.quietMeetings()
	return slices.Concat(findings, overlaps, quiet), err
}

// group is one conflict of git's: all that it says of paths that belong together.
type group struct {
	paths    []string // sorted; those of the messages and their names before or after a rename
	named    []string // in git's order
	kinds    []string
	messages []string
}

// informs reports whether git gives the kind for information about a merge that went well.
// A kind that is not known counts as a conflict.
func informs(kind string) bool {
	switch kind {
	case "Auto-merging", "Fast forwarding submodule", "Path updated due to directory rename",
		"Directory rename skipped since directory was renamed on both sides":
		return true
	}
	return false
}

// groupConflicts puts together what git says of the same path or in the same words.
func groupConflicts(p Pair) []group {
	var groups []group
	for _, c := range p.Merge.Conflicts {
		if informs(c.Kind) {
			continue
		}
		joined := group{paths: p.related(c.Path), named: []string{c.Path}, kinds: []string{c.Kind}, messages: []string{c.Message}}
		var apart []group
		for _, g := range groups {
			if slices.Contains(g.messages, c.Message) && c.Message != "" || meets(g.paths, joined.paths) {
				joined = g.join(joined)
			} else {
				apart = append(apart, g)
			}
		}
		groups = append(apart, joined)
	}
	return groups
}

func (g group) join(h group) group {
	return group{
		paths:    unite(g.paths, h.paths),
		named:    uniteInOrder(g.named, h.named),
		kinds:    uniteInOrder(g.kinds, h.kinds),
		messages: uniteInOrder(g.messages, h.messages),
	}
}

func unite(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

func uniteInOrder(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

func meets(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// related returns the path and every other name that a rename of either side gives to the file, sorted.
func (p Pair) related(name string) []string {
	names := []string{name}
	for _, f := range slices.Concat(p.A.Files, p.B.Files) {
		if f.OldPath != "" && (f.Path == name || f.OldPath == name) {
			names = append(names, f.Path, f.OldPath)
		}
	}
	return unite(names, nil)
}

// touches returns the paths that a changed file has on either side of its change.
func touches(f change.File) []string {
	if f.OldPath == "" {
		return []string{f.Path}
	}
	return []string{f.OldPath, f.Path}
}

// taking returns the side's files that take part in the conflict:
// those at its paths, and those that make a folder of one of them or stand where it needs a folder;
// if there are none, those that leave the folder it is in.
func (g group) taking(files []change.File) []change.File {
	at := func(f change.File) bool {
		return meets(touches(f), g.paths) || slices.ContainsFunc(g.paths, func(p string) bool {
			return strings.HasPrefix(f.Path, p+"/") || strings.HasPrefix(p, f.Path+"/")
		})
	}
	leaving := func(f change.File) bool {
		return f.OldPath != "" && slices.ContainsFunc(g.paths, func(p string) bool { return path.Dir(p) == path.Dir(f.OldPath) })
	}
	for _, takes := range []func(change.File) bool{at, leaving} {
		var taking []change.File
		for _, f := range files {
			if takes(f) {
				taking = append(taking, f)
			}
		}
		if len(taking) > 0 {
			return taking
		}
	}
	return nil
}

// subject is the path to name the conflict by: the first of git's that a side touches.
// git makes up names where two things want one place, and those mean nothing to a person.
func (g group) subject(taking []change.File) string {
	for _, name := range g.named {
		for _, f := range taking {
			if slices.Contains(touches(f), name) {
				return name
			}
		}
	}
	return g.named[0]
}

// conflictFinding is the finding for what git cannot merge.
func (p Pair) conflictFinding(g group) (Finding, error) {
	ours, theirs, err := p.actions(g.taking(p.A.Files), g.taking(p.B.Files), whereTheyMeet)
	if err != nil {
		return Finding{}, err
	}
	taking := filesOf(ours, theirs)
	subject := g.subject(taking)
	f := p.finding(Error, Confirmed, ours, theirs)
	f.Message = "Git cannot merge " + quoted(subject) + " (" + kindWords(g.kinds) + "): " + bothDo(p, ours, theirs) + "."
	if len(ours) == 0 || len(theirs) == 0 {
		f.Message += " Git says: " + strings.Join(g.messages, " ")
	}
	if len(f.Places) == 0 {
		f.Places = []Place{{Agent: p.A.Name, Path: subject}, {Agent: p.B.Name, Path: subject}}
	}
	f.Advice = p.adviceFor(taking)
	pointers, err := p.arePointers(taking)
	if pointers {
		f.Advice = "The file is kept by Git LFS and what git compares is only its stand-in: decide which version to keep. " + f.Advice
	}
	return f, err
}

// largestPointer is more than the stand-in of Git LFS ever has.
const largestPointer = 1024

// arePointers reports whether one of ours among the files is the stand-in for a large one.
func (p Pair) arePointers(files []change.File) (bool, error) {
	for _, f := range files {
		if p.A.HeadFS == nil || f.NewMode != change.ModeFile || !slices.Contains(p.A.Files, f) {
			continue
		}
		data, ok, err := readUpTo(p.A.Name, p.A.HeadFS, f.Path, largestPointer)
		if err != nil || ok && isPointer(data) {
			return err == nil, err
		}
	}
	return false, nil
}

func filesOf(sides ...[]action) []change.File {
	var files []change.File
	for _, side := range sides {
		for _, a := range side {
			files = append(files, a.file)
		}
	}
	return files
}

// finding fills in what every finding about files has in common. Errors block.
func (p Pair) finding(s Severity, c Certainty, ours, theirs []action) Finding {
	return Finding{
		Type: FileConflict, Severity: s, Blocking: s == Error, Certainty: c,
		Agents: []string{p.A.Name, p.B.Name},
		Places: slices.Concat(places(p.A.Name, ours), places(p.B.Name, theirs)),
	}
}

// notMerged is the finding for a pair on which git gave no verdict.
func notMerged(p Pair) Finding {
	f := p.finding(Error, Unknown, nil, nil)
	f.Message = "It is not known whether " + p.A.Name + " and " + p.B.Name + " can be merged: " + p.Merge.Err.Error() + "."
	f.Advice = "Look whether the two have a common ancestor and whether objects are missing: \"git merge-base " +
		p.A.Head + " " + p.B.Head + "\", \"git fsck\"."
	theirs := p.B.Paths()
	for _, name := range p.A.Paths() {
		if _, both := slices.BinarySearch(theirs, name); both {
			f.Places = append(f.Places, Place{Agent: p.A.Name, Path: name}, Place{Agent: p.B.Name, Path: name})
		}
	}
	return f
}

// unnamedConflict is the finding for a merge that is not clean although no path of it is known.
func unnamedConflict(p Pair) Finding {
	f := p.finding(Error, Unknown, nil, nil)
	f.Message = "Git does not merge " + p.A.Name + " and " + p.B.Name + " cleanly and names no path."
	f.Advice = p.adviceFor(nil)
	return f
}
