package delegate

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"delegate/registry"
)

// section is the text below a heading of the second level.
func section(text, heading string) string {
	_, rest, _ := strings.Cut("\n"+text, "\n## "+heading+"\n")
	body, _, _ := strings.Cut(rest, "\n## ")
	return body
}

// cells reads the tables of a text: the first column's words, without backticks.
func cells(text string) (first []string) {
	for line := range strings.Lines(text) {
		columns := strings.Split(line, "|")
		if len(columns) > 2 && !strings.Contains(columns[1], "---") {
			first = append(first, strings.Trim(columns[1], " `"))
		}
	}
	return first
}

// drawn lists the transitions of a text's table, one line for each state that a row begins in.
func drawn(text string) (all []string) {
	for line := range strings.Lines(text) {
		columns := strings.Split(strings.TrimSpace(line), "|")
		if len(columns) != 6 {
			continue
		}
		for from := range strings.SplitSeq(columns[2], ",") {
			row := strings.Join([]string{columns[1], from, columns[3], columns[4]}, " ")
			all = append(all, strings.Join(strings.Fields(row), " "))
		}
	}
	return all
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestStateTableIsTheOneInForce(t *testing.T) {
	found := drawn(section(read(t, "docs/internals.md"), "States and events"))
	want := []string{"event from to who", "--- --- --- ---"}
	for _, tr := range registry.Transitions() {
		want = append(want, fmt.Sprintf("%s %s %s %s", tr.Event, tr.From, tr.To, tr.By))
	}
	sortedFound, sortedWant := slices.Sorted(slices.Values(found)), slices.Sorted(slices.Values(want))
	if !slices.Equal(sortedFound, sortedWant) {
		t.Errorf("docs/internals.md has the transitions\n%s\nthe registry has\n%s", strings.Join(sortedFound, "\n"),
			strings.Join(sortedWant, "\n"))
	}
}

// TestDocumentsNameEverything holds lists in the code against their tables in the documents.
func TestDocumentsNameEverything(t *testing.T) {
	for _, c := range []struct{ source, pattern, page, heading string }{
		{"cmd/delegate/exit.go", `(?m)^\texit[A-Z][A-Za-z]* += (\d+)`, "docs/commands.md", "Exit codes"},
		{"internal/plan/field.go", `(?m)^\tf[A-Z][A-Za-z]* += "([^"]+)"`, "docs/plan.md", "Plan file"},
	} {
		known := cells(section(read(t, c.page), c.heading))
		names := regexp.MustCompile(c.pattern).FindAllStringSubmatch(read(t, c.source), -1)
		if len(names) < 5 {
			t.Errorf("%s: only %d names found, the pattern %q does not fit any more", c.source, len(names), c.pattern)
		}
		for _, m := range names {
			if !slices.Contains(known, m[1]) {
				t.Errorf("%s has %q, which the table under %q in %s lacks", c.source, m[1], c.heading, c.page)
			}
		}
	}
	keys := strings.TrimSpace(read(t, "internal/project/config/keys.md"))
	if !strings.Contains(read(t, "docs/configuration.md"), keys) {
		t.Error("docs/configuration.md has other tables than internal/project/config/keys.md: copy them")
	}
	words := section(read(t, "docs/internals.md"), "States and events")
	for _, m := range regexp.MustCompile(`Kind += "([A-Z_]+)"`).FindAllStringSubmatch(read(t, "registry/kinds.go"),
		-1) {
		if !regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(words) {
			t.Errorf("event %s is not in docs/internals.md", m[1])
		}
	}
}

// pages are all documents but the list of changes.
func pages(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("docs/*.md")
	if err != nil || len(all) < 10 {
		t.Fatalf("docs has %q, %v", all, err)
	}
	return append(all, "README.md", "CONTRIBUTING.md")
}

// TestDocumentsAreShort counts what has a letter or a digit in it, so the lines of tables are free.
func TestDocumentsAreShort(t *testing.T) {
	for _, page := range pages(t) {
		most := 3000
		if page == "README.md" {
			most = 900
		}
		words := slices.DeleteFunc(strings.Fields(read(t, page)), func(word string) bool {
			return !strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
		})
		if len(words) > most {
			t.Errorf("%s has %d words, at most %d are read", page, len(words), most)
		}
	}
}

// TestThreatModelNamesTests holds that each test which the threat model leans on is there.
func TestThreatModelNamesTests(t *testing.T) {
	there := map[string]bool{}
	for _, f := range wholeTree(t) {
		for _, decl := range f.tree.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				there[fn.Name.Name] = true
			}
		}
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)`").FindAllStringSubmatch(read(t, "docs/attacks.md"), -1)
	if len(named) < 20 {
		t.Errorf("the threat model names %d tests", len(named))
	}
	for _, name := range named {
		if !there[name[1]] {
			t.Errorf("docs/attacks.md names %s, and there is no such test", name[1])
		}
	}
}

// TestLinksLead follows the links between the pages.
func TestLinksLead(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^):]+)\)`)
	for _, page := range append(pages(t), "CHANGELOG.md") {
		folder := ""
		if strings.HasPrefix(page, "docs/") {
			folder = "docs/"
		}
		for _, m := range link.FindAllStringSubmatch(read(t, page), -1) {
			file, anchor, _ := strings.Cut(m[1], "#")
			if file == "" {
				file = filepath.Base(page)
			}
			if _, err := os.Stat(folder + file); err != nil {
				t.Errorf("%s links to %q: %v", page, m[1], err)
				continue
			}
			if anchor != "" && !slices.Contains(anchors(read(t, folder+file)), anchor) {
				t.Errorf("%s links to %q, and there is no such heading", page, m[1])
			}
		}
	}
}

func TestDocumentReadersCanFail(t *testing.T) {
	text := "# T\n\n## A\n\n| x | y |\n|---|---|\n| `k` | v |\n\n## B\n\n| e | f | t | w |\n|---|---|---|---|\n| GO " +
		"| HERE, HOME | THERE | me too |\n"
	if got := cells(section(text, "A")); !slices.Equal(got, []string{"x", "k"}) {
		t.Errorf("first column of A is %q", got)
	}
	if got := drawn(section(text, "B")); !slices.Equal(got,
		[]string{"e f t w", "--- --- --- ---", "GO HERE THERE me too", "GO HOME THERE me too"}) {
		t.Errorf("table of B is %q", got)
	}
	if got := section(text, "C"); got != "" {
		t.Errorf("section C is %q", got)
	}
}

// anchors are the names that a page's headings can be linked by: small letters, without
// punctuation, with hyphens for blanks.
func anchors(page string) []string {
	var all []string
	dropped := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		all = append(all, strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return all
}

// TestMapNamesEveryPackage holds doc.go to the table of floors.
func TestMapNamesEveryPackage(t *testing.T) {
	text := read(t, "doc.go")
	for name := range floors() {
		folder := regexp.QuoteMeta(name)
		if parent, ok := strings.CutPrefix(name, "conflict/internal/lang/"); ok && parent != "" {
			folder = `conflict/internal/lang/\.\.\.`
		}
		if !regexp.MustCompile(`(?m)^//\t` + folder + `\s|\b` + folder + `\b`).MatchString(text) {
			t.Errorf("doc.go has no line for %s", name)
		}
	}
}
