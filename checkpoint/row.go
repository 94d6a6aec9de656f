package checkpoint

import (
	"maps"
	"slices"
)

// Row is one thing that an agent claims or the evidence shows, with the other beside it.
// Claimed or Seen is empty where one side has nothing to say.
type Row struct {
	Kind RowKind `json:"kind"`
	// Path is that of a file, "" for all other kinds.
	Path    string `json:"path"`
	Claimed string `json:"claimed"`
	Seen    string `json:"seen"`
	// Differs says that the evidence does not bear the claim out, or that the claim is missing.
	Differs bool `json:"differs"`
}

// RowKind is what a row is about.
type RowKind string

// The kinds of rows.
const (
	RowFile  RowKind = "file"
	RowTests RowKind = "tests"
	RowWork  RowKind = "work" // the work as a whole
)

// Rows puts a claim beside the evidence: its files by path, then its tests, then a completion without any change.
// Exactly those rows differ for which Compare gives a Discrepancy.
func Rows(c Claim, e Evidence) []Row {
	seen := e.paths()
	claims, covered := c.byPath(e, seen)
	all := map[string]Row{}
	for _, f := range seen {
		r := Row{Kind: RowFile, Path: f, Seen: string(e.seen(f, claims[f]))}
		switch actions := claims[f]; {
		case actions != nil:
			r.Claimed, r.Differs = orChanged(words(actions)), !allows(actions, e.seen(f, actions))
		case covered[f] != "":
			r.Claimed = "in " + covered[f]
		case e.Files[f] == "":
			continue
		case !c.NoList && e.mayBeUnlisted(f):
			r.Claimed = "in an earlier report"
		default:
			r.Differs = !c.NoList
		}
		all[f] = r
	}
	for name, actions := range claims {
		if _, known := all[name]; !known {
			all[name] = Row{Kind: RowFile, Path: name, Claimed: orChanged(words(actions)), Differs: true}
		}
	}
	var rows []Row
	for _, name := range slices.Sorted(maps.Keys(all)) {
		rows = append(rows, all[name])
	}
	tests := Row{Kind: RowTests, Claimed: c.Tests.word(), Seen: "no test run", Differs: c.Tests.claimed() &&
		!e.TestsSeen}
	if e.TestsSeen {
		tests.Seen = "a test run"
	}
	rows = append(rows, tests)
	if c.Done != "" && len(e.Files) == 0 {
		rows = append(rows, Row{Kind: RowWork, Claimed: c.Done, Seen: "no changes", Differs: true})
	}
	return rows
}

// claimed reports whether it is said that tests were run.
func (t Tests) claimed() bool { return t.Executed || t.Result == Pass || t.Result == Fail }

// word is what is said of the tests.
func (t Tests) word() string {
	switch {
	case t.Result != "":
		return string(t.Result)
	case t.Executed:
		return "executed"
	}
	return "not run"
}
