package plan

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"delegate/scope"
)

// made builds a plan from "allowed patterns | dependencies" rows, numbered from 1.
func made(rows ...string) *Plan {
	p := &Plan{Title: "T"}
	for i, row := range rows {
		allowed, deps, _ := strings.Cut(row, " | ")
		s := Subtask{Number: i + 1, Name: fmt.Sprintf("S%d", i+1), Context: "c", Allowed: strings.Fields(allowed)}
		s.ExpectedOutputs = s.Allowed[:1]
		for d := range strings.FieldsSeq(deps) {
			var n int
			fmt.Sscan(d, &n)
			s.Dependencies = append(s.Dependencies, n)
		}
		p.Subtasks = append(p.Subtasks, s)
	}
	return p
}

func analyze(t *testing.T, p *Plan, o Options, f Facts) Analysis {
	t.Helper()
	a, err := Analyze(p, o, f)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestGroups(t *testing.T) {
	tests := []struct {
		name   string
		plan   *Plan
		max    int
		groups string
		agents int
	}{
		{"all at once", made("a.go", "b.go", "c.go"), 0, "[[1 2 3]]", 3},
		{"bounded", made("a.go", "b.go", "c.go"), 2, "[[1 2 3]]", 2},
		{"chain", made("a.go", "b.go | 1", "c.go | 2"), 3, "[[1] [2] [3]]", 1},
		{"backward chain", made("a.go | 2", "b.go | 3", "c.go"), 3, "[[3] [2] [1]]", 1},
		{"diamond", made("a.go", "b.go | 1", "c.go | 1", "d.go | 2 3"), 0, "[[1] [2 3] [4]]", 2},
		{"longest chain decides", made("a.go", "b.go | 1", "c.go | 2 1", "d.go"), 0, "[[1 4] [2] [3]]", 2},
	}
	for _, tt := range tests {
		a := analyze(t, tt.plan, Options{}, Facts{MaxParallel: tt.max})
		if got := fmt.Sprint(a.Groups); got != tt.groups || a.Agents != tt.agents {
			t.Errorf("%s: groups %s with %d agents, want %s with %d", tt.name, got, a.Agents, tt.groups, tt.agents)
		}
	}
}

func TestCyclesAreNamed(t *testing.T) {
	tests := []struct {
		plan *Plan
		want []string
	}{
		{made("a.go | 2", "b.go | 1"), []string{"1 → 2 → 1"}},
		{made("a.go | 3", "b.go | 1", "c.go | 2"), []string{"1 → 3 → 2 → 1"}},
		{made("a.go | 2", "b.go | 3", "c.go | 2"), []string{"2 → 3 → 2"}},
		{made("a.go | 2", "b.go | 1", "c.go | 4", "d.go | 3"), []string{"1 → 2 → 1", "3 → 4 → 3"}},
		{made("a.go | 1"), []string{"1 depends on itself"}},
		{made("a.go | 5"), []string{"depends on subtask 5, which does not exist"}},
	}
	for _, tt := range tests {
		_, err := Analyze(tt.plan, Options{}, Facts{})
		var f *Faults
		if !errors.As(err, &f) || len(f.List) != len(tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
			continue
		}
		for i, want := range tt.want {
			if !strings.HasSuffix(f.List[i].Reason, want) {
				t.Errorf("fault %q, want %q", f.List[i].Reason, want)
			}
		}
	}
}

func TestOverlapsHaveWitnesses(t *testing.T) {
	p := made("src/**/*.go", "src/api/* | 1", "docs/*.md", "src/api/x.go | 2", "src/*/y.go")
	o := Options{Forbidden: []string{"src/**/gen.go"}}
	a := analyze(t, p, o, Facts{})
	var pairs []string
	for _, over := range a.Overlaps {
		pairs = append(pairs, fmt.Sprintf("%d-%d %t", over.A, over.B, over.Ordered))
		for _, n := range []int{over.A, over.B} {
			sc, err := p.Subtasks[n-1].Scope(o)
			if err != nil {
				t.Fatal(err)
			}
			if v := sc.Check(over.Witness); !v.Allowed {
				t.Errorf("witness %q of %d and %d is %v for %d", over.Witness, over.A, over.B, v, n)
			}
		}
	}
	want := []string{"1-2 true", "1-4 true", "1-5 false", "2-4 true", "2-5 false"}
	if !reflect.DeepEqual(pairs, want) {
		t.Errorf("got %q, want %q", pairs, want)
	}
}

func TestForbiddenSeparatesScopes(t *testing.T) {
	p := made("src/a/**", "src/**/*.go")
	if a := analyze(t, p, Options{}, Facts{}); len(a.Overlaps) != 1 {
		t.Fatalf("overlaps %v, want one", a.Overlaps)
	}
	p.Subtasks[1].Forbidden = []string{"src/a/**"}
	if a := analyze(t, p, Options{}, Facts{}); len(a.Overlaps) != 0 {
		t.Errorf("overlaps %v, want none", a.Overlaps)
	}
	if a := analyze(t, made("src/a/**", "src/**/*.go"), Options{Roots: []string{"src/b"}},
		Facts{}); len(a.Overlaps) != 0 {
		t.Errorf("overlaps outside of the roots: %v", a.Overlaps)
	}
}

func TestSizesAndLimit(t *testing.T) {
	files := []string{"src/a.go", "src/b.go", "src/gen/c.go", "docs/x.md"}
	p := made("src/**", "docs/*.md", "new/*.go")
	o := Options{Forbidden: []string{"src/gen/**"}}
	a := analyze(t, p, o, Facts{Files: files, ScopeLimit: 1})
	if want := map[int]int{1: 2, 2: 1, 3: 0}; !reflect.DeepEqual(a.Sizes, want) {
		t.Errorf("sizes %v, want %v", a.Sizes, want)
	}
	if !reflect.DeepEqual(a.OverLimit, []int{1}) ||
		a.Warnings[0] != (Warning{1, "the scope matches 2 files, the limit is 1"}) {
		t.Errorf("over the limit %v, warnings %v", a.OverLimit, a.Warnings)
	}
	if a := analyze(t, p, o, Facts{Files: files}); a.OverLimit != nil {
		t.Errorf("limit off, yet over it: %v", a.OverLimit)
	}
}

// TestWholeFolders holds that scopes which are whole folders are one warning, which names them all.
func TestWholeFolders(t *testing.T) {
	for n, want := range map[int]Warning{
		1: {1, `"api/**" is a whole top-level folder; name the parts of it that the task needs`},
		2: {0, `"api/**", "core/**": whole top-level folders; name the parts of them that the tasks need`},
	} {
		p := &Plan{}
		for i, folder := range []string{"api", "core"}[:n] {
			p.Subtasks = append(p.Subtasks, Subtask{Number: i + 1, Name: folder, Allowed: []string{folder + "/**"}})
		}
		a := analyze(t, p, Options{}, Facts{Files: []string{"api/a", "core/c"}})
		if a.Warnings[0] != want || strings.Count(fmt.Sprint(a.Warnings), "whole") != 1 {
			t.Errorf("%d: %v, want %v", n, a.Warnings, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	p := made("src/**", "lib/a.go")
	p.Subtasks[0].Forbidden = []string{"docs/x"}
	p.Subtasks[0].ExpectedOutputs = []string{"src/new.go", "docs/plan.md", "src/gen/", "out/*.json", "docs/logs/x"}
	a := analyze(t, p, Options{Forbidden: []string{"vendor/**"}}, Facts{})
	wants := []string{`"src/**"`, `"docs/x"`, `expected output "docs/plan.md" is outside the scope`,
		`expected output "out/*.json" meets nothing`, `expected output "docs/logs/x" is `}
	if len(a.Warnings) != len(wants) {
		t.Fatalf("warnings:\n%+v", a.Warnings)
	}
	for i, want := range wants {
		if w := a.Warnings[i]; w.Subtask != 1 || !strings.Contains(w.Text, want) {
			t.Errorf("warning %+v, want one of subtask 1 with %s", w, want)
		}
	}
	p.Subtasks[0].Line = 7
	faults, err := OutputFaults(p, Options{Forbidden: []string{"vendor/**"}})
	if err != nil || len(faults) != 3 {
		t.Fatalf("faults %+v, %v", faults, err)
	}
	for i, want := range wants[2:] {
		if f := faults[i]; f.Line != 7 || !strings.HasPrefix(f.Reason, "subtask 1: "+want) {
			t.Errorf("fault %+v, want %s at line 7", f, want)
		}
	}
}

func TestAnalyzeRefusesWhatParseWould(t *testing.T) {
	_, err := Analyze(made("**"), Options{}, Facts{})
	var bad *scope.FaultsError
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), `subtask 1 "S1"`) {
		t.Errorf("error %v, want one about the scope that names the subtask", err)
	}
	p := made("a.go", "b.go")
	p.Subtasks[1].Number = 1
	if _, err := Analyze(p, Options{}, Facts{}); err == nil {
		t.Error("two subtasks with one number were accepted")
	}
}

func BenchmarkParse(b *testing.B) {
	data := []byte(sample)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(data, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAnalyze(b *testing.B) {
	var rows []string
	for i := range 20 {
		rows = append(rows, fmt.Sprintf("src/p%d/** tests/p%d/**/*_test.go", i, i))
	}
	files := make([]string, 5000)
	for i := range files {
		files[i] = fmt.Sprintf("src/p%d/d%d/f%d.go", i%40, i%7, i)
	}
	p := made(rows...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Analyze(p, Options{}, Facts{Files: files, ScopeLimit: 20}); err != nil {
			b.Fatal(err)
		}
	}
}
