package report

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"delegate/change"
	"delegate/conflict"
	"delegate/registry"
)

// element is one tag as it stands in a page.
var element = regexp.MustCompile(`<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z][a-zA-Z0-9:-]*(?:="[^"]*")?)*)\s*(/?)>`)

var attribute = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9:-]*)="([^"]*)"`)

// tag is an element of a page with its attributes.
type tag struct {
	name       string
	attributes map[string]string
}

// tags reads a page strictly: every < begins an element, every element is closed by its own.
func tags(t *testing.T, page string) (all []tag) {
	t.Helper()
	style := regexp.MustCompile(`(?s)<style>.*?</style>`)
	page = style.ReplaceAllString(strings.TrimPrefix(page, "<!DOCTYPE html>"), "")
	void := []string{"meta", "link", "br", "input"}
	var open []string
	found := element.FindAllStringSubmatchIndex(page, -1)
	if got, want := len(found), strings.Count(page, "<"); got != want {
		t.Errorf("%d elements, but %d times <", got, want)
	}
	for _, at := range found {
		closing, name, rest, self := page[at[2]:at[3]] != "", strings.ToLower(page[at[4]:at[5]]), page[at[6]:at[7]],
			page[at[8]:at[9]] != ""
		if closing {
			if len(open) == 0 || open[len(open)-1] != name {
				t.Fatalf("</%s> closes %q at …%s", name, open, page[max(0, at[0]-120):at[1]])
			}
			open = open[:len(open)-1]
			continue
		}
		one := tag{name, map[string]string{}}
		for _, a := range attribute.FindAllStringSubmatch(rest, -1) {
			one.attributes[a[1]] = a[2]
		}
		all = append(all, one)
		if !self && !slices.Contains(void, name) {
			open = append(open, name)
		}
	}
	if len(open) > 0 {
		t.Errorf("%q stay open", open)
	}
	return all
}

// TestPageIsSound holds pages of all sorts against what every page promises.
func TestPageIsSound(t *testing.T) {
	over := sample()
	over.Session.Status = registry.SessionComplete
	over.Waiting = nil
	for name, d := range map[string]Data{"sample": sample(), "over": over, "hostile": hostileSample(), "empty": {},
		"many": manyAgents(70)} {
		t.Run(name, func(t *testing.T) {
			html := page(t, d)
			if size := len(html); size > 2<<20 {
				t.Errorf("%d bytes", size)
			}
			all := tags(t, html)
			ids := map[string]int{}
			for _, one := range all {
				if id := one.attributes["id"]; id != "" {
					ids[id]++
				}
			}
			level := 0
			for _, one := range all {
				soundTag(t, one, ids)
				if len(one.name) == 2 && one.name[0] == 'h' && one.name[1] >= '1' && one.name[1] <= '6' {
					if next := int(one.name[1] - '0'); next > level+1 {
						t.Errorf("heading %d follows %d", next, level)
					} else {
						level = next
					}
				}
			}
			for id, n := range ids {
				if n > 1 {
					t.Errorf("id %q stands %d times", id, n)
				}
			}
			for _, landmark := range []string{"<main ", "<nav ", "<header ", "<footer>", `lang="en"`,
				`class="skip" href="#main"`} {
				if !strings.Contains(html, landmark) {
					t.Errorf("no %s", landmark)
				}
			}
		})
	}
}

