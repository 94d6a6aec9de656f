package checkpoint

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func scanAll(t *testing.T, agent, text string) []Item {
	t.Helper()
	s := NewScanner(agent)
	return append(s.Feed([]byte(text)), s.Close()...)
}

// crlf writes every line end as carriage return and line feed.
func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

// eachLine puts text before and after every line.
func eachLine(s, before, after string) string {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, l := range lines {
		lines[i] = before + l + after
	}
	return strings.Join(lines, "\n") + "\n"
}

func ruled(s, rule string) string { return strings.ReplaceAll(s, headerRule, rule) }

// surroundings are B-3's ways to find a block, each holding canonicalText or what reads like it.
func surroundings() map[string]string {
	return map[string]string{
		"alone":           canonicalText,
		"prose":           "I am done.\n\n" + canonicalText + "\nBye.\n",
		"no last newline": strings.TrimSuffix(canonicalText, "\n"),
		"CRLF":            "hello\r\n" + crlf(canonicalText) + "bye\r\n",
		"double CR":       strings.ReplaceAll(canonicalText, "\n", "\r\r\n"),
		"progress line":   " 10%\r 20%\r100%\r" + canonicalText,
		"dots before":     "........" + canonicalText,
		"dots, CRLF":      "Working. . ." + crlf(canonicalText),
		"byte order mark": "\ufeff" + canonicalText,
		"code fence":      "```text\n" + canonicalText + "```\n",
		"indentation":     eachLine(canonicalText, "    ", ""),
		"tab":             eachLine(canonicalText, "\t", "  "),
		"quote":           eachLine(canonicalText, "> ", ""),
		"colour":          eachLine(canonicalText, "\x1b[1;32m", "\x1b[0m"),
		"colour in words": strings.NewReplacer("AGENT", "A\x1b[1mGENT\x1b[0m", "Status", "\x1b[38;5;4mSta\x1b[0mtus",
			"MERGE", "\x1b[7mMERGE\x1b[m").Replace(canonicalText),
		"title and link": "\x1b]0;title\x07" +
			strings.Replace(canonicalText, "src/b.go", "\x1b]8;;file:///b\x1b\\src/b.go\x1b]8;;\x1b\\", 1),
		"charset, cursor": strings.Replace(canonicalText, "AGENT CHECKPOINT",
			"\x1b(B\x1b[?25lAGENT\x1b[1CCHECKPOINT\x1b7", 1),
		"rule =":     ruled(canonicalText, "==="),
		"rule light": ruled(canonicalText, "────────────────"),
		"rule heavy": ruled(canonicalText, "━━━━━"),
		"rule -":     ruled(canonicalText, "-----"),
		"rule _":     ruled(canonicalText, "______"),
		"rule *":     ruled(canonicalText, "***"),
		"rule ~":     ruled(canonicalText, "~~~~"),
		"rule #":     ruled(canonicalText, "########"),
		"emphasised head": strings.Replace(canonicalText, "AGENT CHECKPOINT: AGT-001",
			"## **AGENT CHECKPOINT:** `AGT-001`", 1),
		"blank near head":  strings.Replace(canonicalText, "\nAGENT", "\n\nAGENT", 1),
		"rules between":    strings.ReplaceAll(ruled(canonicalText, "---"), "\n## ", "\n---\n\n## "),
		"other rules":      strings.ReplaceAll(canonicalText, "\n## ", "\n-----\n## "),
		"rule before text": "text\n---\nmore text\n===\n" + canonicalText,
	}
}

