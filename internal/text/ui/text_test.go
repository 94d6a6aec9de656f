package ui_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"delegate/internal/text/ui"
)

func TestClean(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"plain":                   {"añ 世界\n\tx", "añ 世界\n\tx"},
		"colour":                  {"\x1b[1;31mred\x1b[0m", "red"},
		"cursor":                  {"a\x1b[2J\x1b[Hb", "ab"},
		"title":                   {"a\x1b]0;title\ab", "ab"},
		"title with terminator":   {"a\x1b]0;title\x1b\\b", "ab"},
		"link":                    {"\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text"},
		"device control":          {"a\x1bPq#0\x1b\\b", "ab"},
		"one-byte introducer":     {"a\u009b31mb\u009d0;t\u009cc", "abc"},
		"character set":           {"\x1b(0x", "x"},
		"reset":                   {"a\x1bcb", "ab"},
		"carriage return":         {"good\rbad\r\n", "goodbad\n"},
		"backspace, bell, delete": {"a\b\a\x7fb", "ab"},
		"title without end":       {"a\x1b]0;shown\nnext", "a]0;shown\nnext"},
		"sequence without end":    {"a\x1b[31\nb", "a[31\nb"},
		"escape at the end":       {"a\x1b", "a"},
		"not UTF-8":               {"a\xff\x9bb", "a\uFFFD\uFFFDb"},
		"reversed":                {"a\u202egpj.exe\u2066", "agpj.exe"},
		"family":                  {"👨\u200d👩", "👨\u200d👩"},
		"hidden":                  {"p\u200ba\u00ady\ufeff \u200fto\U000e0041\u2028b", "pay tob"},
		"number sign":             {"\u0601٢", "\u0601٢"},
		"nested":                  {"\x1b[\x1b[31m1m", "[1m"},
	} {
		if got := ui.Clean(c.in); got != c.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", name, c.in, got, c.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\x1b[31mb", "\x1b]0;t\a", "\x1b]0;t\x1b\\", "\u009b1m", "\x1b\x1b[[mm", "\xff\x1b",
		"\x1bP\n\x1b\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := ui.Clean(s)
		if !utf8.ValidString(got) {
			t.Errorf("Clean(%q) = %q is not UTF-8", s, got)
		}
		for _, r := range got {
			if ui.Acts(r) {
				t.Errorf("Clean(%q) = %q keeps %q", s, got, r)
			}
		}
		if again := ui.Clean(got); again != got {
			t.Errorf("Clean(%q) = %q, and once more %q", s, got, again)
		}
		if strings.Count(got, "\n") != strings.Count(s, "\n") {
			t.Errorf("Clean(%q) = %q swallows a line", s, got)
		}
	})
}

func TestHiddenCharactersAreEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"plain, ä → 漢 \U0001f600":           "plain, ä → 漢 \U0001f600",
		"\u202edlrow\u2069":                 `\u202edlrow\u2069`,
		"\u200b\u00ad\ufeff":                `\u200b\u00ad\ufeff`,
		"\x7f\u0085\u2028\u2029":            `\u007f\u0085\u2028\u2029`,
		"\U000e0041\ufe0f\U000e0100":        `\udb40\udc41\ufe0f\udb40\udd00`,
		`kept as it is: \u202e \\ \"quoted`: `kept as it is: \u202e \\ \"quoted`,
	} {
		if got := ui.CleanJSON(text); got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
}

