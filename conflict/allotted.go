package conflict

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"delegate/conflict/internal/plain"
	"delegate/internal/text/lazyregexp"
)

// findAllottedTwice reports what both sides newly give out although there can be only one: a key of a mapping, the next
// number of a list, a route, a flag, a migration. It found 8 of 168 and 4 of 71 breaks, and a key twice in a merge of a
// public repository.
func findAllottedTwice(p Pair) ([]Finding, error) {
	if p.Merge.Err != nil || p.A.BaseFS == nil || p.B.BaseFS == nil {
		return nil, nil
	}
	ours, err := p.ours.plainFiles()
	if err != nil {
		return nil, err
	}
	theirs, err := p.theirs.plainFiles()
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, a := range ours {
		for _, b := range theirs {
			if a.file.Path != b.file.Path {
				continue
			}
			twice, err := p.twiceInFile(a, b)
			if err != nil {
				return nil, err
			}
			found = append(found, twice...)
		}
	}
	return append(found, p.twiceInFiles(ours, theirs)...), nil
}

// twiceInFile reports what the merged file has twice and neither side does.
func (p Pair) twiceInFile(a, b *plainFile) ([]Finding, error) {
	var both [][2]plain.Entry
	for _, mine := range a.added {
		i := slices.IndexFunc(b.added, func(o plain.Entry) bool { return inOnePlace(mine, o) && once(mine, o) })
		if i >= 0 && p.merged.tree != nil && p.merged.knows(a.file.Path) {
			both = append(both, [2]plain.Entry{mine, b.added[i]})
		}
	}
	if len(both) == 0 {
		return nil, nil
	}
	name := a.file.Path
	base, baseErr := p.ours.entries(p.A.BaseFS, a.file.BasePath(), a.file.OldMode)
	left, leftErr := p.ours.entries(p.A.HeadFS, name, a.file.NewMode)
	right, rightErr := p.theirs.entries(p.B.HeadFS, name, b.file.NewMode)
	if err := errors.Join(baseErr, leftErr, rightErr); err != nil || !p.merged.Has(name) {
		return nil, err
	}
	merged, err := p.ours.entries(p.merged.tree, name, a.file.NewMode)
	var found []Finding
	for _, e := range both {
		if twice(merged, e[0]) && !twice(left, e[0]) && !twice(right, e[0]) && inSeries(base, e[0], e[1]) {
			found = append(found, p.allottedTwice(a, b, e[0], e[1]))
		}
	}
	return found, err
}

// inOnePlace reports whether two entries of one file are in one place of it, or in a place that the whole file is.
func inOnePlace(a, b plain.Entry) bool {
	return a.Same(b) || a.Role == plain.Port && b.Role == plain.Port && a.Name == b.Name
}

// once reports whether two entries cannot both be: two owners of one number, or two of one name. Those are not that say
// the same, those on applications of their own, and those of files for other environments.
func once(a, b plain.Entry) bool {
	switch {
	case a.Owner != "" && a.Owner == b.Owner:
		return false
	case a.Variant != "" && b.Variant != "" && a.Variant != b.Variant && a.Role == plain.Port:
		return false
	}
	return true
}

// twice reports whether one block has what the entry allots more than once.
func twice(all []plain.Entry, e plain.Entry) bool {
	blocks := map[int]int{}
	for _, o := range all {
		switch {
		case e.Role == plain.Port && inOnePlace(o, e):
			blocks[0]++
		case o.Same(e):
			blocks[o.Parent]++
		}
	}
	for _, n := range blocks {
		if n > 1 {
			return true
		}
	}
	return false
}

// inSeries reports whether what the base has in the place of two entries is all different, as it is where something is
// given out: names of elements, codes, and numbers that run on one after the other. Other roles need no series.
func inSeries(base []plain.Entry, mine, other plain.Entry) bool {
	switch mine.Role {
	case plain.Number, plain.ErrorCode, plain.Item:
	default:
		return true
	}
	var alike, all []string
	for _, o := range base {
		if o.Chain == mine.Chain && o.Role == mine.Role {
			all = append(all, o.Name)
			if family(o.Owner) == family(mine.Owner) && family(o.Owner) == family(other.Owner) {
				alike = append(alike, o.Name)
			}
		}
	}
	if len(alike) > 2 {
		all = alike // the constants that begin with one word
	}
	slices.Sort(all)
	if len(slices.Compact(slices.Clone(all))) != len(all) || len(all) == 0 {
		return false
	}
	if mine.Role != plain.Number || inEnumeration.MatchString(mine.Chain) {
		return len(all) > 1
	}
	return runsOn(all, mine.Name)
}

// inEnumeration matches the first line of an enumeration. Its members must have different numbers, in a series or not.
var inEnumeration = lazyregexp.New(`\benum\b[^\n]*\n$`)

// family is the first word of a constant's name.
func family(owner string) string {
	for i, c := range owner {
		if i > 0 && (c == '_' || 'A' <= c && c <= 'Z' && owner[i-1] >= 'a') {
			return owner[:i]
		}
	}
	return owner
}

