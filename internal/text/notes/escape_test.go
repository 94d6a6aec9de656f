package notes

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestBody(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", " \n\n", ""},
		{"plain", "\n\n  a\r\nb\rc  \n\n", "  a\nb\nc\n"},
		{"headings", "# a\n   ## b\n###### c\n#\n", "\\# a\n   \\## b\n\\###### c\n\\#\n"},
		{"no headings", "#a\n####### b\n    # c\n- # d\n", "#a\n####### b\n    # c\n- # d\n"},
		{"underlined", "a\n===\nb\n ---\nc\n| - |\n--- d", "a\n\\===\nb\n \\---\nc\n| - |\n--- d\n"},
		{"comment", "a <!-- b\n<!-- c", "a <\\!-- b\n<\\!-- c\n"},
		{"escaped comment", `\<!-- a`, `\<\!-- a` + "\n"},
		{"html", "<div>\n  </x>\n<?php\na < b <i>", "\\<div>\n  \\</x>\n\\<?php\na < b <i>\n"},
		{"code", "```sh\n# a\n## b\n---\n<!-- c\n```\n# d", "```sh\n# a\n\\## b\n---\n<!-- c\n```\n\\# d\n"},
		{"longer end", "~~~\n```\n~~\n~~~~~\n# a", "~~~\n```\n~~\n~~~~~\n\\# a\n"},
		{"code in a list", "- ```\n  # a\n\n  ```\n# b", "- ```\n  # a\n\n  ```\n\\# b\n"},
		{"no end", "a\n```\n# b\n~~~", "a\n\\```\n\\# b\n\\~~~\n"},
		{"no end but inside", "````\n```\n# a\n```", "\\````\n```\n# a\n```\n"},
		{"end outside of the list", "- ```\n  # a\n```\nb", "- \\```\n  \\# a\n\\```\nb\n"},
		{"end deeper", "  ```\n  a\n   ```\n  ```", "  \\```\n  a\n   \\```\n  \\```\n"},
		{"unseen", "a\x00\x1b[1m\u202e\ufeffb\u2028## c\xff", "ab\n\\## c\uFFFD\n"},
	}
	for _, test := range tests {
		if got := body(test.text, 1000); got != test.want {
			t.Errorf("%s: %q becomes\n%q, want\n%q", test.name, test.text, got, test.want)
		}
	}
}

func TestBodyIsCut(t *testing.T) {
	for name, text := range map[string]string{
		"lines": strings.Repeat("line\n", 100_000), "one line": strings.Repeat("ä", 100_000),
		"headings": strings.Repeat("#\n", 100_000),
		"fences":   strings.Repeat("~~~ x\n", 100_000), "code": "```\n" + strings.Repeat("## x\n", 100_000) + "```\n",
		"comments": strings.Repeat("<!--", 100_000),
	} {
		got := body(text, maxNote)
		if len(got) > maxNote || len(got) < maxNote/2 || !utf8.ValidString(got) ||
			!strings.HasSuffix(got, " bytes]\n") {
			t.Errorf("%s: %d bytes, ending in %q", name, len(got), got[max(0, len(got)-80):])
		}
	}
	if got := body(strings.Repeat("x", maxNote-1), maxNote); strings.Contains(got, "[cut") {
		t.Error("a text that fits is cut")
	}
}

// swallows says whether a text leaves a fence at the top level open: a second reading of the rules
// of Markdown, without lists.
func swallows(text string) bool {
	begins := regexp.MustCompile("^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$")
	open := ""
	for line := range strings.SplitSeq(text, "\n") {
		m := begins.FindStringSubmatch(line)
		switch {
		case m == nil:
		case open == "":
			open = m[1] + m[2]
		case strings.HasPrefix(m[1]+m[2], open) && strings.Trim(line, " \t") == m[1]+m[2]:
			open = ""
		}
	}
	return open != ""
}

func FuzzBody(f *testing.F) {
	f.Add("# a\n```\n## b\n~~~\n<!-- ", 100)
	f.Add("  ```\n\tx\n   ```\n```\n", 200)
	f.Add("````\n## \n\r```\n````", 70)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = max(cutRoom*2, most%maxNote)
		got := body(text, most)
		if len(got) > most || !utf8.ValidString(got) {
			t.Errorf("%d bytes of at most %d: %q", len(got), most, got)
		}
		if preamble, all := sections([]byte(got)); len(all) > 0 || string(preamble) != got {
			t.Errorf("%q begins a section", got)
		}
		if !strings.ContainsAny(text, "-*+") && swallows(got) {
			t.Errorf("%q leaves a fence open", got)
		}
	})
}

func FuzzSections(f *testing.F) {
	f.Add([]byte("# a\n## b\nc\n\n## d"), []byte("x\r\n## b\nother\n"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		preamble, all := sections(a)
		whole := string(preamble)
		for _, s := range all {
			whole += string(s)
		}
		if whole != string(a) {
			t.Errorf("%q is cut into %q", a, whole)
		}
		merged := join(a, b)
		if !strings.HasPrefix(string(merged), string(preamble)) || string(join(a, nil)) != string(a) {
			t.Errorf("%q does not begin with %q", merged, preamble)
		}
		for _, text := range [][]byte{a, b} {
			_, all := sections(text)
			for _, s := range all {
				if !strings.Contains(string(merged), strings.TrimSpace(string(s))) {
					t.Errorf("%q lost %q", merged, s)
				}
			}
		}
	})
}