func FuzzNothingIsHidden(f *testing.F) {
	for _, text := range []string{"", "plain ä → 漢", "\x1b[2J\a\x00", "\u202eevil\u2069", "a\u200bb\u2028c",
		"tag \U000e0041", "flag \ufe0f", `\u0000 "quoted" \`, "\xff\xfe"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		document, err := json.Marshal(map[string]string{"say": text})
		if err != nil {
			t.Skip()
		}
		shown := ui.CleanJSON(string(document))
		var before, after map[string]string
		if json.Unmarshal(document, &before) != nil || json.Unmarshal([]byte(shown), &after) != nil ||
			before["say"] != after["say"] {
			t.Errorf("%q became %q", before["say"], after["say"])
		}
		if strings.ContainsFunc(shown, ui.Acts) || !utf8.ValidString(shown) {
			t.Errorf("hidden in %q", shown)
		}
	})
}

func TestTable(t *testing.T) {
	header := []string{"Agent", "Status", "Subtask"}
	for name, c := range map[string]struct {
		header []string
		rows   [][]string
		width  int
		want   string
	}{
		"aligned": {header, [][]string{{"AGT-001", "RUNNING", "Limiter core"}, {"AGT-002", "MERGED", ""}}, 0,
			"Agent    Status   Subtask\nAGT-001  RUNNING  Limiter core\nAGT-002  MERGED\n"},
		"cut": {header, [][]string{{"AGT-001", "RUNNING", "Limiter core"}}, 24,
			"Agent    Status   Subta…\nAGT-001  RUNNING  Limit…\n"},
		"exactly fits": {[]string{"A", "B"}, [][]string{{"1", "four"}}, 7, "A  B\n1  four\n"},
		"too narrow":   {[]string{"A", "B"}, [][]string{{"long one", "four"}}, 4, "A         B\nlong one  …\n"},
		"wide and combining": {nil, [][]string{{"世界", "x"}, {"e\u0301", "y"}}, 0,
			"世界  x\ne\u0301     y\n"},
		"wide cut":   {nil, [][]string{{"a", "世界世界"}}, 8, "a  世界…\n"},
		"short rows": {nil, [][]string{{"a"}, {"b", "c", "d"}}, 0, "a\nb  c  d\n"},
		"coloured": {nil, [][]string{{"\x1b[32mok\x1b[0m", "x"}, {"failed", "y"}}, 0,
			"\x1b[32mok\x1b[0m      x\nfailed  y\n"},
		"coloured, cut": {nil, [][]string{{"a", "\x1b[32mlong text\x1b[0m"}}, 8, "a  \x1b[32mlong…\x1b[0m\n"},
		"hostile":       {nil, [][]string{{"a\nb\tc", "\x1b[2Jx\r"}}, 0, "a b c  x\n"},
		"empty":         {nil, nil, 80, ""},
	} {
		var b strings.Builder
		ui.Table(&b, c.header, c.rows, c.width)
		if b.String() != c.want {
			t.Errorf("%s:\n%q, want\n%q", name, b.String(), c.want)
		}
	}
}

func TestGraphemes(t *testing.T) {
	firm := func(text string, columns int) ui.Grapheme { return ui.Grapheme{Text: text, Columns: columns} }
	doubtful := func(text string, columns int) ui.Grapheme {
		return ui.Grapheme{Text: text, Columns: columns, Doubtful: true}
	}
	for text, want := range map[string][]ui.Grapheme{
		"":                       nil,
		"ab":                     {firm("a", 1), firm("b", 1)},
		"e\u0301x":               {firm("e\u0301", 1), firm("x", 1)},
		"q\u0302\u0304漢\u3099":   {firm("q\u0302\u0304", 1), firm("漢\u3099", 2)},
		"\u0301a":                {firm("\u0301", 0), firm("a", 1)},
		"\x1b[31me\x1b[0m\u0301": {firm("\x1b[31m", 0), firm("e", 1), firm("\x1b[0m", 0), firm("\u0301", 0)},
		"\n\u0301\t":             {firm("\n", 1), firm("\u0301", 0), firm("\t", 1)},
		"👩\u200d💻👩":              {doubtful("👩\u200d💻", 2), firm("👩", 2)},
		"👩\u200dx":               {doubtful("👩\u200d", 2), firm("x", 1)},
		"👍\U0001f3fd!":           {doubtful("👍\U0001f3fd", 2), firm("!", 1)},
		"1\ufe0f\u20e3❤\ufe0f❤\ufe0e": {doubtful("1\ufe0f\u20e3", 2), doubtful("❤\ufe0f", 2),
			doubtful("❤\ufe0e", 1)},
		"🇩🇪🇫🇷🇪":   {doubtful("🇩🇪", 2), doubtful("🇫🇷", 2), doubtful("🇪", 1)},
		"काम":     {doubtful("का", 2), firm("म", 1)},
		"한":       {firm("한", 2)},
		"\u0601٢": {doubtful("\u0601", 1), firm("٢", 1)},
		"a" + strings.Repeat("\u0301", 40): {firm("a"+strings.Repeat("\u0301", 32), 1),
			firm(strings.Repeat("\u0301", 8), 0)},
		"\xffa": {firm("\xff", 1), firm("a", 1)},
	} {
		got := slices.Collect(ui.Graphemes(text))
		columns, all := 0, ""
		for _, l := range got {
			columns, all = columns+l.Columns, all+l.Text
		}
		if !slices.Equal(got, want) || all != text || ui.Columns(text) != columns {
			t.Errorf("the letters of %q, %d columns, are\n%+v, want\n%+v", text, ui.Columns(text), got, want)
		}
	}
	if got := ui.Cut("👩\u200d💻👩\u200d💻👩\u200d💻", 5); got != "👩\u200d💻👩\u200d💻…" {
		t.Errorf("cut inside of a letter: %q", got)
	}
}

func TestStyleOff(t *testing.T) {
	var s ui.Style
	if got := s.Bold("a") + s.Red("b") + s.Green("c") + s.Yellow("d") + s.Dim("e"); got != "abcde" {
		t.Errorf("a style that is off gives %q", got)
	}
}
