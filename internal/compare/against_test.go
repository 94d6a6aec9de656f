package compare

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/analyze"
	"delegate/internal/objects"
)

// TestAgainstIsRemembered holds that another process is told the same of a merge without looking again, whatever was
// done to what the first was told, and that of another merge it knows nothing.
func TestAgainstIsRemembered(t *testing.T) {
	dir := t.TempDir()
	runGit(t, dir, "", "init", "-q", "-b", "main")
	commit := func(branch, name, text string) {
		runGit(t, dir, "", "checkout", "-q", "-B", branch, "main")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		runGit(t, dir, "", "add", "-A")
		runGit(t, dir, "", "commit", "-qm", name)
	}
	runGit(t, dir, "", "config", "user.name", "A")
	runGit(t, dir, "", "config", "user.email", "a@example.org")
	runGit(t, dir, "", "commit", "-q", "--allow-empty", "-m", "0")
	commit("main", "tax.py", "def tax(amount):\n    return amount\n")
	commit("rename", "tax.py", "def vat(amount):\n    return amount\n")
	commit("caller", "bill.py", "from tax import tax\n\nprint(tax(3))\n")
	commit("other", "more.py", "print(1)\n")
	r := opened(t, dir)
	tips := tipsOf(t, r, "caller", "rename", "other", "main")
	base := tips[3].Head
	work, onto := objects.Span{Name: "AGT-001", Base: base, Head: tips[0].Head},
		objects.Span{Name: "main", Base: base, Head: tips[1].Head}
	told := func(r *Comparer, work, onto objects.Span) string {
		t.Helper()
		merged, err := r.p.Repo.Merge(t.Context(), onto.Head, work.Head)
		if err != nil {
			t.Fatal(err)
		}
		all, err := r.Against(t.Context(), []Step{{Work: work, Onto: onto, Merged: merged}})
		if err != nil {
			t.Fatal(err)
		}
		found := all[0]
		data, err := json.Marshal(found)
		if err != nil {
			t.Fatal(err)
		}
		for i := range found {
			for k := range found[i].Places {
				found[i].Places[k].Agent = "somebody else"
			}
		}
		return string(data)
	}
	first := told(r, work, onto)
	if first == "[]" {
		t.Fatal("nothing was found")
	}
	sound := objects.Span{Name: "AGT-002", Base: base, Head: tips[2].Head}
	none := told(r, sound, onto)
	r.Remember()
	fresh := opened(t, dir)
	fresh.analysis = analyze.New(analyze.Options{Memory: 1}) // no child can live with that
	if again := told(fresh, work, onto); again != first {
		t.Errorf("again %s, first %s", again, first)
	}
	if again := told(fresh, sound, onto); again != none {
		t.Errorf("where there is nothing again %s, first %s", again, none)
	}
	onto.Head, work.Head = work.Head, onto.Head
	if other := told(fresh, work, onto); other == first {
		t.Errorf("of others it is told the same: %s", other)
	}
}
