package conflict

import (
	"delegate/conflict/internal/plain"
)

// demandedColumns reports columns that each row has to give a value since the side's change, where the user newly
// writes a row without it.
func (g *goneWords) demandedColumns() error {
	for _, f := range g.removed {
		for _, d := range f.demands {
			uses, err := g.rowsWithout(d)
			if err != nil {
				return err
			}
			at := Place{Agent: g.by.set.Name, Path: f.file.Path, Line: d.Line, Symbol: d.Table + "." + d.Column}
			g.tell(neededColumn, at, uses, "what", quoted(at.Symbol), "column", quoted(d.Column))
		}
	}
	return nil
}

// rowsWithout are the user's new rows without a value of a column.
func (g *goneWords) rowsWithout(d plain.Demand) (uses []Use, err error) {
	for _, f := range g.written {
		if !g.pair.stays(f.file.Path) {
			continue
		}
		data, err := g.writes.plainText(g.writes.set.HeadFS, f.file.Path, f.file.NewMode)
		if err != nil {
			return nil, err
		}
		if line := d.Lacking(string(data), f.isNew); line > 0 {
			uses = append(uses, freshWord{plain.Word{Text: d.Table, Line: line}, f}.use())
		}
	}
	return uses, nil
}
