package objects

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"delegate/change"
	"delegate/internal/git"
)

// Lines are the lines that differ between two versions of files, as git.Repo.LineChanges finds them.
type Lines map[git.Versions][]change.Hunk

// Apart reports whether git puts together what two sides made of a file, without a conflict: in the base a line that
// neither of them changes lies between each two changes of different sides.
func (l Lines) Apart(base, ours, theirs string) bool {
	a, b := l[git.Versions{Old: base, New: ours}], l[git.Versions{Old: base, New: theirs}]
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].OldStart+a[0].OldLines < b[0].OldStart:
			a = a[1:]
		case b[0].OldStart+b[0].OldLines < a[0].OldStart:
			b = b[1:]
		default:
			return false
		}
	}
	return true
}

// Know has the Reader's merges put together the files that both sides change, as far as the lines say how.
func (o *Reader) Know(lines Lines) { o.lines = lines }

// Lines are what the Reader knows.
func (o *Reader) Lines() Lines { return o.lines }

// file is the entry of a file that both sides change and git puts together. Its id is of all three versions.
func (j *mergedFS) file(t stages) (git.Entry, bool) {
	base, ours, theirs := t[0], t[1], t[2]
	plain := base.Mode == change.ModeFile || base.Mode == change.ModeExecutable
	if !plain || ours.Mode != base.Mode || theirs.Mode != base.Mode ||
		!j.parts.objects.lines.Apart(base.ID, ours.ID, theirs.ID) {
		return git.Entry{}, false
	}
	return git.Entry{Mode: base.Mode, Path: base.Path, ID: base.ID + MergeSign + ours.ID + MergeSign + theirs.ID}, true
}

// combined is a file that was put together, by its id. What reads a file once asks for it more than once.
type combined struct {
	id   string
	data []byte
}

// join is the content by the id of a file that both sides change.
func (o *Reader) join(ctx context.Context, id string) ([]byte, error) {
	if o.whole.id == id {
		return o.whole.data, nil
	}
	ids := strings.Split(id, MergeSign)
	if len(ids) != 3 || !o.lines.Apart(ids[0], ids[1], ids[2]) {
		return nil, fmt.Errorf("merge %q: it is not known how: %w", id, git.ErrNoObject)
	}
	var texts [3]text
	for i, one := range ids {
		data, err := o.Blob(ctx, one)
		if err != nil {
			return nil, err
		}
		texts[i] = newText(data)
	}
	data, ok := texts[0].with([2][]change.Hunk{o.lines[git.Versions{Old: ids[0], New: ids[1]}],
		o.lines[git.Versions{Old: ids[0], New: ids[2]}]}, [2]text{texts[1], texts[2]})
	if !ok {
		return nil, fmt.Errorf("merge %q: it has fewer lines than git compared: %w", id, git.ErrNoObject)
	}
	o.whole = combined{id, data}
	return data, nil
}

// text is a file by its lines.
type text struct {
	data   []byte
	starts []int // of the lines, and the end
}

func newText(data []byte) text {
	t := text{data: data, starts: make([]int, 1, bytes.Count(data, []byte{'\n'})+2)}
	for at := 0; at < len(data); {
		if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
			at += n + 1
		} else {
			at = len(data)
		}
		t.starts = append(t.starts, at)
	}
	return t
}

// lines are those from one, which counts from 1, to before another.
func (t text) lines(from, to int) ([]byte, bool) {
	if from < 1 || to < from || to > len(t.starts) {
		return nil, false
	}
	return t.data[t.starts[from-1]:t.starts[to-1]], true
}

// with is the text with the changes of two sides, which are Apart.
func (t text) with(changes [2][]change.Hunk, sides [2]text) ([]byte, bool) {
	all, at, sound := make([]byte, 0, len(sides[0].data)+len(sides[1].data)), 1, true
	put := func(from text, first, end int) {
		data, ok := from.lines(first, end)
		all, sound = append(all, data...), sound && ok
	}
	for len(changes[0])+len(changes[1]) > 0 {
		next := 0
		if len(changes[0]) == 0 || len(changes[1]) > 0 && changes[1][0].OldStart < changes[0][0].OldStart {
			next = 1
		}
		h := changes[next][0]
		changes[next] = changes[next][1:]
		put(t, at, h.OldStart)
		put(sides[next], h.NewStart, h.NewStart+h.NewLines)
		at = h.OldStart + h.OldLines
	}
	put(t, at, len(t.starts))
	return all, sound
}
