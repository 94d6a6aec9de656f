package doctor

import (
	"math"
	"os"
	"testing"

	"delegate/internal/git/gittest"
	"delegate/internal/plan/setup"
	"delegate/internal/project"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	gittest.Name()
	os.Exit(m.Run())
}

func TestSpace(t *testing.T) {
	r := gittest.New(t, map[string]string{"tracked": "12345"})
	r.Write(map[string]string{"a/.env": "123", "node_modules/x/y": "1234567",
		".delegate.yaml": "max_parallel_agents: 2\ncopy: [\"**/.env\", node_modules, gone]\n"})
	p, err := project.Open(t.Context(), r.Dir, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := measure(t.Context(), p)
	if err != nil || s.Checkout != (setup.Size{Bytes: 15, Files: 3}) || s.Agents != 2 || s.need() != 45 ||
		s.Free <= 0 || s.short() {
		t.Errorf("%+v, %v", s, err)
	}
	for _, c := range []struct {
		free, bytes int64
		agents      int
		short       bool
	}{{39, 10, 3, true}, {40, 10, 3, false}, {-1, 10, 3, false}, {1 << 40, math.MaxInt64 / 2, math.MaxInt, true}} {
		s := Space{Free: c.free, Checkout: setup.Size{Bytes: c.bytes}, Agents: c.agents}
		if s.short() != c.short {
			t.Errorf("%+v: short %v", c, !c.short)
		}
	}
}
