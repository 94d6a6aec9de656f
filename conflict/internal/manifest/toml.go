package manifest

import (
	"bytes"
	"errors"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// deepestTOML limits what goes into one another, which the parser follows by recursion.
const deepestTOML = 100

type itemKind int

const (
	textItem itemKind = iota
	tableItem
	listItem
	otherItem // numbers, truth values and times
)

// item is a value of a TOML document. Nil stands for an absent one.
type item struct {
	kind  itemKind
	name  string // the key in the table above, also of the elements of a list
	text  string // of a text; of others as written
	line  int    // on which its key, or the element of a list, begins
	items []*item
	// closed tables have had a header of their own, or stand in braces.
	closed bool
}

// field returns the item of the path below a table.
func (i *item) field(path ...string) *item {
	for _, name := range path {
		if i == nil || i.kind != tableItem {
			return nil
		}
		at := slices.IndexFunc(i.items, func(f *item) bool { return f.name == name })
		if at < 0 {
			return nil
		}
		i = i.items[at]
	}
	return i
}

// value returns the text of the item of the path, "" if there is none.
func (i *item) value(path ...string) string {
	if f := i.field(path...); f != nil && f.kind == textItem {
		return f.text
	}
	return ""
}

// is reports whether the item of the path is the truth value true.
func (i *item) is(path ...string) bool {
	f := i.field(path...)
	return f != nil && f.kind == otherItem && f.text == "true"
}

// fields returns what is in a table; absent tables are empty.
func (i *item) fields() ([]*item, error) { return i.inner(tableItem, "a table") }

// elements returns what is in a list; absent lists are empty.
func (i *item) elements() ([]*item, error) { return i.inner(listItem, "a list") }

func (i *item) inner(kind itemKind, words string) ([]*item, error) {
	if i == nil {
		return nil, nil
	}
	if i.kind != kind {
		return nil, faultAt(i.line, "%q is not %s", i.name, words)
	}
	return i.items, nil
}

// tomlBuilder makes a tree of a TOML document.
type tomlBuilder struct {
	parser unstable.Parser
	lines  lineCounter
	// known finds what tables hold, which can be many.
	known map[childKey]*item
	keep  []string
}

type childKey struct {
	table *item
	name  string
}

// parseTOML returns the document as a table. Given names to keep, it leaves out what has others.
func parseTOML(data []byte, keep ...string) (*item, error) {
	if line := tooDeep(data); line > 0 {
		return nil, faultAt(line, "more than %d brackets are open", deepestTOML)
	}
	b := tomlBuilder{lines: lineCounter{data: data}, known: map[childKey]*item{}, keep: keep}
	b.parser.Reset(data)
	root := &item{kind: tableItem, line: 1}
	table := root
	for b.parser.NextExpression() {
		var err error
		node := b.parser.Expression()
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			table, err = b.header(root, node)
		case unstable.KeyValue:
			err = b.keyValue(table, node)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := b.parser.Error(); err != nil {
		return nil, b.fault(err)
	}
	return root, nil
}

// fault puts an error of the parser in its place.
func (b *tomlBuilder) fault(err error) error {
	at := len(b.parser.Data())
	if wrong := (*unstable.ParserError)(nil); errors.As(err, &wrong) {
		at = int(b.parser.Range(wrong.Highlight).Offset)
	}
	return faultAt(b.lines.at(at), "TOML: %v", err)
}

// header opens the table of a [header] or a [[header]]; nil if it is not kept.
func (b *tomlBuilder) header(root *item, node *unstable.Node) (*item, error) {
	kind := tableItem
	if node.Kind == unstable.ArrayTable {
		kind = listItem
	}
	table, err := b.descend(root, node.Key(), kind)
	if table == nil || err != nil {
		return nil, err
	}
	line := b.keyLine(node.Key())
	if kind == listItem {
		element := &item{kind: tableItem, line: line, closed: true}
		table.items = append(table.items, element)
		return element, nil
	}
	if table.closed {
		return nil, faultAt(line, "table %q is given twice", table.name)
	}
	table.closed = true
	return table, nil
}

// keyValue adds a key with its value to the table, which is nil if it is not kept.
func (b *tomlBuilder) keyValue(table *item, node *unstable.Node) error {
	if table == nil {
		return nil
	}
	made, err := b.descend(table, node.Key(), textItem)
	if made == nil || err != nil {
		return err
	}
	return b.fill(made, node.Value())
}

// keyLine returns the line on which a key begins, which has one part at least.
func (b *tomlBuilder) keyLine(key unstable.Iterator) int {
	key.Next()
	return b.lines.at(int(key.Node().Raw.Offset))
}

// descend goes down a dotted key from a table, making tables as needed, and returns the item of the last part:
// for a text a new one, for a table or a list the one that is there or a new one. It is nil if it is not kept.
func (b *tomlBuilder) descend(at *item, key unstable.Iterator, kind itemKind) (*item, error) {
	line := b.keyLine(key)
	for depth := 0; key.Next(); depth++ {
		name, last := string(key.Node().Data), key.IsLast()
		if depth == deepestTOML {
			return nil, faultAt(line, "a key of more than %d parts", deepestTOML)
		}
		if len(b.keep) > 0 && !slices.Contains(b.keep, name) {
			return nil, nil
		}
		want := tableItem
		if last {
			want = kind
		}
		next := b.known[childKey{at, name}]
		switch {
		case next == nil:
			next = &item{kind: want, name: name, line: line}
			b.known[childKey{at, name}] = next
			at.items = append(at.items, next)
		case last && (want == textItem || next.kind != want), !last && next.kind != tableItem && next.kind != listItem:
			return nil, faultAt(line, "%q is given twice, first on line %d", name, next.line)
		}
		if at = next; !last && at.kind == listItem && len(at.items) > 0 {
			at = at.items[len(at.items)-1]
		}
	}
	return at, nil
}

// fill gives a new item the value of a node.
func (b *tomlBuilder) fill(made *item, value *unstable.Node) error {
	made.text = string(value.Data)
	switch value.Kind {
	case unstable.String:
		return nil
	case unstable.InlineTable:
		made.kind, made.closed = tableItem, true
		for children := value.Children(); children.Next(); {
			if err := b.keyValue(made, children.Node()); err != nil {
				return err
			}
		}
		return nil
	case unstable.Array:
		made.kind = listItem
		return b.fillList(made, value)
	}
	made.kind = otherItem
	return nil
}

func (b *tomlBuilder) fillList(list *item, value *unstable.Node) error {
	for children := value.Children(); children.Next(); {
		node, line := children.Node(), list.line
		// Others say nothing about their place.
		if node.Kind == unstable.String || node.Kind == unstable.InlineTable {
			line = b.lines.at(int(node.Raw.Offset))
		}
		element := &item{name: list.name, line: line}
		if err := b.fill(element, node); err != nil {
			return err
		}
		list.items = append(list.items, element)
	}
	return nil
}

// tooDeep returns the line on which more brackets are open than the parser shall follow, 0 if there is none.
// It agrees with the parser about strings and comments up to the first fault, and there the parser stops.
func tooDeep(data []byte) int {
	depth := 0
	for at := 0; at < len(data); at++ {
		switch data[at] {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		case '#':
			if end := bytes.IndexByte(data[at:], '\n'); end >= 0 {
				at += end
			} else {
				return 0
			}
		case '"', '\'':
			at = stringEnd(data, at)
		}
		if depth > deepestTOML {
			lines := lineCounter{data: data}
			return lines.at(at)
		}
	}
	return 0
}

// stringEnd returns where the last quote of the string is that begins at the offset, or the last byte before the fault.
func stringEnd(data []byte, at int) int {
	quote := data[at]
	long := bytes.Repeat([]byte{quote}, 3)
	isLong := bytes.HasPrefix(data[at:], long)
	if isLong {
		at += len(long) - 1
	}
	for at++; at < len(data); at++ {
		switch {
		case data[at] == '\\' && quote == '"':
			at++
		case !isLong && (data[at] == quote || data[at] == '\n'):
			return at
		case isLong && bytes.HasPrefix(data[at:], long):
			// Up to two quotes may stand in front of the three that end the string.
			for at += len(long) - 1; bytes.HasPrefix(data[at+1:], long[:1]); at++ {
			}
			return at
		}
	}
	return at
}