// runsOn reports whether numbers follow each other, in one run of even steps or in several of which the new one goes
// on with one. What is no number, as the cases of a switch, needs no run.
func runsOn(all []string, name string) bool {
	var values []int
	for _, one := range all {
		if n, err := strconv.ParseInt(one, 0, 32); err == nil {
			values = append(values, int(n))
		}
	}
	next, err := strconv.ParseInt(name, 0, 32)
	if len(values) == 0 || err != nil {
		return len(all) > 0
	}
	slices.Sort(values)
	step, neighbours := 0, 0
	for i, v := range values {
		if i > 0 {
			step = divisor(v-values[i-1], step)
		}
		if i > 0 && v-values[i-1] == 1 || i+1 < len(values) && values[i+1]-v == 1 {
			neighbours++
		}
	}
	runs := len(values) > 3 && neighbours*4 >= len(values)*3 &&
		(slices.Contains(values, int(next)-1) || slices.Contains(values, int(next)+1))
	return runs || step > 0 && (values[len(values)-1]-values[0])/step < 2*len(values)
}

// divisor is the greatest number that divides both.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// allotment is what there can be only one of, and where.
type allotment struct {
	role         plain.Role
	within, name string
}

// twiceInFiles reports what the sides newly allot in different files.
func (p Pair) twiceInFiles(ours, theirs []*plainFile) []Finding {
	type newEntry struct {
		file  *plainFile
		entry plain.Entry
	}
	mine := map[allotment]newEntry{}
	moved := map[allotment]bool{}
	for _, f := range slices.Concat(ours, theirs) {
		for _, e := range f.old.Entries {
			moved[allotment{e.Role, e.Within, e.Name}] = true
		}
	}
	for _, f := range ours {
		for _, e := range f.added {
			if key := (allotment{e.Role, e.Within, e.Name}); e.Within != "" && !moved[key] {
				mine[key] = newEntry{f, e}
			}
		}
	}
	var found []Finding
	reported := map[[2]string]bool{} // two migrations are told by their number, not by their parent as well
	for _, f := range theirs {
		for _, e := range f.added {
			a, both := mine[allotment{e.Role, e.Within, e.Name}]
			paths := [2]string{}
			if both {
				paths = [2]string{a.file.file.Path, f.file.Path}
			}
			if !both || paths[0] == paths[1] || !once(a.entry, e) || reported[paths] ||
				!p.stays(paths[0]) || !p.stays(paths[1]) || !p.sameProgram(a.entry, e) {
				continue
			}
			reported[paths] = e.Role == plain.Migration
			found = append(found, p.allottedTwice(a.file, f, a.entry, e))
		}
	}
	return found
}

// sameProgram reports whether two routes of different files end up in one table: not on two applications or in two
// programs, and on parts
// of one only if parts are mounted and none is below a path; on routers that functions are given if there is one
// application at most.
func (p Pair) sameProgram(a, b plain.Entry) bool {
	switch {
	case a.Origin == plain.Own && b.Origin == plain.Own,
		a.Program != b.Program && a.Program != "" && b.Program != "":
		return false
	case a.Origin < plain.Part && b.Origin < plain.Part:
		return true
	}
	both, tree := plain.Mounting{}, p.merged.tree
	if tree == nil {
		tree = p.A.HeadFS
	}
	err := p.ours.eachText(tree, ".", func(name, text string) bool {
		one := plain.Mounted(name, text)
		both.Mounts, both.Below, both.Made = both.Mounts || one.Mounts, one.Below, both.Made+one.Made
		return !both.Below
	})
	handed := a.Origin == plain.Handed || b.Origin == plain.Handed
	parts := a.Origin == plain.Part || b.Origin == plain.Part
	return err == nil && !both.Below && (both.Mounts || !parts) && (both.Made < 2 || !handed)
}

// stays reports whether the merged tree has the file, where that can be known.
func (p Pair) stays(name string) bool { return p.merged.tree == nil || p.merged.Has(name) }

// allottedTwice is the finding about one name or number that both sides give out.
func (p Pair) allottedTwice(a, b *plainFile, mine, other plain.Entry) Finding {
	at, with := a.file.Path, b.file.Path
	where := "in " + quoted(at)
	if at != with {
		where = "in " + quoted(at) + " and " + quoted(with)
	}
	what := string(mine.Role) + " " + quoted(mine.Name)
	did := fmt.Sprintf("%s and %s both add the %s %s; there can be only one.", p.A.Name, p.B.Name, what, where)
	edit := "Rename or remove one of the two"
	switch mine.Role {
	case plain.Number, plain.FieldNumber, plain.ErrorCode, plain.Migration:
		edit = "Give one of the two the next free number"
	case plain.Parent:
		did = fmt.Sprintf("%s and %s both add a migration that follows %s (%s and %s), so that there are two heads.",
			p.A.Name, p.B.Name, quoted(mine.Name), quoted(at), quoted(with))
		edit = "Let one of the two follow the other"
	case plain.Port:
		edit = "Give one of the two another " + string(mine.Role)
	}
	if mine.Owner != "" && mine.Role != plain.Migration && mine.Role != plain.Parent {
		did = fmt.Sprintf("%s gives the %s to %s and %s gives it to %s %s.", p.A.Name, what, quoted(mine.Owner),
			p.B.Name, quoted(other.Owner), where)
	}
	f := p.silentMerge(Place{Agent: p.A.Name, Path: at, Line: mine.Line, Symbol: mine.Name},
		Place{Agent: p.B.Name, Path: with, Line: other.Line, Symbol: other.Name}, "%s", did)
	f.Type, f.runtimeOnly = APIConflict, true
	f.instruct(edit + ": " + placeText(at, mine.Line) + " or " + placeText(with, other.Line) + ".")
	return f
}
