package languages

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"delegate/conflict/code"
)

// TestEveryLanguageHasItsPlaces fails where a language is added and one of its places is forgotten:
// the list, a row of the table in docs/conflicts.md, readings, and cases of conflicts.
func TestEveryLanguageHasItsPlaces(t *testing.T) {
	folders, err := filepath.Glob("../lang/*/language.go")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no folders of languages: %v", err)
	}
	list, err := os.ReadFile("languages.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range folders {
		folder := filepath.Base(filepath.Dir(file))
		if !strings.Contains(string(list), folder+".Languages(),") {
			t.Errorf("the folder %q is not in the list of All", folder)
		}
		if cases, _ := filepath.Glob("../../testdata/" + caseFolder(folder) + "/*.txtar"); len(cases) < 2 {
			t.Errorf("conflict/testdata has no folder with cases for %q", folder)
		}
		// Go's readings stand in its tests.
		if readings, _ := filepath.Glob("../lang/" + folder + "/testdata/*.txtar"); len(readings) == 0 &&
			folder != "golang" {
			t.Errorf("%q has no readings in testdata", folder)
		}
	}
	if len(folders) > len(All()) {
		t.Errorf("%d folders of languages, and %d languages in the list", len(folders), len(All()))
	}
	documented := documentedLanguages(t)
	endings := map[string]bool{}
	for _, l := range All() {
		if !slices.Contains(documented, string(l.Name)) {
			t.Errorf("docs/conflicts.md has %q in no row of its table of languages", l.Name)
		}
		if l.Reaches == nil || l.Scope == nil || len(l.Endings) == 0 || l.Ecosystem == "" {
			t.Errorf("%q does not say where its imports lead, who sees its names, or what its files are called", l.Name)
		}
		for _, e := range l.Endings {
			if endings[e] || unreadable()[e] != "" {
				t.Errorf("files that end in %q are of two languages", e)
			}
			endings[e] = true
		}
	}
	for _, name := range documented {
		if Named(code.Language(name)).Reaches == nil && name != "others" {
			t.Errorf("docs/conflicts.md names %q, which is in no list", name)
		}
	}
}

// caseFolder is the folder of a language's cases in conflict/testdata.
func caseFolder(folder string) string {
	switch folder {
	case "golang":
		return "go"
	case "javascript":
		return "typescript"
	}
	return folder
}

// documentedLanguages are those in the first column of the table in docs/conflicts.md.
func documentedLanguages(t *testing.T) (names []string) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/conflicts.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "| language | read by | confirmed by |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	if !found {
		t.Fatal("docs/conflicts.md has no table of languages")
	}
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+?) \|`).FindAllStringSubmatch(table, -1) {
		names = append(names, strings.Split(row[1], ", ")...)
	}
	return slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, "---") })
}
