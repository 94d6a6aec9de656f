package registry

import (
	"reflect"
	"strings"
	"testing"
)

func TestEncode(t *testing.T) {
	tests := []struct{ value, want string }{
		{"plain words", "plain words"},
		{"two\nlines\r\n", `two<br>lines\r<br>`},
		{"\ta\tb\t", `\ta` + "\t" + `b\t`},
		{"a<br>b", `a\<br>b`},
		{"a\\\nb", `a\\<br>b`},
		{`C:\new`, `C:\\new`},
		{"# heading", `\# heading`},
		{"a # b", "a # b"},
		{"<!-- comment", `\<!-- comment`},
		{"a < b", "a < b"},
		{" padded ", `\u{20}padded\u{20}`},
		{"bell\a", `bell\u{7}`},
		{"\u202egnp.exe", `\u{202E}gnp.exe`},
		{"a\u200bb\u00ad 👨\u200d👩", "a\\u{200B}b\\u{AD} 👨\u200d👩"},
		{"\xff", `\xFF`},
		{"grün", "grün"},
	}
	for _, test := range tests {
		if got := encode(test.value, ""); got != test.want {
			t.Errorf("encode(%q) = %q, want %q", test.value, got, test.want)
		}
		if got := decode(test.want); got != test.value {
			t.Errorf("decode(%q) = %q, want %q", test.want, got, test.value)
		}
	}
}

// A line end is read in the form of earlier versions, too.
func TestDecodeOfEarlierLineEnds(t *testing.T) {
	if got := decode(`two\nlines`); got != "two\nlines" {
		t.Errorf("read as %q", got)
	}
}

// What people write is read as it looks.
func TestDecodeOfHandwriting(t *testing.T) {
	for _, s := range []string{`C:\path`, `\d+`, `ends with \`, `\x4`, `\xZZ`, `\u{zz}`, `\u{110000}`, `\u{20`} {
		if got := decode(s); got != s {
			t.Errorf("decode(%q) = %q", s, got)
		}
	}
}

func TestLists(t *testing.T) {
	tests := []struct {
		items []string
		want  string
	}{
		{[]string{"src/**", "test/**"}, "src/**, test/**"},
		{[]string{"src/{a,b}/**"}, "src/{a,b}/**"},
		{[]string{"a,b", "c"}, `a\,b, c`},
		{[]string{"{a,b", "c}"}, `\{a\,b, c\}`},
		{[]string{`\{a,b}`}, `\\{a,b}`},
		{[]string{" a", "b, c"}, `\u{20}a, b\,\u{20}c`},
	}
	for _, test := range tests {
		if got := encodeList(test.items); got != test.want {
			t.Errorf("encodeList(%q) = %q, want %q", test.items, got, test.want)
		}
		if got := decodeList(test.want); !reflect.DeepEqual(got, test.items) {
			t.Errorf("decodeList(%q) = %q, want %q", test.want, got, test.items)
		}
	}
	if got := decodeList("a,b ,, {c,d"); !reflect.DeepEqual(got, []string{"a", "b", "{c", "d"}) {
		t.Errorf("unbalanced list = %q", got)
	}
}

func TestDetails(t *testing.T) {
	tests := []struct{ details, by, want string }{
		{"done", "jane", "done (by jane)"},
		{"", "jane", "(by jane)"},
		{"done (by jane)", "", `done \(by jane)`},
		{"(by a (by b)", "", `\(by a \(by b)`},
		{"done", "jane (ops)", `done (by jane \(ops\))`},
		{"done", "a (by b", `done (by a \(by b)`},
		{"a | b", "", `a \| b`},
		{"done (by x)", "y", "done (by x) (by y)"},
	}
	for _, test := range tests {
		got := encodeDetails(test.details, test.by)
		if got != test.want {
			t.Errorf("encodeDetails(%q, %q) = %q, want %q", test.details, test.by, got, test.want)
		}
		if details, by := decodeDetails(got); details != test.details || by != test.by {
			t.Errorf("decodeDetails(%q) = %q, %q", got, details, by)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a\n| b", "x (by y)", `\u{20}`)
	f.Add("{a,b", "}", "None")
	f.Add("## AGT-001", "<!--", "\xff\x00")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		for _, also := range []string{"", "|"} {
			enc := encode(a, also)
			if decode(enc) != a {
				t.Errorf("decode(%q) = %q, want %q", enc, decode(enc), a)
			}
			if strings.ContainsAny(enc, "\n\r") || trim(enc) != enc || strings.HasPrefix(enc, "#") ||
				strings.Contains(enc, "<!--") {
				t.Errorf("encode(%q) = %q leaves its line", a, enc)
			}
		}
		var want []string
		for _, item := range []string{a, b, c} {
			if item != "" {
				want = append(want, item)
			}
		}
		if got := decodeList(encodeList([]string{a, b, c})); !reflect.DeepEqual(got, want) {
			t.Errorf("list %q reads back as %q from %q", want, got, encodeList(want))
		}
		e := Event{Time: start(), Kind: Kind(a), Agent: b, Details: c, By: a}
		if a == "" || modern(a) != Kind(a) {
			return
		}
		p := &parser{}
		n := &node{text: formatRow(e, 1), line: 1}
		p.row(n, splitCells(n.text))
		if len(p.faults) > 0 || n.event != e {
			t.Errorf("row %q reads back as %+v, want %+v %v", n.text, n.event, e, p.faults)
		}
	})
}