// soundTag refuses what could run, load or lead away, and links that lead nowhere.
func soundTag(t *testing.T, one tag, ids map[string]int) {
	t.Helper()
	if slices.Contains([]string{"script", "iframe", "object", "embed", "img", "image", "form", "base", "audio", "video",
		"foreignobject", "use"}, one.name) {
		t.Errorf("an element <%s>", one.name)
	}
	for name, value := range one.attributes {
		switch {
		case strings.HasPrefix(name, "on"), name == "style", name == "src", name == "srcdoc", name == "action",
			name == "xlink:href":
			t.Errorf("<%s %s=%q>", one.name, name, value)
		case name == "href" && one.name == "link" && value == "data:,":
		case name == "href" && (!strings.HasPrefix(value, "#") || ids[value[1:]] == 0):
			t.Errorf("<%s> leads to %q, which is nowhere on the page", one.name, value)
		case strings.HasPrefix(name, "aria-labelledby") && ids[value] == 0:
			t.Errorf("<%s> is labelled by %q, which is nowhere", one.name, value)
		}
	}
	if one.name == "th" && one.attributes["scope"] == "" {
		t.Errorf("a <th> without scope")
	}
	if one.name == "meta" && one.attributes["http-equiv"] != "" &&
		one.attributes["http-equiv"] != "Content-Security-Policy" {
		t.Errorf("<meta> %v", one.attributes)
	}
}

func TestPolicyComesFirst(t *testing.T) {
	html := page(t, hostileSample())
	policy := strings.Index(html, `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:`)
	if policy < 0 || policy > 200 {
		t.Fatalf("the policy stands at %d", policy)
	}
}

// TestNothingActs looks for characters that act: none may be on a page, whoever wrote them.
func TestNothingActs(t *testing.T) {
	html := page(t, hostileSample())
	if !utf8.ValidString(html) {
		t.Error("the page is no UTF-8")
	}
	for _, r := range html {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' ||
			r == 0xe0041 || r == 0xad {
			t.Errorf("%U is on the page", r)
		}
	}
	for _, want := range []string{"␛[31mred␛]0;owned␇", "bidi ⟨U+202E⟩gnp.exe⟨U+2066⟩", "⟨U+009B⟩", "␡"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	if got, plain := Visible("a\tb\nc é 👩‍💻"), "a\tb\nc é 👩‍💻"; got != plain {
		t.Errorf("harmless text becomes %q", got)
	}
}

func TestPageSaysEverything(t *testing.T) {
	html := page(t, sample())
	for what, want := range map[string]string{
		"parent task": "<h1>Rate limits for the public API</h1>",
		"waiting":     "type <code>delegate extend handler 30m</code>", "groups": "3 subtasks in 3 groups",
		"decision":      "<b>Ada Example</b> approved <b>token-bucket</b>: landing on main, digest 97e7181",
		"digest in git": "commit <code>c0ffee000000</code> has the same digest",
		"message":       "<b>Ben Example</b> wrote to it <b>handler</b>",
		"violation":     `<h2 id="violations-h">Violations</h2>` + "\n" + `<ul class="breaches">`,
		"matrix":        `<td class="bad"><a href="#pair-1"><b>1</b> error</a></td>`,
		"place":         `<a href="#agent-1-file-1"><code>limit/bucket.go:3</code></a>`,
		"old line":      `<span class="o"><i>3</i><i></i>-func New(rate int) *Bucket {`,
		"new line":      `<span class="n"><i></i><i>3</i>&#43;func New(rate<mark>, burst</mark> int) *Bucket {`,
		"binary":        "A binary file; its content is not shown.",
		"claims":        "tests are claimed (PASS)", "outside": "docs/api.md: not in its scope",
		"test output": "ok  \tlimits/limit\t0.2s", "usage": "<li>48k in (12k cached), 1.2k out, ≈ 0.31 US$</li>",
		"usage of all":        "<dt>Used</dt><dd>60k in, 2.0k out, ≈ 0.50 US$</dd>",
		"resolved ones count": "<b>2</b> <span>conflicts found</span>\n<small>1 open, worst: error",
		"how it was resolved": "<b>resolved</b> token-bucket × handler FILE_CONFLICT limit/bucket.go",
		"layers":              "<dt>landlock</dt><dd>on: version 7</dd>",
		"trouble":             `class="trouble"><td><time datetime="2026-01-02T15:19:05Z">`,
		"person":              `class="info person"`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("%s: no %q", what, want)
		}
	}
	if got := strings.Count(html, "same digest"); got != 1 {
		t.Errorf("%d decisions are said to have the digest of a commit", got)
	}
}

