package compare

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"

	"delegate/internal/land/analyze"
)

// TestNothingSuspected holds that a compiler looks at what merges in silence and what no rule suspects: once where two
// sides meet, and once for all where there are more.
func TestNothingSuspected(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs gcc")
	}
	for _, names := range []string{"text uses", "other text more uses"} {
		b := opened(t, limits(t))
		if len(b.check()) == 0 {
			t.Skip("no checker is used here: there is no sandbox")
		}
		found, err := b.Compare(t.Context(), tipsOf(t, b, strings.Fields(names)...), analyze.Checked)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) != 1 || !found[0].Blocking || strings.Join(found[0].Agents, " ") != "text uses" ||
			!strings.Contains(found[0].Message, "gcc accepts either side and not the two merged: uses.c:2: ") {
			t.Errorf("%s: %+v", names, found)
		}
		if clean, err := b.Compare(t.Context(), tipsOf(t, b, "other", "more", "text"), analyze.Checked); err != nil ||
			len(clean) > 0 {
			t.Errorf("without the clash: %+v, %v", clean, err)
		}
	}
}

// TestFunctionRenamedInC holds that gcc confirms a call of a function that is gone, of which it only warns by itself.
func TestFunctionRenamedInC(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs gcc")
	}
	b := opened(t, limits(t))
	if len(b.check()) == 0 {
		t.Skip("no checker is used here: there is no sandbox")
	}
	found, err := b.Compare(t.Context(), tipsOf(t, b, "renames", "calls"), analyze.Checked)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || !found[0].Blocking ||
		!strings.Contains(found[0].Message, "gcc on the two merged: calls.c:2: ") {
		t.Errorf("%+v", found)
	}
}

// limits is a repository with a branch that breaks another without a word, and two that break nothing.
func limits(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "", "init", "-q", "-b", "main")
	var script strings.Builder
	for _, c := range []struct{ branch, name, content string }{
		{"main", "limit.h", "#define LIMIT 3\nint size(void);\n"},
		{"text", "limit.h", "#define LIMIT \"3\"\nint size(void);\n"},
		{"renames", "limit.h", "#define LIMIT 3\nint length(void);\n"},
		{"calls", "calls.c", "#include \"limit.h\"\nint k(void) { return size() + LIMIT; }\n"},
		{"uses", "uses.c", "#include \"limit.h\"\nint f(void) { int x[LIMIT]; x[0] = 1; return x[0]; }\n"},
		{"other", "other.c", "int g(void) { return 1; }\n"},
		{"more", "more.c", "int h(void) { return 2; }\n"},
	} {
		fmt.Fprintf(&script, "commit refs/heads/%s\ncommitter C <c@example.org> 0 +0000\ndata 0\n", c.branch)
		if c.branch != "main" {
			script.WriteString("from refs/heads/main\n")
		}
		fmt.Fprintf(&script, "M 100644 inline %s\ndata %d\n%s\n", c.name, len(c.content), c.content)
	}
	runGit(t, dir, script.String(), "fast-import", "--quiet")
	runGit(t, dir, "", "reset", "-q", "--hard", "main")
	return dir
}

func TestDependents(t *testing.T) {
	tree := fstest.MapFS{
		"shop/price.py": {}, "shop/desk.py": {Data: []byte("from shop.price import of\n")},
		"shop/free.py": {Data: []byte("prices = 1\n")}, "notes.md": {Data: []byte("price\n")},
	}
	got := strings.Join(dependents(tree, []string{".py"}, []string{"shop/price.py"}), " ")
	if got != "shop/desk.py" {
		t.Errorf("dependents %q", got)
	}
}
