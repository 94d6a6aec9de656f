package review

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"delegate/change"
)

// largest is how many bytes of a file are looked into.
const largest = 1 << 20

// work is a request on its way through the rules.
type work struct {
	Request
	hunks map[string][]change.Hunk // by the path in the result, as far as asked for
}

// version is a changed text file as it was and as it is.
type version struct {
	change.File
	old, new []byte
	hunks    []change.Hunk
}

// isText reports files and links whose content is text as far as git could tell.
func isText(f change.File) bool { return !f.Binary && f.NewMode != change.ModeSubmodule }

// each calls look with every file that the result has and that is text of a size that is looked into.
func (w *work) each(look func(version)) error {
	for _, f := range w.Changes {
		if f.NewMode == 0 || !isText(f) || !fs.ValidPath(f.Path) {
			continue
		}
		v, ok, err := w.version(f)
		if err != nil {
			return err
		}
		if ok {
			look(v)
		}
	}
	return nil
}

// version reads both sides of a file; false if the new one is too large.
// An old one that is too large counts as empty, so that all lines count as new.
func (w *work) version(f change.File) (v version, ok bool, err error) {
	v = version{File: f}
	if v.new, ok, err = w.text(w.After, f.Path); err != nil || !ok {
		return v, false, err
	}
	if v.old, err = w.before(f); err != nil {
		return v, false, err
	}
	hunks, known := w.hunks[f.Path]
	if !known {
		hunks = change.Hunks(v.old, v.new)
		w.hunks[f.Path] = hunks
	}
	v.hunks = hunks
	return v, true, nil
}

// before is a changed file's earlier text: empty for one that was not there, was no text or was too large.
func (w *work) before(f change.File) ([]byte, error) {
	if f.OldMode == 0 || f.OldMode == change.ModeSubmodule || !fs.ValidPath(f.BasePath()) {
		return nil, nil
	}
	data, ok, err := w.text(w.Before, f.BasePath())
	if !ok {
		data = nil
	}
	return data, err
}

// text reads a file; false if it is larger than what is looked into.
func (w *work) text(tree fs.FS, name string) (data []byte, ok bool, err error) {
	file, err := tree.Open(name)
	if err != nil {
		return nil, false, fmt.Errorf("open %q: %w", name, err)
	}
	data, err = io.ReadAll(io.LimitReader(file, largest+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, false, fmt.Errorf("read %q: %w", name, err)
	}
	return data, len(data) <= largest, nil
}

// block is a run of lines that the change adds.
type block struct {
	text []byte
	line int // of its first one
}

// added are the file's new and changed lines, run by run.
func (v version) added() []block {
	var all []block
	rest, line := v.new, 1
	for _, h := range v.hunks {
		if h.NewLines == 0 {
			continue
		}
		_, rest = cutLines(rest, h.NewStart-line)
		var text []byte
		text, rest = cutLines(rest, h.NewLines)
		all = append(all, block{text, h.NewStart})
		line = h.NewStart + h.NewLines
	}
	return all
}

// cutLines splits data behind its first n lines.
func cutLines(data []byte, n int) (head, rest []byte) {
	at := 0
	for ; n > 0; n-- {
		end := bytes.IndexByte(data[at:], '\n')
		if end < 0 {
			return data, nil
		}
		at += end + 1
	}
	return data[:at], data[at:]
}