// TestDigestIsHeldAgainstTheCommit: a row that names another digest than the commit is not said to agree with it.
func TestDigestIsHeldAgainstTheCommit(t *testing.T) {
	d := sample()
	d.Agents[0].Landings[0].Digest = strings.Repeat("0", 64)
	if strings.Contains(page(t, d), "same digest") {
		t.Error("another digest is said to be the same")
	}
}

func manyAgents(n int) Data {
	d := sample()
	d.Agents, d.Compared, d.Findings = nil, nil, nil
	long := strings.Repeat("a line of some length that was added\n", 300)
	for i := range n {
		id := fmt.Sprintf("AGT-%03d", i+1)
		a := Agent{Agent: registry.Agent{ID: id, Subtask: "Part " + id, Status: registry.Complete},
			Patch: "delegate diff " + id}
		for j := range 5 {
			a.Files = append(a.Files, NewFile(change.File{Path: fmt.Sprintf("%s/%d", id, j), Kind: change.Added,
				NewMode: change.ModeFile, Insertions: 300}, nil, []byte(long), Brief()))
		}
		d.Agents, d.Compared = append(d.Agents, a), append(d.Compared, id)
	}
	d.Findings = append(d.Findings, conflict.Finding{Type: conflict.FileConflict, Severity: conflict.Warning,
		Agents: []string{"AGT-002", "AGT-069"}, Message: "Both."})
	return d
}

