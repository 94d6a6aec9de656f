package land_test

import (
	"encoding/json"
	"slices"
	"testing"

	"delegate/conflict"
	"delegate/internal/land/candidate"
)

// broken are the ids of the members of which a checker confirms that they break with what lies below them.
func (r *rig) broken(ids ...string) (all []string) {
	r.Helper()
	for _, m := range r.togetherNow(ids...).Members {
		if slices.ContainsFunc(m.Findings, func(f conflict.Finding) bool {
			return f.Certainty == conflict.Confirmed && f.Type != conflict.FileConflict
		}) {
			all = append(all, m.Agent.ID)
		}
	}
	return all
}

func (r *rig) togetherNow(ids ...string) candidate.Candidate {
	r.Helper()
	c, err := r.b.Build(r.ctx, r.state(), ids...)
	r.ok(err)
	return c
}

// TestBreaksOfMembers holds that a member is told of what breaks with those below it, also where it is remembered in
// another candidate, but for what a later member of the same candidate repairs so that nothing is wrong there.
func TestBreaksOfMembers(t *testing.T) {
	t.Parallel()
	r := begin(t, files{"go.mod": "module example.org/m\n\ngo 1.24\n",
		"src/lib/old.go": "package lib\n\nfunc Old() int { return 1 }\n",
		"src/lib/two.go": "package lib\n\nfunc Two() int { return 2 }\n",
		"src/app/app.go": "package app\n"}, nil, nil, nil, nil, nil)
	const removes, calls, repairs, breaks, unrelated = "AGT-001", "AGT-002", "AGT-003", "AGT-004", "AGT-005"
	r.works(removes, files{"src/lib/old.go": "package lib\n"})
	r.works(calls, files{"src/app/call.go": "package app\n\nimport \"example.org/m/src/lib\"\n\n" +
		"func Call() int { return lib.Old() + lib.Two() }\n"})
	r.works(repairs, files{"src/lib/again.go": "package lib\n\nfunc Old() int { return 3 }\n"})
	r.works(breaks, files{"src/lib/two.go": "package lib\n\nfunc Two(n int) int { return n }\n"})
	r.works(unrelated, files{"src/app/more.go": "package app\n\nfunc More() int { return 1 }\n"})
	for round := range 2 {
		for _, c := range []struct{ ids, want []string }{
			{[]string{removes, calls}, []string{calls}},
			{[]string{removes, calls, unrelated}, []string{calls}},
			{[]string{removes, calls, repairs}, nil},
			{[]string{calls, unrelated, breaks}, []string{breaks}},
			{[]string{removes, calls}, []string{calls}},
			{[]string{removes, calls, repairs, breaks}, []string{calls, breaks}}, // what lands is not sound there
		} {
			if got := r.broken(c.ids...); !slices.Equal(got, c.want) {
				t.Errorf("round %d: of %q %q break, want %q", round, c.ids, got, c.want)
			}
		}
		r.open() // another process, which remembers
	}
}

// TestWhatIsRememberedIsFoundAnew holds that a candidate has one digest, whatever was built before it.
func TestWhatIsRememberedIsFoundAnew(t *testing.T) {
	t.Parallel()
	build := func(before ...[]string) string {
		r := begin(t, files{"go.mod": "module example.org/m\n\ngo 1.24\n", "src/a.go": "package a\n\nvar A = 1\n"},
			nil, nil, nil)
		r.works("AGT-001", files{"src/a.go": "package a\n\nvar B = 1\n"})
		r.works("AGT-002", files{"src/b.go": "package a\n\nvar C = A\n"})
		r.works("AGT-003", files{"src/c.go": "package a\n\nvar A = 2\n"})
		for _, ids := range before {
			r.togetherNow(ids...)
			r.open()
		}
		var all [][]conflict.Finding
		for _, m := range r.togetherNow("AGT-001", "AGT-002", "AGT-003").Members {
			all = append(all, m.Findings)
		}
		text, err := json.Marshal(all)
		r.ok(err)
		return string(text)
	}
	alone := build()
	if after := build([]string{"AGT-001", "AGT-002"}, []string{"AGT-001", "AGT-002", "AGT-003"}); after != alone {
		t.Errorf("after others %s\nalone %s", after, alone)
	}
}
