package compare

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"delegate/internal/git/gittest"
	"delegate/internal/git/objects"
	"delegate/internal/land/analyze"
	"delegate/internal/land/review"
)

// TestAgainstIsRemembered holds that another process is told the same of a merge without looking again, whatever was
// done to what the first was told, and that of another merge it knows nothing.
func TestAgainstIsRemembered(t *testing.T) {
	repo := gittest.New(t, nil)
	commit := func(branch, name, text string) {
		repo.Git("checkout", "-q", "-B", branch, "main")
		repo.Write(map[string]string{name: text})
		repo.Commit(name)
	}
	commit("main", "tax.py", "def tax(amount):\n    return amount\n")
	commit("rename", "tax.py", "def vat(amount):\n    return amount\n")
	commit("caller", "bill.py", "from tax import tax\n\nprint(tax(3))\n")
	commit("other", "more.py", "print(1)\n")
	r := opened(t, repo.Dir)
	tips := tipsOf(t, r, "caller", "rename", "other", "main")
	base := tips[3].Head
	work, onto := objects.Span{Name: "AGT-001", Base: base, Head: tips[0].Head},
		objects.Span{Name: "main", Base: base, Head: tips[1].Head}
	findingsOf := func(r *Comparer, work, onto objects.Span) string {
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
	first := findingsOf(r, work, onto)
	if first == "[]" {
		t.Fatal("nothing was found")
	}
	sound := objects.Span{Name: "AGT-002", Base: base, Head: tips[2].Head}
	none := findingsOf(r, sound, onto)
	r.Remember()
	fresh := opened(t, repo.Dir)
	fresh.analysis = analyze.New(analyze.Options{Memory: 1}) // no child can live with that
	if again := findingsOf(fresh, work, onto); again != first {
		t.Errorf("again %s, first %s", again, first)
	}
	if again := findingsOf(fresh, sound, onto); again != none {
		t.Errorf("where there is nothing again %s, first %s", again, none)
	}
	onto.Head, work.Head = work.Head, onto.Head
	if other := findingsOf(fresh, work, onto); other == first {
		t.Errorf("of others it is told the same: %s", other)
	}
}

// TestAgainstKnowsWhatLasts holds that what does not depend on what else lands is remembered for every tree that lands,
// and the rest for the same one alone.
func TestAgainstKnowsWhatLasts(t *testing.T) {
	repo := gittest.New(t, nil)
	commit := func(branch, from, text string) {
		repo.Git("checkout", "-q", "-B", branch, from)
		for _, f := range txtar.Parse([]byte(text)).Files {
			repo.Write(map[string]string{f.Name: string(f.Data)})
		}
		repo.Commit(branch)
	}
	commit("main", "main", "-- go.mod --\nmodule example.org/m\n\ngo 1.24\n-- a.go --\npackage m\n\nvar A = 1\n")
	commit("without", "main", "-- a.go --\npackage m\n\nvar B = 1\n")
	commit("user", "main", "-- b.go --\npackage m\n\nvar C = A\n")
	commit("sound", "main", "-- b.go --\npackage m\n\nvar D = 1\n")
	commit("repaired", "without", "-- b.go --\npackage m\n\nvar C = A\n-- c.go --\npackage m\n\nvar A = 2\n")
	commit("more", "repaired", "-- d.go --\npackage m\n\nvar E = 2\n")
	r := opened(t, repo.Dir)
	tips := tipsOf(t, r, "main", "without", "user", "sound", "repaired", "more")
	step := func(work int, landing string) Step {
		merged, err := r.p.Repo.Merge(t.Context(), tips[1].Head, tips[work].Head)
		if err != nil {
			t.Fatal(err)
		}
		return Step{Work: objects.Span{Name: "AGT-001", Base: tips[0].Head, Head: tips[work].Head}, Merged: merged,
			Onto: objects.Span{Name: "main", Base: tips[0].Head, Head: tips[1].Head}, Landing: landing}
	}
	severitiesOf := func(r *Comparer, s Step) (severities []string) {
		t.Helper()
		all, err := r.Against(t.Context(), []Step{s})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range all[0] {
			severities = append(severities, string(f.Severity)+" "+string(f.Certainty))
		}
		return severities
	}
	const user, sound, repaired, more = 2, 3, 4, 5
	for _, c := range []struct {
		work    int
		landing string
		want    []string
	}{
		{user, "", []string{"error confirmed"}},
		{user, tips[repaired].Head, []string{"info suspected"}},
		{sound, "", nil},
	} {
		if got := severitiesOf(r, step(c.work, c.landing)); !slices.Equal(got, c.want) {
			t.Errorf("work %d for %q: %q, want %q", c.work, c.landing, got, c.want)
		}
	}
	r.Remember()
	fresh := opened(t, repo.Dir)
	fresh.analysis = analyze.New(analyze.Options{Memory: 1}) // no child can live with that: only what is known is told
	for _, c := range []struct {
		work    int
		landing string
		want    []string
	}{
		{user, "", []string{"error confirmed"}},
		{user, tips[repaired].Head, []string{"info suspected"}},
		{sound, tips[more].Head, nil},
		{user, tips[more].Head, []string{"error unknown"}},
	} {
		if got := severitiesOf(fresh, step(c.work, c.landing)); !slices.Equal(got, c.want) {
			t.Errorf("from memory work %d for %q: %q, want %q", c.work, c.landing, got, c.want)
		}
	}
}

// TestReviewIsRemembered holds that another process is told the same of the same, and nothing of anything else.
func TestReviewIsRemembered(t *testing.T) {
	repo := gittest.New(t, nil)
	r := opened(t, repo.Dir)
	remarks := []review.Remark{{Severity: review.Critical, Rule: "secrets", Path: "a", Line: 2, Text: "one"}}
	r.KeepReviewed("this", remarks)
	r.Remember()
	fresh := opened(t, repo.Dir)
	found, known := fresh.Reviewed("this")
	if !known || !slices.Equal(found, remarks) {
		t.Errorf("it is told %+v, %v", found, known)
	}
	if known {
		found[0].Text = "it is the caller's"
	}
	if found, _ := fresh.Reviewed("this"); !slices.Equal(found, remarks) {
		t.Errorf("what was told is spoiled: %+v", found)
	}
	if _, known := fresh.Reviewed("that"); known {
		t.Error("it is told of what nobody looked at")
	}
}
