package land_test

import (
	"maps"
	"slices"
	"testing"

	"delegate/conflict"
	"delegate/internal/git/objects"
	"delegate/internal/land/bisect"
	"delegate/internal/project"
	"delegate/internal/sys/long"
)

const (
	burstOfFour = "package src\n\nfunc Burst() int { return 4 }\n"
	burstOfFive = "package src\n\nfunc Burst() int { return 5 }\n"
)

// limits is a Go module whose one package has a test or not.
func limits(more files) files {
	all := files{"go.mod": "module example.org/m\n\ngo 1.22\n", "src/limit.go": burstOfFour,
		"src/rate/rate.go": "package rate\n\nfunc Rate() int { return 1 }\n"}
	maps.Copy(all, more)
	return all
}

func testOf(pkg, imports, name, wrong string) string {
	return "package " + pkg + "\n\nimport (\n\t\"testing\"\n" + imports + ")\n\nfunc " + name +
		"(t *testing.T) {\n\tif " + wrong + " {\n\t\tt.Error(\"wrong\")\n\t}\n}\n"
}

func (r *rig) measure(one, other objects.Span) bisect.Attribution {
	r.Helper()
	m, err := bisect.Attribute(r.ctx, r.p, [2]objects.Span{one, other}, "")
	r.ok(err)
	return m
}

func (r *rig) tip(id string) objects.Span {
	a := r.agent(id)
	return objects.Span{Name: id, Base: a.Base, Head: a.Head}
}

// measured checks the one finding of a pair.
func (r *rig) measured(m bisect.Attribution, message string, places ...conflict.Place) {
	r.Helper()
	if len(m.Findings) != 1 || len(m.Broken) > 0 {
		r.Fatalf("%+v", m)
	}
	f := m.Findings[0]
	if f.Message != message || !slices.Equal(f.Places, places) {
		r.Errorf("%q %+v", f.Message, f.Places)
	}
	if f.Type != conflict.TestConflict || f.Certainty != conflict.Confirmed || f.Severity != conflict.Error ||
		!f.Blocking || f.Advice == "" {
		r.Errorf("%+v", f)
	}
}

func TestMeasureSaysWhoseChangeBreaksWhoseTest(t *testing.T) {
	long.Only(t)
	plain(t)
	r := begin(t, limits(nil), nil, nil, nil, nil)
	r.p.Config.Verify = []string{"go test ./..."}
	r.works("AGT-001", files{"src/burst_test.go": testOf("src", "", "TestBurst", "Burst() != 4")})
	r.works("AGT-002", files{"src/rate/other.go": "package rate\n\nvar _ = 1\n", "src/limit.go": burstOfFive})
	r.measured(r.measure(r.tip("AGT-001"), r.tip("AGT-002")),
		"AGT-002's changes break AGT-001's test TestBurst (src/burst_test.go).",
		conflict.Place{Agent: "AGT-001", Path: "src/burst_test.go", Line: 9, Symbol: "TestBurst"})

	// From another folder.
	r.works("AGT-003", files{"src/deep/d_test.go": testOf("deep", "\n\t\"example.org/m/src\"\n", "TestDeep",
		"src.Burst() != 4")})
	r.measured(r.measure(r.tip("AGT-002"), r.tip("AGT-003")),
		"AGT-002's changes break AGT-003's test TestDeep (src/deep/d_test.go).",
		conflict.Place{Agent: "AGT-003", Path: "src/deep/d_test.go", Line: 11, Symbol: "TestDeep"})

	// What does not build has no test to name.
	r.works("AGT-004", files{"src/limit.go": "package src\n\nfunc Bursts() int { return 4 }\n"})
	r.measured(r.measure(r.tip("AGT-001"), r.tip("AGT-004")),
		"AGT-004's change to src/limit.go breaks the build of AGT-001's src/burst_test.go (line 8).",
		conflict.Place{Agent: "AGT-001", Path: "src/burst_test.go", Line: 8},
		conflict.Place{Agent: "AGT-004", Path: "src/limit.go"})

	// Both pass together, or git cannot merge them: nothing to say.
	for _, id := range []string{"AGT-001", "AGT-004"} {
		other := "AGT-003"
		if id == "AGT-004" {
			other = "AGT-002"
		}
		if m := r.measure(r.tip(id), r.tip(other)); len(m.Findings) > 0 || len(m.Broken) > 0 {
			t.Errorf("%s: %+v", id, m)
		}
	}
}

