package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"delegate/conflict/code"
)

// jsonReader walks a JSON text without building it, and knows on which line it is.
type jsonReader struct {
	decoder *json.Decoder
	lines   lineCounter
}

// newJSONReader refuses texts that are not one JSON value, so that a walk can only fail on what the value is.
func newJSONReader(data []byte) (*jsonReader, error) {
	lines := lineCounter{data: data}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		at := 0
		if wrong := (*json.SyntaxError)(nil); errors.As(err, &wrong) {
			at = int(wrong.Offset) - 1
		}
		return nil, faultAt(lines.at(at), "JSON: %v", err)
	}
	return &jsonReader{decoder: json.NewDecoder(bytes.NewReader(data)), lines: lines}, nil
}

// line returns the line on which the next key or value begins.
func (r *jsonReader) line() int {
	at := int(r.decoder.InputOffset())
	for at < len(r.lines.data) && bytes.IndexByte([]byte(" \t\r\n,:"), r.lines.data[at]) >= 0 {
		at++
	}
	return r.lines.at(at)
}

// object calls visit with each key, the value of which visit must take.
// An absent object is null, or an empty list: PHP knows no difference between that and an empty object.
func (r *jsonReader) object(visit func(key string, line int) error) error {
	line := r.line()
	token, err := r.decoder.Token()
	switch {
	case err != nil:
		return err
	case token == nil:
		return nil
	case token != json.Delim('{') && (token != json.Delim('[') || r.decoder.More()):
		return faultAt(line, "%s where an object must be", jsonKind(token))
	}
	for r.decoder.More() {
		line := r.line()
		key, err := r.decoder.Token()
		if err != nil {
			return err
		}
		if err := visit(fmt.Sprint(key), line); err != nil {
			return err
		}
	}
	_, err = r.decoder.Token()
	return err
}

// list calls visit for each element, which visit must take. An absent list is null.
func (r *jsonReader) list(visit func(line int) error) error {
	line := r.line()
	token, err := r.decoder.Token()
	switch {
	case err != nil:
		return err
	case token == nil:
		return nil
	case token != json.Delim('['):
		return faultAt(line, "%s where a list must be", jsonKind(token))
	}
	for r.decoder.More() {
		if err := visit(r.line()); err != nil {
			return err
		}
	}
	_, err = r.decoder.Token()
	return err
}

func jsonKind(token json.Token) string {
	switch token {
	case json.Delim('{'):
		return "an object"
	case json.Delim('['):
		return "a list"
	}
	return fmt.Sprintf("%#v", token)
}

// take decodes the next value, on whose first line it blames all that is wrong in it.
func (r *jsonReader) take(into any) error {
	line := r.line()
	err := r.decoder.Decode(into)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		return faultAt(line, "a JSON %s is out of place", wrong.Value)
	}
	return err
}

// unused is a value that nobody wants.
type unused struct{}

// UnmarshalJSON leaves the value unread.
func (unused) UnmarshalJSON([]byte) error { return nil }

func (r *jsonReader) skip() error { return r.take(&unused{}) }

// jsonManifest describes the manifests that are an object with an object of requirements for each group.
type jsonManifest struct {
	ecosystem code.Ecosystem
	groups    map[string]string // by the key in the file
	fold      func(name string) string
}

func (m jsonManifest) read(data []byte) (code.Manifest, error) {
	f := code.Manifest{Ecosystem: m.ecosystem}
	r, err := newJSONReader(data)
	if err != nil {
		return f, err
	}
	return f, r.object(func(key string, _ int) error {
		group, known := m.groups[key]
		switch {
		case key == "name":
			err := r.take(&f.Name)
			f.Name = m.fold(f.Name)
			return err
		case !known:
			return r.skip()
		}
		return r.object(func(name string, line int) error {
			d := code.Dependency{Name: m.fold(name), Line: line}
			err := r.take(&d.Version)
			f.Add(group, d)
			return err
		})
	})
}
