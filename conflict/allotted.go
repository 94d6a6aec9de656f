package conflict

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"delegate/conflict/internal/plain"
)

// findAllottedTwice reports what both sides newly give out although there can be only one: a key of a mapping, the
// next number of a list, a route, a flag, a migration.
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
		i := slices.IndexFunc(b.added, func(o plain.Entry) bool { return mine.Same(o) && once(mine, o) })
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
		if twice(merged, e[0]) && !twice(left, e[0]) && !twice(right, e[0]) && inSeries(base, e[0]) {
			found = append(found, p.allottedTwice(a, b, e[0], e[1]))
		}
	}
	return found, err
}

// once reports whether two entries cannot both be: two owners of one number, or two of one name.
func once(a, b plain.Entry) bool { return a.Owner == "" || a.Owner != b.Owner }

// twice reports whether one block has what the entry allots more than once.
func twice(all []plain.Entry, e plain.Entry) bool {
	blocks := map[int]int{}
	for _, o := range all {
		if o.Same(e) {
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

// inSeries reports whether the base's numbers around a number are all different and run on evenly, as numbers do that
// are given out one after the other; other roles need no series.
func inSeries(base []plain.Entry, e plain.Entry) bool {
	if e.Role != plain.Number && e.Role != plain.ErrorCode {
		return true
	}
	var values []int
	seen := map[string]bool{}
	for _, o := range base {
		if o.Chain != e.Chain || o.Role != e.Role {
			continue
		}
		if seen[o.Name] {
			return false
		}
		seen[o.Name] = true
		if n, err := strconv.ParseInt(o.Name, 0, 32); err == nil {
			values = append(values, int(n))
		}
	}
	if len(values) == 0 {
		return len(seen) > 0 // codes, or the cases of a switch
	}
	slices.Sort(values)
	step := 0
	for i := 1; i < len(values); i++ {
		step = divisor(values[i]-values[i-1], step)
	}
	return step > 0 && (values[len(values)-1]-values[0])/step < 2*len(values)
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
	told := map[[2]string]bool{} // two migrations are told by their number, not by their parent as well
	for _, f := range theirs {
		for _, e := range f.added {
			a, both := mine[allotment{e.Role, e.Within, e.Name}]
			paths := [2]string{}
			if both {
				paths = [2]string{a.file.file.Path, f.file.Path}
			}
			if !both || paths[0] == paths[1] || !once(a.entry, e) || told[paths] ||
				!p.stays(paths[0]) || !p.stays(paths[1]) {
				continue
			}
			told[paths] = e.Role == plain.Migration
			found = append(found, p.allottedTwice(a.file, f, a.entry, e))
		}
	}
	return found
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
	edit := "Give one of the two another name, or keep one"
	switch mine.Role {
	case plain.Number, plain.FieldNumber, plain.ErrorCode, plain.Migration:
		edit = "Give one of the two the next free number"
		if mine.Role != plain.Migration {
			did = fmt.Sprintf("%s gives the %s to %s and %s gives it to %s %s.", p.A.Name, what, quoted(mine.Owner),
				p.B.Name, quoted(other.Owner), where)
		}
	case plain.Parent:
		did = fmt.Sprintf("%s and %s both add a migration that follows %s (%s and %s), so that there are two heads.",
			p.A.Name, p.B.Name, quoted(mine.Name), quoted(at), quoted(with))
		edit = "Let one of the two follow the other"
	case plain.Port:
		edit = "Give one of the two another port"
	}
	f := p.silentMerge(Place{Agent: p.A.Name, Path: at, Line: mine.Line, Symbol: mine.Name},
		Place{Agent: p.B.Name, Path: with, Line: other.Line, Symbol: other.Name}, "%s", did)
	f.Type, f.runtimeOnly = typeOfRole(mine.Role), true
	f.instruct(fmt.Sprintf("%s: %s:%d or %s:%d.", edit, quoted(at), mine.Line, quoted(with), other.Line))
	return f
}

// typeOfRole is API for what code and other programs know by name, FILE for what belongs to building and releasing.
func typeOfRole(role plain.Role) Type {
	switch role {
	case plain.Migration, plain.Parent, plain.Target, plain.Stage:
		return FileConflict
	}
	return APIConflict
}