func TestMeasureAgainstTheTarget(t *testing.T) {
	plain(t)
	r := begin(t, limits(nil), nil)
	r.p.Config.Verify = []string{"go test ./..."}
	r.works("AGT-001", files{"src/limit.go": burstOfFive})
	r.commit(files{"src/burst_test.go": testOf("src", "", "TestBurst", "Burst() != 4")})
	agent, target := r.tip(
		"AGT-001",
	), objects.Span{
		Name: project.TargetName,
		Base: r.agent("AGT-001").Base,
		Head: r.main(),
	}
	m := r.measure(agent, target)
	r.measured(m, "AGT-001's change to src/limit.go breaks the target's test TestBurst (src/burst_test.go).",
		conflict.Place{Agent: "target", Path: "src/burst_test.go", Line: 9, Symbol: "TestBurst"},
		conflict.Place{Agent: "AGT-001", Path: "src/limit.go"})
	if got := m.Findings[0].Advice; got != `Send AGT-001 back to adapt to the target: "delegate adapt AGT-001".` {
		t.Errorf("advice %q", got)
	}
}

// TestMeasureNamesNoFileThatItDoesNotKnow holds that a file is named where the message or the imports leave no other.
func TestMeasureNamesNoFileThatItDoesNotKnow(t *testing.T) {
	plain(t)
	more := files{"README.md": "Burst\n", "src/a.go": "package src\n\nfunc A() int { return Burst() }\n"}
	r := begin(t, limits(more), nil)
	r.p.Config.Verify = []string{"go vet ./..."}
	r.works("AGT-001", files{"src/new.go": "package src\n\nfunc New() int { return Burst() + 1 }\n"})
	r.commit(files{"README.md": "Bursts\n", "src/a.go": "package src\n\nfunc A() int { return Bursts() }\n",
		"src/limit.go": "package src\n\nfunc Bursts() int { return 4 }\n"})
	target := func() objects.Span {
		return objects.Span{Name: project.TargetName, Base: r.agent("AGT-001").Base, Head: r.main()}
	}
	r.measured(r.measure(r.tip("AGT-001"), target()),
		"The target's change to src/limit.go breaks the build of AGT-001's src/new.go (line 3).",
		conflict.Place{Agent: "AGT-001", Path: "src/new.go", Line: 3},
		conflict.Place{Agent: "target", Path: "src/limit.go"})

	r.p.Config.Verify = []string{"test ! -e src/new.go || test -e src/a.go || { echo src/new.go:3:1: wrong; exit 1; }"}
	r.commit(files{"src/a.go": "-", "src/b.go": "package src\n"})
	r.measured(r.measure(r.tip("AGT-001"), target()),
		"The target's changes break the build of AGT-001's src/new.go (line 3).",
		conflict.Place{Agent: "AGT-001", Path: "src/new.go", Line: 3})
}

func TestMeasureOfATestThatNeitherChanged(t *testing.T) {
	long.Only(t)
	plain(t)
	r := begin(t, limits(files{
		"src/sum_test.go": testOf("src", "\n\t\"example.org/m/src/rate\"\n", "TestSum", "Burst()+rate.Rate() > 6"),
	}), nil, nil, nil)
	r.p.Config.Verify = []string{"go test ./..."}
	r.works("AGT-001", files{"src/limit.go": burstOfFive})
	r.works("AGT-002", files{"src/rate/rate.go": "package rate\n\nfunc Rate() int { return 2 }\n"})
	r.measured(r.measure(r.tip("AGT-001"), r.tip("AGT-002")),
		"AGT-001's change to src/limit.go and AGT-002's change to src/rate/rate.go together break the test TestSum "+
			"(src/sum_test.go).",
		conflict.Place{Agent: "AGT-001", Path: "src/sum_test.go", Line: 11, Symbol: "TestSum"},
		conflict.Place{Agent: "AGT-001", Path: "src/limit.go"},
		conflict.Place{Agent: "AGT-002", Path: "src/rate/rate.go"})

	r.works("AGT-003", files{"src/own_test.go": testOf("src", "", "TestOwn", "true")})
	m := r.measure(r.tip("AGT-001"), r.tip("AGT-003"))
	if !slices.Equal(m.Broken, []string{"AGT-003"}) || len(m.Findings) > 0 {
		t.Errorf("with a side that is broken by itself: %+v", m)
	}
}

func TestMeasureWhereTheOutputTellsNothing(t *testing.T) {
	long.Only(t)
	plain(t)
	r := begin(t, limits(nil), nil, nil)
	r.p.Config.Verify = []string{"go test ./... > out 2>&1 || exit 7"}
	r.works("AGT-001", files{"src/burst_test.go": testOf("src", "", "TestBurst", "Burst() != 4")})
	r.works("AGT-002", files{"src/limit.go": burstOfFive})
	r.measured(
		r.measure(r.tip("AGT-001"), r.tip("AGT-002")),
		`AGT-001 and AGT-002 each pass "go test ./... > out 2>&1 || exit 7" alone and fail it together (exit status 7).`,
	)
}
