package change_test

import (
	"strings"
	"testing"

	"delegate/change"
)

// marked writes a line with its spans in brackets.
func marked(line string, spans []change.Span) string {
	var b strings.Builder
	at := 0
	for _, s := range spans {
		b.WriteString(line[at:s.Start] + "[" + line[s.Start:s.End] + "]")
		at = s.End
	}
	return b.String() + line[at:]
}

func TestWords(t *testing.T) {
	for name, c := range map[string]struct{ old, new, inOld, inNew string }{
		"equal":    {"a b", "a b", "a b", "a b"},
		"one word": {"return count + 1", "return total + 1", "return [count] + 1", "return [total] + 1"},
		"whole words only": {"x := parseLine(text)", "x := parseLines(text)", "x := [parseLine](text)",
			"x := [parseLines](text)"},
		"inserted":  {"f(a, b)", "f(ctx, a, b)", "f(a, b)", "f([ctx, ]a, b)"},
		"taken out": {"f(ctx, a, b)", "f(a, b)", "f([ctx, ]a, b)", "f(a, b)"},
		"two words side by": {"the old words here stay", "the new text here stay", "the [old words] here stay",
			"the [new text] here stay"},
		"blanks": {"\tx = 1", "\t\tx = 1", "[\t]x = 1", "[\t\t]x = 1"},
		"not in ASCII": {"größe = 1 // ändern", "größe = 2 // ändern", "größe = [1] // ändern",
			"größe = [2] // ändern"},
		"nothing in common": {"alpha beta", "gamma delta", "alpha beta", "gamma delta"},
		"only a bracket":    {"x := compute(first)", "}", "x := compute(first)", "}"},
		"one side empty":    {"", "text", "", "text"},
		"very long": {strings.Repeat("x ", 600), strings.Repeat("x ", 600) + "y", strings.Repeat("x ", 600),
			strings.Repeat("x ", 600) + "y"},
		"bytes, not letters": {"a\xff b c d", "a\xfe b c d", "a[\xff] b c d", "a[\xfe] b c d"},
	} {
		inOld, inNew := change.Words(c.old, c.new)
		if got := marked(c.old, inOld); got != c.inOld {
			t.Errorf("%s: old %q, want %q", name, got, c.inOld)
		}
		if got := marked(c.new, inNew); got != c.inNew {
			t.Errorf("%s: new %q, want %q", name, got, c.inNew)
		}
	}
}

// FuzzWords holds that what is not marked is the same on both sides, blanks aside, and that spans are in order.
func FuzzWords(f *testing.F) {
	f.Add("a b c", "a x c")
	f.Add("\xff b", "b \xfe")
	f.Add("f(a,  b)", "f( a, b )")
	f.Fuzz(func(t *testing.T, old, new string) {
		inOld, inNew := change.Words(old, new)
		if len(inOld)+len(inNew) == 0 {
			return
		}
		if a, b := rest(t, old, inOld), rest(t, new, inNew); strings.Join(strings.Fields(a),
			"") != strings.Join(strings.Fields(b), "") {
			t.Errorf("unmarked parts %q and %q differ", a, b)
		}
	})
}

// rest is a line without its spans.
func rest(t *testing.T, line string, spans []change.Span) string {
	t.Helper()
	var b strings.Builder
	at := 0
	for _, s := range spans {
		if s.Start < at || s.End <= s.Start || s.End > len(line) {
			t.Fatalf("spans %v of %q", spans, line)
		}
		b.WriteString(line[at:s.Start])
		at = s.End
	}
	return b.String() + line[at:]
}

// TestColoredDiff is the diff as a person sees it; brackets stand for marks, letters for colours.
func TestColoredDiff(t *testing.T) {
	old := "keep\nreturn count + 1\nsecond line of it\ngone\n" + "tail\n"
	new := "keep\nreturn total + 1\nsecond row of it\n" + "tail\nmore" + strings.Repeat("!", 5000) + "\n"
	f := change.File{Path: "f", Kind: change.Modified, OldMode: change.ModeFile, NewMode: change.ModeExecutable,
		OldID: "aaaaaaaaaa", NewID: "bbbbbbbbbb"}
	got := diff(t, f, old, new, change.DiffOptions{Color: change.Colored})
	got = strings.NewReplacer("\x1b[1m", "H:", "\x1b[36m", "@:", "\x1b[31m", "R:", "\x1b[32m", "G:", "\x1b[7m", "[",
		"\x1b[27m", "]", "\x1b[m", ".", strings.Repeat("!", 3995), "!").Replace(got)
	want := "H:--- a/f.\nH:+++ b/f.\n@:@@ -1,5 +1,5 @@.\n keep\n" +
		"R:-return [count] + 1.\nR:-second [line] of it.\nR:-gone.\nG:+return [total] + 1.\nG:+second [row] of it.\n " +
		"tail\nG:+more!… (1005 bytes more).\n"
	if got != want {
		t.Errorf("diff:\n%s\nwant:\n%s", got, want)
	}
}
