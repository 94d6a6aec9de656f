package git

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"delegate/change"
)

func written(text string) *answer { return &answer{Reader: bufio.NewReader(strings.NewReader(text))} }

// write is the answer of git merge-tree in a batch, with what it puts behind the messages.
func write(m Merged, end string) string {
	var b strings.Builder
	b.WriteString(map[bool]string{true: "1", false: "0"}[m.Clean] + "\x00" + m.Tree + "\x00")
	for _, s := range m.Stages {
		fmt.Fprintf(&b, "%06o %s %d\t%s\x00", s.Mode, s.ID, s.Number, s.Path)
	}
	b.WriteByte(0)
	for _, message := range m.Messages {
		fmt.Fprintf(&b, "%d\x00%s\x00%s\x00%s\n\x00", len(message.Paths), strings.Join(message.Paths, "\x00"),
			message.Type, message.Text)
	}
	b.WriteString(end + "\x00")
	return b.String()
}

// FuzzOutcome holds that answers are told apart whatever paths and messages are in them, and that
// none is believed that is cut off.
func FuzzOutcome(f *testing.F) {
	f.Add("path", "Auto-merging path", "", uint(0))
	f.Add("1\n:0 \t", "1", "advice\nin words\n", uint(3))
	f.Add("\xff", "CONFLICT (contents)", "0 and more", uint(40))
	f.Fuzz(func(t *testing.T, path, text, end string, cut uint) {
		for _, s := range []string{path, text, end} {
			if strings.Contains(s, "\x00") {
				t.Skip("no field holds a NUL")
			}
		}
		if path == "" || strings.TrimSpace(text) != text || end != "" && end[0] <= '9' {
			t.Skip("git writes no such thing")
		}
		id := strings.Repeat("a1", 20)
		want := []Merged{
			{Tree: id, Stages: []Stage{{Mode: 0o100644, ID: id, Number: 2, Path: path}},
				Messages: []Message{{Paths: []string{path, "b"}, Type: "CONFLICT (x)", Text: text}}},
			{Tree: id, Clean: true},
			{Tree: id, Clean: true, Messages: []Message{{Paths: []string{path}, Type: "other", Text: text}}},
		}
		full := write(want[0], end) + write(want[1], "") + write(want[2], end)
		a := written(full)
		for _, m := range want {
			if got := a.outcome(); a.err != nil || !reflect.DeepEqual(got, m) {
				t.Fatalf("%q:\n got %+v, %v\nwant %+v", full, got, a.err, m)
			}
		}
		if a.outcome(); !errors.Is(a.err, io.ErrUnexpectedEOF) {
			t.Errorf("behind the last answer: %v", a.err)
		}
		first := write(want[0], end)
		short := first[:cut%uint(len(first)-1)] // without the last NUL the end is still the end
		a = written(short)
		if got := a.outcome(); a.err == nil && end == "" {
			t.Errorf("%q is cut off, but gives %+v", short, got)
		}
	})
}

// FuzzOutcomeOfAnything holds that no answer brings the parsers down.
func FuzzOutcomeOfAnything(f *testing.F) {
	f.Add("-1\x00tree\x00\x00\x00")
	f.Add("1\x00tree\x00\x00" + "99999999999\x00a\x00")
	f.Add(":100644 100644 a b M\x00path\x001\t2\tpath\x00")
	f.Add(":100644 100644 a b R100\x00old\x00new\x00-\t-\t\x00old\x00new\x00")
	f.Fuzz(func(t *testing.T, text string) {
		a := written(text)
		if m := a.outcome(); a.err == nil && !strings.HasPrefix(text, "0\x00"+m.Tree) &&
			!strings.HasPrefix(text, "1\x00"+m.Tree) {
			t.Errorf("%q gives the tree %q", text, m.Tree)
		}
		a = written(text)
		if files := a.changes(); a.err == nil && len(files) > strings.Count(text, ":") {
			t.Errorf("%q gives %+v", text, files)
		}
		if head, err := parseHead(text, "name"); err == nil && head.size < 0 {
			t.Errorf("%q gives the size %d", text, head.size)
		}
	})
}

func TestChangesAreNotCutOff(t *testing.T) {
	id := strings.Repeat("a1", 20)
	full := ":100644 100755 " + id + " " + id + " R090\x00old\x00new\x00:100644 000000 " + id + " " +
		strings.Repeat("0", 40) + " D\x00gone\x00" +
		"3\t4\t\x00old\x00new\x00-\t-\tgone\x00"
	want := []change.File{
		{Path: "new", OldPath: "old", Kind: change.Renamed, OldMode: 0o100644, NewMode: 0o100755, OldID: id, NewID: id,
			Insertions: 3, Deletions: 4},
		{Path: "gone", Kind: change.Deleted, OldMode: 0o100644, OldID: id, Binary: true},
	}
	a := written(full)
	if got := a.changes(); a.err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, a.err, want)
	}
	for n := 1; n < len(full)-len("gone\x00"); n++ {
		a := written(full[:n])
		if got := a.changes(); a.err == nil {
			t.Errorf("%q is cut off, but gives %+v", full[:n], got)
		}
	}
}

// The records of one comparison are not taken for those of another.
func TestSpanIsTheOneThatWasAsked(t *testing.T) {
	id := strings.Repeat("a1", 20)
	record := ":100644 100644 " + id + " " + id + " M\x00path\x00"
	for text, want := range map[string]int{
		"base head\n": 0, "base head\n" + record + record: 2, "base head\n" + record + "head base\n" + record: 1,
		"head base\n" + record: -1, "base head": -1, record: -1, "": -1, "base head\n" + record[:9]: -1,
	} {
		a := written(text)
		files := a.span(Span{Base: "base", Head: "head"}, (*answer).records)
		if (a.err != nil) != (want < 0) || want >= 0 && len(files) != want {
			t.Errorf("%q gives %+v, %v", text, files, a.err)
		}
	}
}
