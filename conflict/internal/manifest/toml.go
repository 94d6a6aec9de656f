package manifest

import (
	"delegate/internal/text/lazyregexp"
	"errors"

	"github.com/pelletier/go-toml/v2/unstable"
)

// deepestTOML limits what goes into one another, which the parser follows by recursion.
const deepestTOML = 100

// tomlBuilder makes a tree of a TOML document.
type tomlBuilder struct {
	parser unstable.Parser
	lines  lineCounter
	// known finds what tables hold, which can be many.
	known map[childKey]*item
}

type childKey struct {
	table *item
	name  string
}

// parseTOML returns the document as a table.
func parseTOML(data []byte) (*item, error) {
	if line := tooDeep(data); line > 0 {
		return nil, faultAt(line, "more than %d brackets are open", deepestTOML)
	}
	b := tomlBuilder{lines: lineCounter{data: data}, known: map[childKey]*item{}}
	b.parser.Reset(data)
	root := &item{kind: tableItem, line: 1}
	table := root
	for b.parser.NextExpression() {
		var err error
		switch node := b.parser.Expression(); node.Kind {
		case unstable.Table:
			table, err = b.descend(root, node.Key(), tableItem)
			if err == nil && table.closed {
				err = faultAt(b.keyLine(node.Key()), "table %q is given twice", table.name)
			}
			if err == nil {
				table.closed = true
			}
		case unstable.ArrayTable:
			var list *item
			if list, err = b.descend(root, node.Key(), listItem); err == nil {
				line := b.keyLine(node.Key())
				table = &item{kind: tableItem, line: line, value: line, closed: true}
				list.items = append(list.items, table)
			}
		case unstable.KeyValue:
			err = b.keyValue(table, node)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := b.parser.Error(); err != nil {
		at := len(data)
		if wrong := (*unstable.ParserError)(nil); errors.As(err, &wrong) {
			at = int(b.parser.Range(wrong.Highlight).Offset)
		}
		return nil, faultAt(b.lines.at(at), "TOML: %v", err)
	}
	return root, nil
}

// keyValue adds a key with its value to the table.
func (b *tomlBuilder) keyValue(table *item, node *unstable.Node) error {
	made, err := b.descend(table, node.Key(), textItem)
	if err != nil {
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
// for a text a new one, for a table or a list the one that is there or a new one.
func (b *tomlBuilder) descend(at *item, key unstable.Iterator, kind itemKind) (*item, error) {
	line := b.keyLine(key)
	for depth := 0; key.Next(); depth++ {
		name, last := string(key.Node().Data), key.IsLast()
		if depth == deepestTOML {
			return nil, faultAt(line, "a key of more than %d parts", deepestTOML)
		}
		want := tableItem
		if last {
			want = kind
		}
		next := b.known[childKey{at, name}]
		switch {
		case next == nil:
			next = &item{kind: want, name: name, line: line, value: line}
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
	case unstable.InlineTable:
		made.kind, made.closed = tableItem, true
		for children := value.Children(); children.Next(); {
			if err := b.keyValue(made, children.Node()); err != nil {
				return err
			}
		}
	case unstable.Array:
		made.kind = listItem
		for children := value.Children(); children.Next(); {
			node, line := children.Node(), made.line
			// Others say nothing about their place.
			if node.Kind == unstable.String || node.Kind == unstable.InlineTable {
				line = b.lines.at(int(node.Raw.Offset))
			}
			element := &item{name: made.name, line: line, value: line}
			if err := b.fill(element, node); err != nil {
				return err
			}
			made.items = append(made.items, element)
		}
	default:
		made.kind = otherItem
	}
	return nil
}

// tomlBracket finds brackets, and the strings and comments in which they mean nothing.
// Up to two quotes may stand in front of the three that end a long string.
var tomlBracket = lazyregexp.New(`(?s)"""(?:\\.|[^\\])*?"{3,5}|'''.*?'{3,5}|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|` +
	`#[^\n]*|[\[{]|[]}]`)

// tooDeep returns the line on which more brackets are open than the parser shall follow, 0 if there is none.
func tooDeep(data []byte) int {
	depth, offset := 0, 0
	for {
		found := tomlBracket.Compiled().FindIndex(data[offset:])
		if found == nil {
			return 0
		}
		switch data[offset+found[0]] {
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		}
		if depth > deepestTOML {
			lines := lineCounter{data: data}
			return lines.at(offset + found[0])
		}
		offset += found[1]
	}
}
