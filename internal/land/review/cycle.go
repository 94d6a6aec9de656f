package review

import (
	"strings"

	"delegate/conflict/code"
)

// cycles says which imports close a cycle that the target does not have. Go does not compile one;
// elsewhere it can work by luck.
func cycles(w *work) ([]Remark, error) {
	found, err := w.Cycles()
	if err != nil {
		return nil, err
	}
	var remarks []Remark
	for _, c := range found {
		r := Remark{Severity: Warning, Path: c.Path, Line: c.Line}
		r.Text = "this import closes a cycle: " + strings.Join(append(c.Nodes, c.Nodes[0]), " → ")
		switch {
		case c.Conditional:
			r.Text += "; not every build has all of it"
		case c.Language == code.Go:
			r.Severity = Critical
			r.Text += "; Go does not compile it"
		}
		remarks = append(remarks, r)
	}
	return remarks, nil
}
