package watch

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDocs holds that docs/watch.md lists every key with its command, in the order of the help.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../../docs/watch.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, a := range actions() {
		args := strings.ReplaceAll(strings.Join(a.args, " "), placeholder, "…")
		fmt.Fprintf(&want, "| `%s` | `delegate %s`: %s |\n", a.key, args, a.does)
	}
	if _, table, _ := strings.Cut(string(page), "| key | command |\n|---|---|\n"); table != want.String() {
		t.Errorf("docs/watch.md does not end with:\n%s", want.String())
	}
}
