package checkpoint

import "strings"

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
	c := choose(cell,
		"CREATED", "CREATE", "ADDED", "ADD", "NEW", "A",
		"MODIFIED", "MODIFY", "UPDATED", "UPDATE", "CHANGED", "EDITED", "M",
		"DELETED", "DELETE", "REMOVED", "REMOVE", "D")
	switch c.value {
	case "CREATED", "CREATE", "ADDED", "ADD", "NEW", "A":
		return Created, c.verdict
	case "MODIFIED", "MODIFY", "UPDATED", "UPDATE", "CHANGED", "EDITED", "M":
		return Modified, c.verdict
	case "DELETED", "DELETE", "REMOVED", "REMOVE", "D":
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
