package page

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"delegate/change"
	"delegate/internal/control/session"
	"delegate/internal/git/objects"
	"delegate/internal/view/overview"
	"delegate/internal/view/report"
)

// fileView is one changed file as the page shows it.
type fileView struct {
	report.File
	look
	N       int    // its place among those of the look, from 1
	Content string // names both versions
	Version string // names the new one
	Viewed  bool
	Open    bool
	Read    bool // its lines are here
	All     bool // as many of them as there may be at all
	Drafts  int
	Rows    []lineView
	Pairs   []pairView
	Above   []commentView // comments on lines that are not here
}

// lineView is a line with what was said of it.
type lineView struct {
	report.Line
	Key      string // n12: line 12 of the new version, o9: line 9 of the old
	Asked    bool   // a comment on it is being written
	Comments []commentView
	in       *fileView
}

// File is where the line is.
func (l lineView) File() *fileView { return l.in }

// Number is the line's, in the version that has it.
func (l lineView) Number() int { return cmp.Or(l.New, l.Old) }

// pairView is a line of the old version beside one of the new; either may be missing.
type pairView struct {
	Old, New *lineView
	Where    *lineView // what stands between
}

// commentView is a comment beside the work as it is now.
type commentView struct {
	session.Comment
	Draft bool
	Now   int    // on which line it stands now, 0: its line is changed or gone
	State string // what became of the line, in words
	in    *fileView
}

// File is what the comment is about.
func (c commentView) File() *fileView { return c.in }

// unchanged is what became of a line that is as it was.
const unchanged = "not changed since"

// contentOf names what a file's two versions hold.
func contentOf(f change.File) string { return f.OldID + "-" + f.NewID }

// versionOf names what a file's new version holds: who has seen that has viewed the file, whatever it was compared
// with.
func versionOf(f change.File) string { return cmp.Or(f.NewID, "gone") }

// read fills in a file's lines, with the comments on them.
func (f *fileView) read(ctx context.Context, o *objects.Reader, kept session.Review) {
	change := f.File.File
	old, err := overview.Side(ctx, o, change.OldMode, change.OldID)
	var now []byte
	if err == nil {
		now, err = overview.Side(ctx, o, change.NewMode, change.NewID)
	}
	f.Read, f.Drafts = true, 0
	if err != nil {
		f.File = report.Unread(change, err)
		return
	}
	most := report.Extent{Content: 8 << 20, Lines: 1000, Line: 1000, Bytes: 256 << 10}
	if f.All { // somebody asked for the whole of it
		most = report.Extent{Content: 8 << 20, Lines: 20_000, Line: 4000, Bytes: 4 << 20}
	}
	f.File = report.NewFile(change, old, now, most)
	for _, l := range f.Lines {
		row := lineView{Line: l, in: f}
		switch {
		case l.New > 0:
			row.Key = fmt.Sprintf("n%d", l.New)
		case l.Old > 0:
			row.Key = fmt.Sprintf("o%d", l.Old)
		}
		f.Rows = append(f.Rows, row)
	}
	for _, c := range kept.DraftsOf(f.ID) {
		f.say(commentView{Comment: c, Draft: true, Now: c.Line})
	}
	for _, c := range kept.SentTo(f.ID) {
		if c.Path == f.Path || c.Path == f.OldPath {
			f.say(f.traced(ctx, o, c, now))
		}
	}
	if f.Split {
		f.pair()
	}
}

// traced says what became of the line of a comment that was sent.
func (f *fileView) traced(ctx context.Context, o *objects.Reader, c session.Comment, now []byte) commentView {
	v := commentView{Comment: c, Now: c.Line, State: unchanged}
	current := f.NewID
	if c.Removed {
		current = f.OldID
	}
	if c.Content == current {
		return v
	}
	then, err := o.Blob(ctx, c.Content)
	if c.Removed || err != nil || f.NewID == "" {
		v.Now, v.State = 0, "the file has changed since"
		return v
	}
	v.Now = c.Line
	for _, h := range change.Hunks(then, now) {
		if c.Line < h.OldStart {
			break
		}
		if c.Line < h.OldStart+h.OldLines {
			v.Now, v.State = min(h.NewStart, max(1, h.NewStart+h.NewLines-1)), "changed since"
			return v
		}
		v.Now += h.NewLines - h.OldLines
	}
	return v
}

// say puts a comment below its line, or above them all if that is not among those shown.
func (f *fileView) say(c commentView) {
	if c.Path != f.Path && c.Path != f.OldPath {
		return
	}
	c.in = f
	if c.Draft {
		f.Drafts++
	}
	for i := range f.Rows {
		l := &f.Rows[i]
		if c.Now > 0 && (c.Removed && l.Old == c.Now && l.New == 0 || !c.Removed && l.New == c.Now) {
			l.Comments = append(l.Comments, c)
			return
		}
	}
	f.Above = append(f.Above, c)
}

// pair sets lines that took each other's place side by side.
func (f *fileView) pair() {
	rows := f.Rows
	for i := 0; i < len(rows); {
		l := &rows[i]
		if l.Sort == report.Same || l.Sort == report.Where {
			p := pairView{Old: l, New: l}
			if l.Sort == report.Where {
				p = pairView{Where: l}
			}
			f.Pairs = append(f.Pairs, p)
			i++
			continue
		}
		first := i
		for i < len(rows) && rows[i].Sort == report.Old {
			i++
		}
		middle := i
		for i < len(rows) && rows[i].Sort == report.New {
			i++
		}
		for n := range max(middle-first, i-middle) {
			var p pairView
			if first+n < middle {
				p.Old = &rows[first+n]
			}
			if middle+n < i {
				p.New = &rows[middle+n]
			}
			f.Pairs = append(f.Pairs, p)
		}
	}
}

// has says whether a file's path or one of its changed lines has the words, whatever their letters' case.
func (f *fileView) has(words string) bool {
	words = strings.ToLower(words)
	if strings.Contains(strings.ToLower(f.Path+"\n"+f.OldPath), words) {
		return true
	}
	for _, l := range f.Lines {
		if (l.Sort == report.Old || l.Sort == report.New) && strings.Contains(strings.ToLower(l.Text), words) {
			return true
		}
	}
	return false
}
