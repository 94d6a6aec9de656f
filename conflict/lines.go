package conflict

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"delegate/change"
)

// action is what one side does to one file.
type action struct {
	file change.File
	// spans are the lines in question, in the side's head:
	// those that the side changed or, if apart is set, those in which two files without a common origin differ.
	spans []span
	apart bool
}

// span is a range of lines in a side's head; both ends belong to it.
type span struct{ first, last int }

// lineChoice says which of a file's changed lines a finding names.
type lineChoice int

const (
	anywhere    lineChoice = iota // all of them
	overlapping                   // those that touch a change of the other side, or all if none does
)

// actions pairs up the files of the two sides and finds their lines.
func (p Pair) actions(ours, theirs []change.File, r lineChoice) (a, b []action, err error) {
	a, b = bare(ours), bare(theirs)
	for i := range a {
		for j := range b {
			if !intersects(touches(a[i].file), touches(b[j].file)) {
				continue
			}
			compare := p.changedSpans
			if apart(a[i].file, b[j].file) {
				compare, a[i].apart, b[j].apart = p.headSpans, true, true
			}
			left, right, err := compare(a[i].file, b[j].file, r)
			if err != nil {
				return nil, nil, err
			}
			a[i].spans, b[j].spans = join(a[i].spans, left), join(b[j].spans, right)
		}
	}
	return a, b, nil
}

func bare(files []change.File) []action {
	actions := make([]action, len(files))
	for i, f := range files {
		actions[i].file = f
	}
	return actions
}

func join(a, b []span) []span {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y span) int { return x.first - y.first })
	return slices.Compact(all)
}

// apart reports whether two files that want one path do not come from the same file of the base.
func apart(a, b change.File) bool {
	return a.BasePath() != b.BasePath() || a.Kind == change.Added || b.Kind == change.Added
}

// changedSpans finds the lines that the two sides change in a file they both come from.
func (p Pair) changedSpans(a, b change.File, r lineChoice) (ours, theirs []span, err error) {
	left, leftErr := p.ours.changed(a)
	right, rightErr := p.theirs.changed(b)
	if err := errors.Join(leftErr, rightErr); err != nil {
		return nil, nil, err
	}
	if r == overlapping && p.A.Base == p.B.Base {
		left, right = overlappingHunks(left, right)
	}
	of := func(hunks []change.Hunk) (spans []span) {
		for _, h := range hunks {
			spans = append(spans, lineSpan(h.NewStart, h.NewLines))
		}
		return spans
	}
	return of(left), of(right), nil
}

// headSpans finds the lines in which the heads of the two sides differ.
func (p Pair) headSpans(a, b change.File, _ lineChoice) (ours, theirs []span, err error) {
	left, okLeft, leftErr := text(p.A.Name, p.A.HeadFS, a.Path, a.NewMode)
	right, okRight, rightErr := text(p.B.Name, p.B.HeadFS, b.Path, b.NewMode)
	if err := errors.Join(leftErr, rightErr); err != nil {
		return nil, nil, err
	}
	if a.Path != b.Path || !okLeft || !okRight {
		return nil, nil, nil
	}
	for _, h := range change.Hunks(left, right) {
		ours = append(ours, lineSpan(h.OldStart, h.OldLines))
		theirs = append(theirs, lineSpan(h.NewStart, h.NewLines))
	}
	return ours, theirs, nil
}

// changed are the hunks of a file of the side's, which many pairs may ask for; none if either version is no text.
func (l *layout) changed(f change.File) ([]change.Hunk, error) {
	if known, ok := l.hunks[f]; ok || f.OldID != "" && f.OldID == f.NewID {
		return known, nil
	}
	s := l.set
	old, okOld, oldErr := text(s.Name, s.BaseFS, f.BasePath(), f.OldMode)
	new, okNew, newErr := text(s.Name, s.HeadFS, f.Path, f.NewMode)
	if err := errors.Join(oldErr, newErr); err != nil {
		return nil, err
	}
	if okOld && okNew {
		l.hunks[f] = l.memory.hunks(f, old, new)
	}
	return l.hunks[f], nil
}

// largestText is the size up to which lines are looked for.
const largestText = 8 << 20

// text reads a file that has lines; ok is false for anything else and for files too large to compare.
func text(side string, files fs.FS, name string, mode uint32) (data []byte, ok bool, err error) {
	isFile := mode == change.ModeFile || mode == change.ModeExecutable
	if files == nil || !isFile || !fs.ValidPath(name) {
		return nil, false, nil
	}
	data, ok, err = readUpTo(side, files, name, largestText)
	return data, ok && !change.IsBinary(data), err
}

// readUpTo reads a file of at most so many bytes; ok is false for a larger one.
func readUpTo(side string, files fs.FS, name string, most int) (data []byte, ok bool, err error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, false, fmt.Errorf("open %q of %q: %w", name, side, err)
	}
	defer file.Close()
	if data, ok, err = readAllUpTo(file, most); err != nil {
		return nil, false, fmt.Errorf("read %q of %q: %w", name, side, err)
	}
	return data, ok, nil
}

// readAllUpTo is readUpTo of an open file.
func readAllUpTo(file fs.File, most int) (data []byte, ok bool, err error) {
	info, err := file.Stat()
	if err != nil {
		return nil, false, err
	}
	var all bytes.Buffer
	all.Grow(int(min(info.Size(), int64(most))) + bytes.MinRead)
	_, err = all.ReadFrom(io.LimitReader(file, int64(most)+1))
	return all.Bytes(), all.Len() <= most, err
}

// overlappingHunks keeps the changes of either side that overlap or adjoin one of the other in the
// common base, since git sees no common line between those. If there are none, which happens when
// git aligned the lines differently, all are kept.
func overlappingHunks(a, b []change.Hunk) (ours, theirs []change.Hunk) {
	touching := func(of, others []change.Hunk) []change.Hunk {
		return slices.DeleteFunc(slices.Clone(of), func(h change.Hunk) bool {
			return !slices.ContainsFunc(others, func(o change.Hunk) bool {
				return h.OldStart <= o.OldStart+o.OldLines && o.OldStart <= h.OldStart+h.OldLines
			})
		})
	}
	if ours = touching(a, b); len(ours) == 0 {
		return a, b
	}
	return ours, touching(b, a)
}

// lineSpan is the span of a hunk's side; where the side has no lines, the line that follows stands for them.
func lineSpan(start, lines int) span { return span{start, start + max(lines, 1) - 1} }

// places is where the side acts: at each span's first line, or the file as a whole.
func places(side string, actions []action) []Place {
	var all []Place
	for _, a := range actions {
		if len(a.spans) == 0 {
			all = append(all, Place{Agent: side, Path: a.file.Path})
		}
		for _, s := range a.spans {
			all = append(all, Place{Agent: side, Path: a.file.Path, Line: s.first})
		}
	}
	return all
}
