package merge

import (
	"context"
	"io"
	"os"
	"slices"

	"delegate/conflict"
	"delegate/internal/project"
	"delegate/internal/suite"
)

// Together are two sides and a commit that has both.
type Together struct {
	Sides  [2]Tip
	Commit string // "" stands for git's own merge of the two
}

// Measured is what tests say of two sides.
type Measured struct {
	Findings []conflict.Finding // TEST_CONFLICTs
	Broken   []string           // sides that fail by themselves, for which nothing can be said about the pair
	Runs     int                // how often commands were run for it
}

// Measure says whose change breaks whose test, where each of two sides passes the verify commands
// and both together fail.
// It says nothing where they pass together, or where git cannot merge them.
func (b *Builder) Measure(ctx context.Context, t Together) (Measured, error) {
	m := &measurement{b: b, both: t.Commit}
	if m.both == "" {
		merged, ok, err := b.stack(ctx, t.Sides[0].Head, t.Sides[1].Head)
		if err != nil || !ok {
			return Measured{}, err
		}
		m.both = merged
	}
	failed, err := m.run(b.p.Verify(ctx, m.both))
	if err != nil || failed.Result != project.Fail {
		return m.Measured, err
	}
	for i, side := range t.Sides {
		if m.sides[i], err = m.alone(ctx, side, failed.Command); err != nil {
			return Measured{}, err
		}
	}
	if len(m.Broken) > 0 {
		return m.Measured, nil
	}
	if m.paths, err = b.p.Repo.Files(ctx, m.both); err != nil {
		return Measured{}, err
	}
	m.failed = failed
	m.look(failed.Output)
	if !m.toldOfOwn() {
		if err := m.runOwnTests(ctx); err != nil {
			return Measured{}, err
		}
	}
	return m.Measured, m.tell(ctx)
}

// measurement is one pair that fails together.
type measurement struct {
	Measured
	b      *Builder
	both   string
	sides  [2]side
	paths  []string // of the commit of both
	failed project.Outcome
	broken []broken
}

// side is one of the two, with what it changed.
type side struct {
	name    string
	changed []string
}

func (s side) has(name string) bool { return slices.Contains(s.changed, name) }

// broken is one test that fails with both, or one file that does not build, by its path in the tree.
type broken struct {
	suite.Failure
	path string
}

// run counts a verification.
func (m *measurement) run(o project.Outcome, err error) (project.Outcome, error) {
	m.Runs += o.Runs
	return o, err
}

// alone looks whether a side passes the command by itself.
func (m *measurement) alone(ctx context.Context, t Tip, line string) (side, error) {
	needed, err := m.b.needed(ctx, t.Head, line)
	if err != nil {
		return side{}, err
	}
	o, err := m.run(m.b.p.VerifyOnly(ctx, t.Head, needed))
	if err != nil {
		return side{}, err
	}
	if o.Result == project.Fail {
		m.Broken = append(m.Broken, t.Name)
	}
	changed, err := m.b.p.ChangedPaths(ctx, t.Base, t.Head)
	return side{t.Name, changed}, err
}

// mostOutput bounds how much of an output is read, from its end, in bytes.
const mostOutput = 4 << 20

// look adds the failures that an output tells, as far as they lie in files of the tree.
func (m *measurement) look(output string) {
	for _, f := range suite.Failures(outputEnd(output)) {
		if name, ok := f.Locate(m.paths); ok && !slices.ContainsFunc(m.broken, func(o broken) bool {
			return o.path == name && o.Test == f.Test
		}) {
			m.broken = append(m.broken, broken{f, name})
		}
	}
}

// outputEnd is the end of a file; "" if it cannot be read, and then nothing is known of it.
func outputEnd(name string) string {
	file, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > mostOutput {
		if _, err := file.Seek(-mostOutput, io.SeekEnd); err != nil {
			return ""
		}
	}
	data, err := io.ReadAll(io.LimitReader(file, mostOutput))
	if err != nil {
		return ""
	}
	return string(data)
}

// toldOfOwn says whether a failure lies in what one of the sides changed.
func (m *measurement) toldOfOwn() bool {
	return slices.ContainsFunc(m.broken, func(f broken) bool {
		return m.sides[0].has(f.path) || m.sides[1].has(f.path)
	})
}

// runOwnTests runs the tests that each side changed on both: the run of everything may have ended
// before it came to them.
func (m *measurement) runOwnTests(ctx context.Context) error {
	needed, err := m.b.needed(ctx, m.both, m.failed.Command)
	if err != nil || len(needed) != 1 {
		return err
	}
	for _, s := range m.sides {
		tests := slices.DeleteFunc(slices.Clone(s.changed), func(name string) bool { return !suite.IsTest(name) })
		narrowed, err := m.b.p.Narrowed(ctx, m.both, needed, tests)
		if err != nil {
			return err
		}
		o, err := m.run(m.b.p.VerifyOnly(ctx, m.both, narrowed))
		if err != nil {
			return err
		}
		if o.Result == project.Fail {
			m.look(o.Output)
		}
	}
	return nil
}