func TestSurroundings(t *testing.T) {
	for name, text := range surroundings() {
		t.Run(name, func(t *testing.T) {
			items := scanAll(t, "AGT-001", text)
			if len(items) != 1 || items[0].Kind != Valid {
				t.Fatalf("items are %+v", items)
			}
			got := items[0].Block
			want := canonicalBlock()
			if name == "double CR" {
				got.Questions = strings.ReplaceAll(got.Questions, "\n\n", "\n")
				want.Questions = strings.ReplaceAll(want.Questions, "\n\n", "\n")
				got.Questions = strings.ReplaceAll(got.Questions, "\n\n", "\n")
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			it := items[0]
			if lines := text[:strings.Index(text, "GENT")]; it.Line != strings.Count(lines, "\n")+1 {
				t.Errorf("line is %d", it.Line)
			}
		})
	}
}

type found struct {
	kind Kind
	line int
}

func kinds(items []Item) []found {
	var out []found
	for _, it := range items {
		out = append(out, found{it.Kind, it.Line})
	}
	return out
}

func TestSequences(t *testing.T) {
	head := headerRule + "\nAGENT CHECKPOINT: AGT-001\n" + headerRule + "\n"
	// After brink, a rule of 117 bytes and two line ends just fit into a block.
	brink := head + "Status: BLOCKED\n## Blockers\n"
	brink += strings.Repeat(strings.Repeat("x", 1022)+"\n", 255)
	for rest := maxBlock - len(brink) - 120; rest > 0; rest = maxBlock - len(brink) - 120 {
		brink += strings.Repeat("x", min(rest, 512)-1) + "\n"
	}
	big := strings.Repeat(strings.Repeat("x", 1000)+"\n", 300)
	for name, c := range map[string]struct {
		text   string
		want   []found
		reason string // in the first item
	}{
		"several": {canonicalText + "words\n" + canonicalText, []found{{Valid, 2}, {Valid, 35}}, ""},
		"shared rule": {canonicalText + strings.TrimPrefix(canonicalText, headerRule+"\n"),
			[]found{{Valid, 2}, {Valid, 33}}, ""},
		"foreign":               {reportText, []found{{OtherAgent, 2}}, `"AGT-002"`},
		"foreign and malformed": {strings.Replace(reportText, "PARTIAL", "x", 1), []found{{Malformed, 2}}, "Status"},
		"bad id": {strings.Replace(canonicalText, "AGT-001", "AGT-1", 1), []found{{Malformed, 2}},
			`"AGT-1"`},
		"no id": {strings.Replace(canonicalText, "AGT-001", "", 1), []found{{Malformed, 2}}, `""`},
		"id and words": {strings.Replace(canonicalText, "AGT-001", "AGT-001 (second)", 1),
			[]found{{Malformed, 2}}, "second"},
		"cut by the end": {head + "Status: COMPLETE\n## Changes Made\n| a | crea", []found{{Malformed, 2}},
			"line 6: cut off: the stream ends"},
		"cut by a header": {head + "Status: COMPLETE\n" + canonicalText, []found{{Malformed, 2}, {Valid, 6}},
			"line 6: cut off: a new header"},
		"cut by another rule": {head + "Status: COMPLETE\n" + ruled(canonicalText, "---"),
			[]found{{Malformed, 2}, {Valid, 6}}, "line 6: cut off: a new header"},
		"header twice": {head + head + "Status: BLOCKED\n" + headerRule, []found{{Malformed, 2}, {Valid, 5}},
			"cut off"},
		"no upper rule": {strings.TrimPrefix(canonicalText, headerRule+"\n"), []found{{Malformed, 1}},
			"line 1: the rule line above"},
		"no upper rule, cut": {"AGENT CHECKPOINT: AGT-001\n" + canonicalText, []found{{Malformed, 1}, {Valid, 3}},
			"line 3: cut off: a new header"},
		"no lower rule": {headerRule + "\nAGENT CHECKPOINT: AGT-001\nStatus: BLOCKED\n" + headerRule,
			[]found{{Malformed, 2}}, "line 2: the rule line below"},
		"no closing, too large": {head + "Status: BLOCKED\n## Blockers\n" + big + canonicalText,
			[]found{{Malformed, 2}, {Valid, 307}}, "larger than 256 KiB"},
		"long line inside": {head + "Status: BLOCKED\n" + strings.Repeat("y", 70<<10) + "\n" + headerRule + "\n" +
			canonicalText, []found{{Malformed, 2}, {Valid, 8}}, "line 5: a line is longer than 64 KiB"},
		"long line outside": {strings.Repeat("y", 70<<10) + "\n" + canonicalText, []found{{Valid, 3}}, ""},
		"long line, then large": {head + "Status: BLOCKED\n" + strings.Repeat("y", 300<<10), []found{{Malformed, 2}},
			"larger than 256 KiB"},
		"closed, then large": {head + "Status: BLOCKED\n" + headerRule + "\n" + strings.Repeat("y", 300<<10),
			[]found{{Valid, 2}}, ""},
		"closed, long blank": {head + "Status: BLOCKED\n" + headerRule + strings.Repeat("\n", 50) + "## Blockers\n",
			[]found{{Valid, 2}}, ""},
		"closed, then fence": {head + "Status: BLOCKED\n" + headerRule + "\n```\n## Blockers\nx\n", []found{{Valid, 2}},
			""},
		"seen section after": {head + "Status: BLOCKED\n## Blockers\nx\n" + headerRule + "\n## Blockers\nwords\n",
			[]found{{Valid, 2}}, ""},
		"rule at the limit": {brink + strings.Repeat("-", 117) + "\n\n" +
			strings.TrimPrefix(canonicalText, headerRule+"\n"), []found{{Malformed, 2}, {Valid, 265}},
			"larger than 256 KiB"},
		"header as text": {head + "Status: BLOCKED\n## Blockers\nI printed\nAGENT CHECKPOINT: AGT-001\nbefore\n" +
			headerRule, []found{{Valid, 2}}, ""},
		"prose about it":  {"---\nAGENT CHECKPOINT: is what to print\n---\nAGENT CHECKPOINT\n---\n", nil, ""},
		"rule far above":  {headerRule + strings.Repeat("\n", 20) + "AGENT CHECKPOINT: AGT-001\nwords\n", nil, ""},
		"header in prose": {"words\nAGENT CHECKPOINT: AGT-001\nwords\n", nil, ""},
		"status missing": {head + "Progress: 3%\n" + headerRule + "\nwords\n" + canonicalText,
			[]found{{Malformed, 2}, {Valid, 8}}, "line 2: Status is missing"},
		"open colour":   {"\x1b]0;never closed\n\x1b[31\n" + canonicalText, []found{{Valid, 4}}, ""},
		"invalid UTF-8": {head + "Status: BLOCKED\n## Blockers\n\xff\xfe\n" + headerRule, []found{{Valid, 2}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			items := scanAll(t, "AGT-001", c.text)
			if !reflect.DeepEqual(kinds(items), c.want) {
				t.Fatalf("items are %v, want %v", kinds(items), c.want)
			}
			if c.reason != "" && !strings.Contains(items[0].Reason, c.reason) {
				t.Errorf("reason is %q, want %q", items[0].Reason, c.reason)
			}
		})
	}
}

func TestCutOffKeepsWhatWasThere(t *testing.T) {
	first := strings.TrimSuffix(headerRule+"\nAGENT CHECKPOINT: AGT-001\n"+headerRule+"\nStatus: BLOCKED\n", "\n")
	items := scanAll(t, "AGT-001", "words\n"+first+"\n"+canonicalText)
	if len(items) != 2 || items[0].Kind != Malformed || items[1].Kind != Valid || items[1].Line != 7 {
		t.Fatalf("items are %+v", items)
	}
}

// A complete block must not wait for more output.
func TestImmediateItem(t *testing.T) {
	for name, text := range map[string]string{"canonical": canonicalText, "report": reportText} {
		s := NewScanner("")
		if items := s.Feed([]byte(text)); len(items) != 1 {
			t.Errorf("%s: %d items before the end", name, len(items))
		}
	}
}

// corpus is what the properties run over: every surrounding, every sequence of faults, in one stream each.
func corpus() []string {
	out := []string{
		canonicalText + reportText + templateText,
		headerRule + "\nAGENT CHECKPOINT: AGT-001\n" + headerRule + "\nStatus: BLOCKED\n" + canonicalText,
		"---\r\n\r\nAGENT CHECKPOINT: AGT-001\r---\rStatus: BLOCKED\r---\r\r\nwords",
		"AGENT CHECKPOINT: AGT-001\n---\nStatus: BLOCKED\n---\n## Request\nMERGE\n---\n---\n" +
			"AGENT CHECKPOINT: AGT-001\n",
		wrap("Status: BLOCKED\n## Blockers\n"+strings.Repeat(strings.Repeat("z", 999)+"\n", 300)) + canonicalText,
		wrap("Status: BLOCKED\n"+strings.Repeat("y", 66<<10)) + canonicalText,
	}
	for _, s := range surroundings() {
		out = append(out, s, s+s)
	}
	return out
}

func feedIn(text []byte, next func() int) []Item {
	s := NewScanner("AGT-001")
	var items []Item
	for len(text) > 0 {
		n := min(max(next(), 1), len(text))
		items = append(items, s.Feed(text[:n])...)
		text = text[n:]
	}
	return append(items, s.Close()...)
}

func TestChunking(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i, text := range corpus() {
		want := scanAll(t, "AGT-001", text)
		if got := feedIn([]byte(text), func() int { return 1 }); !reflect.DeepEqual(got, want) {
			t.Fatalf("corpus %d byte by byte: %v, want %v", i, kinds(got), kinds(want))
		}
		for range 5 {
			if got := feedIn([]byte(text), func() int { return rng.IntN(200) }); !reflect.DeepEqual(got, want) {
				t.Fatalf("corpus %d in random pieces: %v, want %v", i, kinds(got), kinds(want))
			}
		}
	}
}

func TestEndlessStreamKeepsMemory(t *testing.T) {
	s := NewScanner("")
	s.Feed([]byte(headerRule + "\nAGENT CHECKPOINT: AGT-001\n" + headerRule + "\nStatus: BLOCKED\n"))
	chunk := []byte(strings.Repeat("x", 1<<20))
	var items []Item
	for range 64 {
		items = append(items, s.Feed(chunk)...)
	}
	if len(items) != 1 || items[0].Kind != Malformed {
		t.Errorf("items are %v", kinds(items))
	}
	if kept := cap(s.cur) + cap(s.scratch); kept > 4*maxLine {
		t.Errorf("%d bytes kept", kept)
	}
}

func TestOrdinaryTextAllocatesNothing(t *testing.T) {
	s := NewScanner("")
	chunk := []byte(prose(64 << 10))
	s.Feed(chunk)
	if n := testing.AllocsPerRun(20, func() { s.Feed(chunk) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// prose is program output of about n bytes: sentences, paths, lists, colour, rules.
func prose(n int) string {
	lines := []string{
		"Reading the limiter and its callers before changing anything there.",
		"  - src/limit/bucket.go:42: func (b *Bucket) Take(n int) bool {",
		"\x1b[32m+\tif b.tokens < n { return false }\x1b[0m",
		"", "ok  \texample.com/limit\t0.012s", "----", "All callers pass a context; the error goes up as it is.",
		"│ naïve café │ 12 ms │",
	}
	var w strings.Builder
	for i := 0; w.Len() < n; i++ {
		w.WriteString(lines[i%len(lines)] + "\n")
	}
	return w.String()
}

// TestBareHeader holds that a block between whose lines something else stands, or that has no rules, is one that cannot
// be read, and that mentioning a header is none.
func TestBareHeader(t *testing.T) {
	noisy := eachLine("AGENT CHECKPOINT: AGT-001\n"+headerRule+"\n\nStatus: BLOCKED\nProgress: 50%\n",
		"", "\nlog: still here")
	for name, c := range map[string]struct {
		text string
		want []found
	}{
		"log lines between": {headerRule + "\nlog: x\n" + noisy, []found{{Malformed, 3}}},
		"a heading": {"Hello.\n## AGENT CHECKPOINT: AGT-001\n\nStatus: BLOCKED\n\n## Questions for Parent\nWhich?\n",
			[]found{{Malformed, 2}}},
		"then a whole one": {"AGENT CHECKPOINT: AGT-001\nx\nStatus: BLOCKED\n" + canonicalText,
			[]found{{Malformed, 1}, {Valid, 5}}},
		"too far":       {"AGENT CHECKPOINT: AGT-001\n" + strings.Repeat("x\n", mostBare) + "Status: BLOCKED\n", nil},
		"the form":      {"AGENT CHECKPOINT: AGT-001\nx\nStatus: COMPLETE | BLOCKED\n", nil},
		"a placeholder": {"AGENT CHECKPOINT: AGT-XXX\nx\nStatus: COMPLETE\n", nil},
		"another's":     {"AGENT CHECKPOINT: AGT-002\nx\nStatus: COMPLETE\n", nil},
		"prose":         {"Print AGENT CHECKPOINT: AGT-001\nStatus: COMPLETE\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if items := scanAll(t, "AGT-001", c.text); !reflect.DeepEqual(kinds(items), c.want) {
				t.Errorf("items %v, want %v", items, c.want)
			}
		})
	}
}

func TestQuoted(t *testing.T) {
	for text, want := range map[string]bool{canonicalText: false, eachLine(canonicalText, "> ", ""): true,
		eachLine(canonicalText, "    ", ""): false, "```\n" + canonicalText + "```\n": false} {
		if items := scanAll(t, "AGT-001", text); len(items) != 1 || items[0].Quoted != want {
			t.Errorf("quoted is not %v: %+v", want, items)
		}
	}
}
