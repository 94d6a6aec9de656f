package checkpoint

import (
	"slices"
	"strings"
)

// testFields reads the section about tests, whose lists may run over several lines.
type testFields struct {
	tests                             Tests
	executed, result, failed, details bool   // seen
	inFailed                          bool   // a line without a name belongs to Failed
	waiting                           string // the key whose value is on the next line, "" for none
}

func (b *body) testLine(text string, n int) {
	s := unbullet(strings.Trim(text, indent))
	if fence(s) {
		return
	}
	t := &b.tests
	l := labelOf(s)
	if l.level > 0 && l.value != "" {
		l.key = ""
	}
	if value, unticked := ticked(s); t.waiting != "" && !testKey(l.key) {
		switch {
		case unticked:
		case choose(value, "Y", "N", "YES", "NO", "TRUE", "FALSE", "PASS", "FAIL", "SKIPPED", "PASSED", "FAILED",
			"SKIP").verdict == invalid:
			t.waiting = ""
			t.addDetails(s)
		default:
			b.testValue(value, n)
		}
		return
	}
	b.endTests(n)
	switch l.key {
	case "executed", "tests run":
		b.once(&t.executed, l.key, n)
		t.waiting = l.key
	case "result":
		b.once(&t.result, l.key, n)
		t.waiting = l.key
	case "failed":
		b.once(&t.failed, l.key, n)
		b.addFailed(l.value, n)
	case "details":
		b.once(&t.details, l.key, n)
		t.addDetails(l.value)
	default:
		if t.inFailed {
			b.addFailed(s, n)
		} else {
			t.addDetails(s)
		}
		return
	}
	t.inFailed = l.key == "failed"
	if t.waiting != "" && l.value != "" {
		b.testValue(l.value, n)
	}
}

func testKey(key string) bool {
	return slices.Contains([]string{"executed", "tests run", "result", "failed", "details"}, key)
}

// testValue takes the value of the key that waits for one.
func (b *body) testValue(value string, n int) {
	key := b.tests.waiting
	b.tests.waiting = ""
	if key == "result" {
		b.result(value, n)
		return
	}
	b.executed(key, value, n)
}

// endTests gives up a key whose value did not come on the next line either.
func (b *body) endTests(n int) {
	if b.tests.waiting != "" {
		b.testValue("", n)
	}
}

func (b *body) once(seen *bool, key string, n int) {
	if *seen {
		b.fail(n, "field %q is there twice", key)
	}
	*seen = true
}

func (b *body) executed(key, value string, n int) {
	t := &b.tests
	c := choose(value, "Y", "N", "YES", "NO", "TRUE", "FALSE")
	switch {
	case c.verdict == several:
		b.template(n, "Executed lists both values")
	case c.verdict == chosen:
		t.tests.Executed = c.value[0] == 'Y' || c.value == "TRUE"
		t.addDetails(c.rest)
	case noneish(value) || value == "0":
	case key == "tests run":
		// The second form often counts or names the tests here.
		t.tests.Executed = true
		t.addDetails(value)
	default:
		b.fail(n, "Executed is %q, want Y or N", value)
	}
}

func (b *body) result(value string, n int) {
	c := choose(value, "PASS", "FAIL", "SKIPPED", "PASSED", "FAILED", "SKIP")
	switch {
	case c.verdict == several:
		b.template(n, "Result lists several values")
	case c.verdict == chosen:
		b.tests.tests.Result = Skipped
		switch c.value {
		case "PASS", "PASSED":
			b.tests.tests.Result = Pass
		case "FAIL", "FAILED":
			b.tests.tests.Result = Fail
		}
		b.tests.addDetails(c.rest)
	case !noneish(value):
		b.fail(n, "Result is %q, want PASS, FAIL or SKIPPED", value)
	}
}

func (b *body) addFailed(piece string, n int) {
	if strings.EqualFold(strings.Trim(piece, "[]"+blanks), "list if any") {
		b.template(n, "Failed is \"list if any\"")
		return
	}
	if piece != "0" {
		b.tests.tests.Failed = join(b.tests.tests.Failed, piece)
	}
}

func (t *testFields) addDetails(piece string) { t.tests.Details = join(t.tests.Details, piece) }

func join(a, b string) string {
	switch {
	case noneish(b):
		return a
	case a == "":
		return b
	}
	return a + "; " + b
}

// table collects the rows of Changes Made.
type table struct {
	seen    bool // a header, separator or row was there
	prose   int  // line of the first text that is no row, 0 for none
	bullet  int  // line of the first list item
	changes []Change
}

