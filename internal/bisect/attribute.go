package bisect

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"delegate/conflict"
	"delegate/internal/git"
	"delegate/internal/objects"
	"delegate/internal/project"
	"delegate/internal/suite"
)

// Attribution is what tests say of two sides.
type Attribution struct {
	Findings []conflict.Finding // TEST_CONFLICTs
	Broken   []string           // sides that fail by themselves, for which nothing can be said about the pair
	Runs     int                // how often commands were run for it
}

// Attribute says whose change breaks whose test, where each of two sides passes the verify commands and both together
// fail. both is a commit that has both sides; "" stands for git's own merge of the two.
// It says nothing where they pass together, or where git cannot merge them.
func Attribute(ctx context.Context, p *project.Project, sides [2]objects.Span, both string) (Attribution, error) {
	if both == "" {
		merged, err := p.Repo.Merge(ctx, sides[0].Head, sides[1].Head)
		if errors.Is(err, git.ErrNoMergeBase) || err == nil && !merged.Clean {
			return Attribution{}, nil
		}
		if err == nil {
			both, err = p.Repo.CommitTree(ctx, merged.Tree, "Combination\n", sides[0].Head, sides[1].Head)
		}
		if err != nil {
			return Attribution{}, err
		}
	}
	m := &pairTest{p: p, both: both}
	failed, err := m.run(p.Verify(ctx, both))
	if err != nil || failed.Result != project.Fail {
		return m.Attribution, err
	}
	for i, s := range sides {
		if m.sides[i], err = m.alone(ctx, s, failed.Command); err != nil {
			return Attribution{}, err
		}
	}
	if len(m.Broken) > 0 {
		return m.Attribution, nil
	}
	if m.paths, err = p.Repo.Files(ctx, both); err != nil {
		return Attribution{}, err
	}
	m.failed = failed
	m.look(failed.Output)
	if !m.toldOfOwn() {
		if err := m.runOwnTests(ctx); err != nil {
			return Attribution{}, err
		}
	}
	return m.Attribution, m.tell(ctx)
}

// pairTest is one pair that fails together.
type pairTest struct {
	Attribution
	p      *project.Project
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
func (m *pairTest) run(o project.Outcome, err error) (project.Outcome, error) {
	m.Runs += o.Runs
	return o, err
}

// alone looks whether a side passes the command by itself.
func (m *pairTest) alone(ctx context.Context, t objects.Span, line string) (side, error) {
	commands, err := needed(ctx, m.p, t.Head, line)
	if err != nil {
		return side{}, err
	}
	o, err := m.run(m.p.VerifyOnly(ctx, t.Head, commands))
	if err != nil {
		return side{}, err
	}
	if o.Result == project.Fail {
		m.Broken = append(m.Broken, t.Name)
	}
	changed, err := m.p.ChangedPaths(ctx, t.Base, t.Head)
	return side{t.Name, changed}, err
}

// mostOutput bounds how much of an output is read, from its end, in bytes.
const mostOutput = 4 << 20

// look adds the failures that an output tells, as far as they lie in files of the tree.
func (m *pairTest) look(output string) {
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
func (m *pairTest) toldOfOwn() bool {
	return slices.ContainsFunc(m.broken, func(f broken) bool {
		return m.sides[0].has(f.path) || m.sides[1].has(f.path)
	})
}

// runOwnTests runs the tests that each side changed on both: the run of everything may have ended
// before it came to them.
func (m *pairTest) runOwnTests(ctx context.Context) error {
	commands, err := needed(ctx, m.p, m.both, m.failed.Command)
	if err != nil || len(commands) != 1 {
		return err
	}
	for _, s := range m.sides {
		tests := slices.DeleteFunc(slices.Clone(s.changed), func(name string) bool { return !suite.IsTest(name) })
		narrowed, err := m.p.Narrowed(ctx, m.both, commands, tests)
		if err != nil {
			return err
		}
		o, err := m.run(m.p.VerifyOnly(ctx, m.both, narrowed))
		if err != nil {
			return err
		}
		if o.Result == project.Fail {
			m.look(o.Output)
		}
	}
	return nil
}
