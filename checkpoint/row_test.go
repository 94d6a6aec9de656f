package checkpoint_test

import (
	"slices"
	"testing"

	"delegate/checkpoint"
)

func TestRows(t *testing.T) {
	change := func(path string, a checkpoint.Action) checkpoint.Change {
		return checkpoint.Change{Path: path, Action: a}
	}
	files := func(pairs ...string) map[string]checkpoint.Action {
		m := map[string]checkpoint.Action{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = checkpoint.Action(pairs[i+1])
		}
		return m
	}
	done := checkpoint.Block{Status: checkpoint.Complete,
		Tests: checkpoint.Tests{Executed: true, Result: checkpoint.Pass}}
	for name, c := range map[string]struct {
		changes []checkpoint.Change
		e       checkpoint.Evidence
		want    []checkpoint.Row
	}{
		"all agree": {[]checkpoint.Change{change("`a.go`", checkpoint.Created)},
			checkpoint.Evidence{Files: files("a.go", "created"), TestsSeen: true}, []checkpoint.Row{
				{checkpoint.RowFile, "a.go", "created", "created", false},
				{checkpoint.RowTests, "", "PASS", "a test run", false}}},
		"all differ": {[]checkpoint.Change{change("a", checkpoint.Created), change("b", checkpoint.Modified)},
			checkpoint.Evidence{Files: files("a", "modified", "c", "deleted")}, []checkpoint.Row{
				{checkpoint.RowFile, "a", "created", "modified", true}, {checkpoint.RowFile, "b", "modified", "", true},
				{checkpoint.RowFile, "c", "", "deleted", true},
				{checkpoint.RowTests, "", "PASS", "no test run", true}}},
		"a folder": {[]checkpoint.Change{change("src/", checkpoint.Modified)},
			checkpoint.Evidence{Files: files("src/a", "modified", "src/b", "created"), TestsSeen: true},
			[]checkpoint.Row{
				{checkpoint.RowFile, "src/a", "in src", "modified", false},
				{checkpoint.RowFile, "src/b", "in src", "created", false},
				{checkpoint.RowTests, "", "PASS", "a test run", false}}},
		"nothing done": {nil, checkpoint.Evidence{TestsSeen: true}, []checkpoint.Row{
			{checkpoint.RowTests, "", "PASS", "a test run", false},
			{checkpoint.RowWork, "", "COMPLETE", "no changes", true}}},
	} {
		b := done
		b.Changes = c.changes
		got := checkpoint.Compare(b.Claim(), c.e)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: rows %+v, want %+v", name, got, c.want)
		}
	}
}
