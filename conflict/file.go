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
	findings := findCaseCollisions(p)
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
	quiet, err := p.silentMerges()
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
	if len(p.Merge.Conflicts) == 0 {
		return nil
	}
	g := grouping{of: map[string]int{}}
	names := p.renames()
	for _, c := range p.Merge.Conflicts {
		if !informs(c.Kind) {
			paths := unite([]string{c.Path}, names[c.Path])
			g.add(group{paths: paths, named: []string{c.Path}, kinds: []string{c.Kind}, messages: []string{c.Message}})
		}
	}
	return g.list()
}

// grouping joins groups that share a path or a message.
type grouping struct {
	groups []group
	into   []int          // the group that took one up, itself if none did
	of     map[string]int // the group of a path, or of a message behind a NUL
}

func (g *grouping) add(one group) {
	traits := slices.Clone(one.paths)
	for _, m := range one.messages {
		if m != "" {
			traits = append(traits, "\x00"+m)
		}
	}
	at := len(g.groups)
	g.groups, g.into = append(g.groups, one), append(g.into, at)
	for _, t := range traits {
		if i, known := g.of[t]; known && g.find(i) != at {
			other := g.find(i)
			first, last := min(at, other), max(at, other)
			g.groups[first] = g.groups[first].join(g.groups[last])
			g.into[last], at = first, first
		}
	}
	for _, t := range traits {
		g.of[t] = at
	}
}

func (g *grouping) find(i int) int {
	for g.into[i] != i {
		i = g.into[i]
	}
	return i
}

func (g *grouping) list() []group {
	var all []group
	for i, into := range g.into {
		if i == into {
			all = append(all, g.groups[i])
		}
	}
	return all
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

func intersects(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// renames are for each path the names that a rename of either side gives to the file or took from it.
func (p Pair) renames() map[string][]string {
	names := map[string][]string{}
	for _, f := range slices.Concat(p.A.Files, p.B.Files) {
		if f.OldPath != "" {
			names[f.Path] = append(names[f.Path], f.Path, f.OldPath)
			names[f.OldPath] = append(names[f.OldPath], f.Path, f.OldPath)
		}
	}
	return names
}

// touches returns the paths that a changed file has on either side of its change.
func touches(f change.File) []string {
	if f.OldPath == "" {
		return []string{f.Path}
	}
	return []string{f.OldPath, f.Path}
}

// layout finds the files of a side by where they are.
type layout struct {
	set    change.Set
	at     map[string][]int // by a path on either side of the change
	below  map[string][]int // by each folder around the file in the head
	left   map[string][]int // by the folder that a renamed file was in
	names  names
	hunks  map[change.File][]change.Hunk // as far as they were asked for
	plain  []*plainFile                  // nil until asked for
	fresh  map[string][]freshName        // nil until asked for
	memory *Memory
}

// layouts are those of the sides, each made once however many pairs it is in.
type layouts struct {
	sides  map[line]*layout
	memory *Memory
}

// line identifies a change set, as a key of maps.
type line struct {
	name, base, head string
	first            *change.File
}

func lineOf(s change.Set) line {
	key := line{name: s.Name, base: s.Base, head: s.Head}
	if len(s.Files) > 0 {
		key.first = &s.Files[0]
	}
	return key
}

func (all layouts) of(s change.Set) *layout {
	key := lineOf(s)
	if all.sides[key] == nil {
		all.sides[key] = newLayout(s, all.memory)
	}
	return all.sides[key]
}

func newLayout(s change.Set, memory *Memory) *layout {
	l := &layout{
		set: s, memory: memory, at: map[string][]int{}, below: map[string][]int{}, left: map[string][]int{},
		names: newNames(s.Files), hunks: map[change.File][]change.Hunk{},
	}
	for i, f := range s.Files {
		for _, name := range touches(f) {
			l.at[name] = append(l.at[name], i)
		}
		for dir := path.Dir(f.Path); dir != "." && dir != "/"; dir = path.Dir(dir) {
			l.below[dir] = append(l.below[dir], i)
		}
		if f.OldPath != "" {
			l.left[path.Dir(f.OldPath)] = append(l.left[path.Dir(f.OldPath)], i)
		}
	}
	return l
}

// takingPart returns the side's files that take part in the conflict:
// those at its paths, and those that make a folder of one of them or stand where it needs a folder;
// if there are none, those that leave the folder it is in.
func (g group) takingPart(l *layout) []change.File {
	var found []int
	for _, name := range g.paths {
		found = append(append(found, l.at[name]...), l.below[name]...)
		for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(dir) {
			for _, i := range l.at[dir] {
				if l.set.Files[i].Path == dir {
					found = append(found, i)
				}
			}
		}
	}
	if len(found) == 0 {
		for _, name := range g.paths {
			found = append(found, l.left[path.Dir(name)]...)
		}
	}
	slices.Sort(found)
	var files []change.File
	for _, i := range slices.Compact(found) {
		files = append(files, l.set.Files[i])
	}
	return files
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
	ours, theirs, err := p.actions(g.takingPart(p.ours), g.takingPart(p.theirs), overlapping)
	if err != nil {
		return Finding{}, err
	}
	taking := filesOf(ours, theirs)
	subject := g.subject(taking)
	f := p.finding(Error, Confirmed, ours, theirs)
	f.Message = "Git cannot merge " + quoted(subject) + " (" + kindWords(g.kinds) + "): " + bothDo(p, ours, theirs) +
		"."
	if len(ours) == 0 || len(theirs) == 0 {
		f.Message += " Git says: " + strings.Join(g.messages, " ")
	}
	if len(f.Places) == 0 {
		f.Places = []Place{{Agent: p.A.Name, Path: subject}, {Agent: p.B.Name, Path: subject}}
	}
	f.Advice = p.adviceFor(taking)
	pointers, err := p.arePointers(ours)
	if pointers {
		f.Advice = "The file is kept by Git LFS and what git compares is only its stand-in: " +
			"decide which version to keep. " + f.Advice
	}
	return f, err
}

// largestPointer is more than the stand-in of Git LFS ever has.
const largestPointer = 1024

// arePointers reports whether one of ours is the stand-in for a large file.
func (p Pair) arePointers(ours []action) (bool, error) {
	for _, a := range ours {
		if p.A.HeadFS == nil || a.file.NewMode != change.ModeFile {
			continue
		}
		data, ok, err := readUpTo(p.A.Name, p.A.HeadFS, a.file.Path, largestPointer)
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
	f.Message = "It is not known whether " + p.A.Name + " and " + p.B.Name + " can be merged: " + p.Merge.Err.Error() +
		"."
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
