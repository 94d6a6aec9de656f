package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

type itemKind int

const (
	textItem itemKind = iota
	tableItem
	listItem
	otherItem // numbers, truth values and times
	emptyItem // null, and an empty list
)

// item is a value of a document in JSON or TOML. Nil stands for an absent one.
type item struct {
	kind  itemKind
	name  string // the key in the table above, also of the elements of a list in TOML
	text  string // of a text; of others as written
	line  int    // on which its key, or the element of a list, begins
	value int    // on which its value begins
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

// textAt returns the text of the item of the path, "" if there is none.
func (i *item) textAt(path ...string) string {
	if f := i.field(path...); f != nil && f.kind == textItem {
		return f.text
	}
	return ""
}

// fields returns what is in a table; absent tables are empty.
func (r *reading) fields(table *item) []*item { return r.inner(table, tableItem, "a table") }

// elements returns what is in a list; absent lists are empty.
func (r *reading) elements(list *item) []*item { return r.inner(list, listItem, "a list") }

func (r *reading) inner(i *item, kind itemKind, words string) []*item {
	if i == nil || i.kind == emptyItem {
		return nil
	}
	if i.kind != kind {
		r.fail(i.value, "%q is not %s", i.name, words)
		return nil
	}
	return i.items
}

// text returns the text that an item has to be if it is there.
func (r *reading) text(i *item) string {
	if i == nil || i.kind == emptyItem {
		return ""
	}
	if i.kind != textItem {
		r.fail(i.value, "%q is not a text", i.name)
	}
	return i.text
}

// parseJSON returns the one value of a text.
func parseJSON(data []byte) (*item, error) {
	j := jsonParser{decoder: json.NewDecoder(bytes.NewReader(data)), lines: lineCounter{data: data}}
	j.decoder.UseNumber()
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		at := 0
		if wrong := (*json.SyntaxError)(nil); errors.As(err, &wrong) {
			at = int(wrong.Offset) - 1
		}
		return nil, faultAt(j.lines.at(at), "JSON: %v", err)
	}
	root := &item{}
	return root, j.fill(root)
}

// jsonParser makes a tree of a text that is one JSON value.
type jsonParser struct {
	decoder *json.Decoder
	lines   lineCounter
}

// line returns the line on which the next key or value begins.
func (j *jsonParser) line() int {
	rest := j.lines.data[j.decoder.InputOffset():]
	return j.lines.at(len(j.lines.data) - len(bytes.TrimLeft(rest, " \t\r\n,:")))
}

// fill gives an item the next value.
func (j *jsonParser) fill(made *item) error {
	made.value = j.line()
	if made.line == 0 {
		made.line = made.value
	}
	token, err := j.decoder.Token()
	switch t := token.(type) {
	case nil:
		made.kind = emptyItem
	case string:
		made.text = t
	case json.Delim:
		made.kind = tableItem
		if t == '[' {
			made.kind = listItem
		}
		for err == nil && j.decoder.More() {
			inner := &item{}
			if t == '{' {
				inner.line = j.line()
				key, _ := j.decoder.Token()
				inner.name = fmt.Sprint(key)
			}
			err = j.fill(inner)
			made.items = append(made.items, inner)
		}
		if len(made.items) == 0 && t == '[' {
			made.kind = emptyItem
		}
		if err == nil {
			_, err = j.decoder.Token()
		}
	default:
		made.kind, made.text = otherItem, fmt.Sprint(t)
	}
	return err
}