func TestFullPageSaysSo(t *testing.T) {
	html := page(t, manyAgents(70))
	for _, want := range []string{"Not shown: this page is full.",
		"of its changes are not on this page. The whole: <code>delegate diff AGT-070</code>",
		"68 of them without a finding", "✂ 300 more lines"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestNotes holds that a file says what its lines cannot.
func TestNotes(t *testing.T) {
	const file, script, link = change.ModeFile, change.ModeExecutable, change.ModeSymlink
	for want, c := range map[string]struct {
		kind     change.Kind
		from, to uint32
		old, now string
	}{
		"New empty file.":                           {change.Added, 0, file, "", ""},
		"New empty file with mode 100755.":          {change.Added, 0, script, "", ""},
		"New file with mode 100755.":                {change.Added, 0, script, "", "x\n"},
		"Deleted empty file.":                       {change.Deleted, file, 0, "", ""},
		"Deleted symbolic link to a.":               {change.Deleted, link, 0, "a", ""},
		"Symbolic link to a.":                       {change.Added, 0, link, "", "a"},
		"Symbolic link to b.":                       {change.Modified, link, link, "a", "b"},
		"Mode 100644 → 120000. Symbolic link to a.": {change.TypeChanged, file, link, "x\n", "a"},
		"Mode 100644 → 100755.":                     {change.ModeChanged, file, script, "x\n", "x\n"},
		"Mode 100755 → 100644. A binary file; its content is not shown.": {change.Modified, script, file,
			"\x00", "\x00x"},
		"Its content did not change.": {change.Renamed, file, file, "x\n", "x\n"},
		"":                            {change.Added, 0, file, "", "x\n"},
	} {
		f := change.File{Path: "x", Kind: c.kind, OldMode: c.from, NewMode: c.to}
		if got := NewFile(f, []byte(c.old), []byte(c.now), Brief()).Note; got != want {
			t.Errorf("%s: note %q, want %q", c.kind, got, want)
		}
	}
}

func TestLargeAndLong(t *testing.T) {
	added := change.File{Path: "big", Kind: change.Added, NewMode: change.ModeFile}
	if f := NewFile(added, nil, make10MB('a'), Brief()); len(f.Lines) != 0 ||
		!strings.Contains(f.Note, "Larger than 1 MiB") {
		t.Errorf("10 MB in one line: %d lines, note %q", len(f.Lines), f.Note)
	}
	f := NewFile(added, nil, []byte(strings.Repeat("x\n", 5000)), Brief())
	if len(f.Lines) != Brief().Lines || f.Cut != 5000-(Brief().Lines-1) {
		t.Errorf("%d lines, %d cut", len(f.Lines), f.Cut)
	}
	f = NewFile(added, nil, []byte(strings.Repeat("é", 5000)+"\n"), Brief())
	got := utf8.RuneCountInString(f.Lines[1].Text)
	if got != Brief().Line+1 || !strings.HasSuffix(f.Lines[1].Text, "…") {
		t.Errorf("a long line has %d characters", got)
	}
	f = NewFile(change.File{Path: "x", Kind: change.Modified, OldMode: change.ModeFile, NewMode: change.ModeFile},
		[]byte("@@ -1 +1 @@\ndiff --git a b\n"), []byte("@@ -1 +1 @@\n"), Brief())
	if len(f.Lines) != 3 || f.Lines[1].Sort != Same || f.Lines[2].Sort != Old ||
		f.Lines[2].Text != "diff --git a b" || f.Lines[2].Old != 2 {
		t.Errorf("content that looks like a patch: %v", f.Lines)
	}
	if tail := lastLines(strings.Repeat("0123456789\n", 5000)); len(tail) > mostTail+len("…\n") ||
		!strings.HasPrefix(tail, "…\n0123") {
		t.Errorf("a tail of %d bytes begins %q", len(tail), tail[:20])
	}
}

func make10MB(c byte) []byte {
	data := make([]byte, 10<<20)
	for i := range data {
		data[i] = c
	}
	return data
}

func TestSpansFollowTheStates(t *testing.T) {
	d := sample()
	rows := rowsOf(d)
	at := positions(rows, d.Made)
	if !slices.IsSorted(at) || at[len(at)-1] > timeWidth || at[0] < timeLabels {
		t.Errorf("positions %v", at)
	}
	var got []string
	for _, s := range spans(rows, at, "AGT-001") {
		got = append(got, s.Title)
	}
	want := []string{"AGT-001, SPAWNING for 1 s", "AGT-001, RUNNING for 6 min 53 s", "AGT-001, COMPLETE for 4 min 41 s",
		"AGT-001, MERGED"}
	if !slices.Equal(got, want) {
		t.Errorf("spans %q\nwant  %q", got, want)
	}
	night, work := at[len(at)-2]-at[len(at)-3], at[8]-at[7]
	if night > 8*work {
		t.Errorf("a pause of 2700 s takes %d, work of 220 s %d", night, work)
	}
}

func TestGroups(t *testing.T) {
	a := func(id string, needs ...string) Agent {
		return Agent{Agent: registry.Agent{ID: id, Dependencies: needs}}
	}
	for _, c := range []struct {
		agents []Agent
		want   []int
	}{
		{nil, []int{}},
		{[]Agent{a("1"), a("2")}, []int{0, 0}},
		{[]Agent{a("1", "2"), a("2", "3"), a("3")}, []int{2, 1, 0}},
		{[]Agent{a("1", "9"), a("2", "1")}, []int{0, 1}},
	} {
		if got := groupsOf(c.agents); !slices.Equal(got, c.want) {
			t.Errorf("groups %v, want %v", got, c.want)
		}
	}
	groupsOf([]Agent{a("1", "2"), a("2", "1")}) // ends
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

var errBroken = errors.New("broken pipe")

func TestWriteTellsTheWritersError(t *testing.T) {
	if err := Write(brokenWriter{}, sample()); !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
}

func TestWords(t *testing.T) {
	for want, got := range map[string]string{
		"0": number(0), "999": number(999), "1\u202f000": number(1000), "-12\u202f345\u202f678": number(-12345678),
		"1 file": plural(1, "file"), "2 files": plural(2, "file"),
		"12 s": took(12e9), "1 min 02 s": took(62e9), "1 h 01 min": took(3661e9), "2 d 1 h": took(49 * 3600e9),
		"Ada, of B, 2 Jan 2026, 15:04:10 UTC": approval("Ada, of B, 2026-01-02T15:04:10Z"),
		"Ada, by hand":                        approval("Ada, by hand"), "Ada": approval("Ada"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