func (b *body) tableLine(text string, n int) {
	s := strings.Trim(text, indent)
	cells, pipes := splitCells(s)
	switch {
	case fence(s), noneish(s):
	case pipes > 0:
		b.tableRow(cells, n)
	case unbullet(s) != s:
		if b.table.bullet == 0 {
			b.table.bullet = n
		}
	case b.table.prose == 0:
		b.table.prose = n
	}
}

func (b *body) tableRow(cells []string, n int) {
	b.table.seen = true
	if len(cells) != 3 {
		b.fail(n, "table row has %d columns, want File, Action and Description (write a | inside a cell as \\|)",
			len(cells))
		return
	}
	if separatorRow(cells) || strings.EqualFold(strings.Trim(cells[1], emphasis+blanks), "action") {
		return
	}
	path := strings.Trim(cells[0], "`"+blanks)
	if noneish(path) && noneish(cells[1]) && (path != "" || noneish(cells[2])) {
		return
	}
	if path == "" {
		b.fail(n, "table row names no file")
		return
	}
	action, verdict := actionOf(cells[1])
	switch {
	case verdict == several:
		b.template(n, "Action lists all values")
	case verdict == invalid && renames(cells[1]):
		b.rename(cells, n)
	case verdict != chosen:
		b.fail(n, "action of %q is %q, want created, modified or deleted", path, cells[1])
	default:
		b.table.changes = append(b.table.changes, Change{Path: path, Action: action, Description: cells[2]})
	}
}

// rename turns a row "old -> new" into the two changes that git shows.
func (b *body) rename(cells []string, n int) {
	for _, arrow := range []string{"->", "→", "=>"} {
		from, to, found := strings.Cut(cells[0], arrow)
		from, to = strings.Trim(from, "`"+blanks), strings.Trim(to, "`"+blanks)
		if !found || from == "" || to == "" {
			continue
		}
		b.table.changes = append(b.table.changes,
			Change{Path: from, Action: Deleted, Description: cells[2]},
			Change{Path: to, Action: Created, Description: cells[2]})
		return
	}
	b.fail(n, "renamed file %q needs both names, as old -> new, or one row deleted and one row created", cells[0])
}

// endTable reports what only the whole section can show.
func (b *body) endTable() {
	t := b.table
	if t.bullet > 0 {
		b.fail(t.bullet, "Changes Made holds a list item, want table rows | File | Action | Description |")
	}
	if t.prose > 0 && !t.seen {
		b.fail(t.prose, "Changes Made holds text and no table, want rows | File | Action | Description |, or None")
	}
}

// splitCells cuts a row at its unescaped pipes; outer pipes are optional.
func splitCells(s string) (cells []string, pipes int) {
	rest, led := strings.CutPrefix(s, "|")
	if led {
		pipes++
	}
	var cell strings.Builder
	for i := 0; i < len(rest); i++ {
		switch {
		case rest[i] == '\\' && i+1 < len(rest) && rest[i+1] == '|':
			i++
			cell.WriteByte('|')
		case rest[i] == '|':
			pipes++
			cells = append(cells, strings.Trim(cell.String(), blanks))
			cell.Reset()
		default:
			cell.WriteByte(rest[i])
		}
	}
	if last := strings.Trim(cell.String(), blanks); last != "" || len(cells) == 0 {
		cells = append(cells, last)
	}
	return cells, pipes
}

func separatorRow(cells []string) bool {
	for _, c := range cells {
		if len(c) == 0 || strings.Trim(c, "-:") != "" || !strings.Contains(c, "-") {
			return false
		}
	}
	return true
}

func actionOf(cell string) (Action, verdict) {
	created := []string{"CREATED", "CREATE", "ADDED", "ADD", "NEW", "A"}
	modified := []string{"MODIFIED", "MODIFY", "UPDATED", "UPDATE", "CHANGED", "EDITED", "M"}
	deleted := []string{"DELETED", "DELETE", "REMOVED", "REMOVE", "D"}
	c := choose(cell, slices.Concat(created, modified, deleted)...)
	switch {
	case slices.Contains(created, c.value):
		return Created, c.verdict
	case slices.Contains(modified, c.value):
		return Modified, c.verdict
	case slices.Contains(deleted, c.value):
		return Deleted, c.verdict
	}
	if c.verdict == several && alternatives(cell, []string{"CREATED", "MODIFIED", "DELETED"}) < 3 {
		return "", ambiguous // two words for one file are a slip, not the template
	}
	return "", c.verdict
}

func renames(cell string) bool {
	return choose(cell, "RENAMED", "RENAME", "MOVED", "MOVE", "R").verdict == chosen
}
