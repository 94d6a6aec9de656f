package land_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/conflict"
	"delegate/internal/land/bisect"
	"delegate/internal/land/threeway"
	"delegate/internal/project"
)

// counting gives the rig a verify command that notes each run before it does line, and says how many there were.
func (r *rig) counting(line string) func() int {
	r.Helper()
	ran := filepath.Join(r.TempDir(), "ran")
	r.p.Config.Sandbox.Verify = false // the fence of verify commands is shown in internal/project
	r.p.Config.Verify = []string{"echo >>'" + ran + "'; " + line}
	return func() int {
		data, _ := os.ReadFile(ran)
		return len(data)
	}
}

func (r *rig) combine(ids ...string) bisect.Combination {
	r.Helper()
	state := r.state()
	agents := state.Agents[:0:0]
	for _, id := range ids {
		agents = append(agents, r.agent(id))
	}
	c, err := bisect.Combine(r.ctx, r.p, threeway.NewResolutions(r.p.Repo), state, agents, nil)
	r.ok(err)
	return c
}

func TestCombineFindsTheSmallestFailingSet(t *testing.T) {
	const agents = 6
	r := begin(t, files{"src/keep": "x\n"}, make([][]int, agents)...)
	var ids []string
	for n := 1; n <= agents; n++ {
		id := fmt.Sprintf("AGT-%03d", n)
		r.works(id, files{fmt.Sprintf("src/%d", n): "x\n"})
		ids = append(ids, id)
	}
	runs := r.counting("test ! -e src/2 || test ! -e src/5")
	// No more than it may, and what is known by then holds.
	r.p.Config.VerifyRuns = 1
	c := r.combine(ids...)
	if !c.Stopped || !slices.Equal(c.Failing, ids) || runs() != 2+1 {
		t.Errorf("with one run: %+v after %d", c, runs())
	}
	before := runs()
	r.p.Config.VerifyRuns = 20
	c = r.combine(ids...)
	if c.Outcome.Result != project.Fail || !slices.Equal(c.Failing, []string{"AGT-002", "AGT-005"}) ||
		!slices.Equal(c.Agents, ids) {
		t.Errorf("%+v", c)
	}
	// Of six agents: all, none, three prefixes, one alone, two prefixes with that one, both, and
	// the one not seen alone. Five of these fail, and are run twice.
	if c.Runs != runs()-before || runs() > 14 {
		t.Errorf("%d runs are told, %d were made", c.Runs, runs()-before)
	}
	if len(c.Attribution.Findings) != 1 || !strings.HasPrefix(c.Attribution.Findings[0].Message,
		"AGT-002 and AGT-005 each pass ") {
		t.Errorf("measured %+v", c.Attribution)
	}
	// What was found out is not tried again.
	before = runs()
	if again := r.combine(ids...); !slices.Equal(again.Failing, c.Failing) || again.Runs != 0 || runs() != before {
		t.Errorf("again: %+v after %d runs", again, runs()-before)
	}
}

// A confirmed conflict says who fails together: nothing is run to find it.
func TestCombineOfAKnownConflict(t *testing.T) {
	r := begin(t, files{"src/keep": "x\n"}, nil, nil, nil)
	for n := 1; n <= 3; n++ {
		r.works(fmt.Sprintf("AGT-%03d", n), files{fmt.Sprintf("src/%d", n): "x\n"})
	}
	runs := r.counting("test ! -e src/1 || test ! -e src/3")
	found := conflict.Finding{Blocking: true, Certainty: conflict.Confirmed, Agents: []string{"AGT-001", "AGT-003"}}
	state := r.state()
	c, err := bisect.Combine(r.ctx, r.p, threeway.NewResolutions(r.p.Repo), state, state.Agents,
		[]conflict.Finding{found})
	if err != nil || !c.Known || !slices.Equal(c.Failing, found.Agents) || runs() != 2 {
		t.Errorf("%+v, %v after %d runs", c, err, runs())
	}
}

func TestCombineOfOneThatIsBrokenByItself(t *testing.T) {
	r := begin(t, files{"src/keep": "x\n"}, nil, nil)
	r.works("AGT-001", files{"src/1": "x\n"})
	r.works("AGT-002", files{"src/2": "x\n"})
	r.counting("test ! -e src/2")
	c := r.combine("AGT-001", "AGT-002")
	if !slices.Equal(c.Failing, []string{"AGT-002"}) || len(c.Attribution.Findings) > 0 ||
		!slices.Equal(c.Attribution.Broken, []string{"AGT-002"}) {
		t.Errorf("%+v", c)
	}
	r.counting("false")
	if c := r.combine("AGT-001", "AGT-002"); c.Outcome.Result != project.Fail || len(c.Failing) > 0 {
		t.Errorf("where the target fails: %+v", c)
	}
}

func TestCombineTellsWhatIsFlaky(t *testing.T) {
	r := begin(t, files{"src/keep": "x\n"}, nil, nil)
	r.works("AGT-001", files{"src/1": "x\n"})
	r.works("AGT-002", files{"src/2": "x\n"})
	once := filepath.Join(t.TempDir(), "once")
	r.p.Config.Sandbox.Writable = append(r.p.Config.Sandbox.Writable, filepath.Dir(once))
	runs := r.counting("test -e '" + once + "' || { touch '" + once + "'; exit 1; }")
	c := r.combine("AGT-001", "AGT-002")
	if c.Outcome.Result != project.Pass || c.Runs != 2 || runs() != 2 || len(c.Flaky) != 1 ||
		!strings.Contains(c.Flaky[0], "passed when it was run again") {
		t.Errorf("%+v after %d runs", c, runs())
	}
}
