package conflict

import (
	"path"
	"slices"
	"strings"

	"delegate/conflict/internal/plain"
)

// demandedColumns reports columns that each row has to give a value since the side's change, or keys that a schema
// demands, where the user newly writes a row or data without it.
func (g *goneWords) demandedColumns() error {
	for _, f := range g.removed {
		for _, d := range f.demands {
			uses, err := g.rowsWithout(d)
			if err != nil {
				return err
			}
			if d.Of != nil {
				g.tellDemanded(f, d, uses)
				continue
			}
			at := Place{Agent: g.by.set.Name, Path: f.file.Path, Line: d.Line, Symbol: d.Table + "." + d.Column}
			finding := g.suspect(APIConflict, at, uses,
				"%s demands a value of %[3]s in each row, and %[2]s newly writes one without.", quoted(at.Symbol))
			finding.runtimeOnly = true
			finding.instruct("Give " + quoted(d.Column) + " a value at " + placesOf(uses) + ".")
		}
	}
	return nil
}

func (g *goneWords) tellDemanded(f *plainFile, d plain.Demand, uses []Use) {
	at := Place{Agent: g.by.set.Name, Path: f.file.Path, Line: d.Line, Symbol: d.Column}
	finding := g.suspect(APIConflict, at, uses,
		"%s lets %[3]s demand the key %[4]s, and %[2]s newly writes data without.", quoted(f.file.Path),
		quoted(d.Column))
	finding.runtimeOnly = true
	finding.instruct("Give " + quoted(d.Column) + " a value at " + placesOf(uses) + ".")
}

// isHeldTo reports whether new data is held to a schema: it names that, or the side gives what is demanded to other
// data in its folder.
func (g *goneWords) isHeldTo(d plain.Demand, f *plainFile, text string) bool {
	return strings.Contains(text, d.Table) || slices.ContainsFunc(g.removed, func(o *plainFile) bool {
		beside := path.Dir(o.file.Path) == path.Dir(f.file.Path) && path.Base(o.file.Path) != d.Table
		if !beside || o.file.OldMode == 0 {
			return false
		}
		old, oldErr := g.takes.plainText(g.takes.set.BaseFS, o.file.BasePath(), o.file.OldMode)
		new, newErr := g.takes.plainText(g.takes.set.HeadFS, o.file.Path, o.file.NewMode)
		return oldErr == nil && newErr == nil && plain.Mentions(string(new), d.Column) &&
			!plain.Mentions(string(old), d.Column)
	})
}

// rowsWithout are the user's new rows without a value of a column, or new data without a key.
func (g *goneWords) rowsWithout(d plain.Demand) (uses []Use, err error) {
	for _, f := range g.written {
		if !g.pair.stays(f.file.Path) {
			continue
		}
		data, err := g.writes.plainText(g.writes.set.HeadFS, f.file.Path, f.file.NewMode)
		if err != nil {
			return nil, err
		}
		line := d.Lacking(string(data), f.isNew)
		if line > 0 && (d.Of == nil || g.isHeldTo(d, f, string(data))) {
			uses = append(uses, freshWord{plain.Word{Text: d.Table, Line: line}, f}.use())
		}
	}
	return uses, nil
}
