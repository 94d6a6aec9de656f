package bisect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"delegate/conflict"
	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/land/suite"
	"delegate/internal/project"
)

// Attribution is what tests say of two sides.
type Attribution struct {
	Together project.Result     // of what was run on both together; "" where nothing was
	Findings []conflict.Finding // TEST_CONFLICTs
	Broken   []string           // sides that fail by themselves, so that no finding about the pair is confirmed
	Ended    string             // how the command of the first of these ended, in words; "" without any
	Runs     int                // how often commands were run for it
}

// Alone runs on a commit by itself the command that fails where work is merged onto it, and what the command needs.
// Nothing is known, and the result empty, where the command is none of the commit's, or verify_runs forbids a search.
func Alone(ctx context.Context, p *project.Project, commit, line string) (project.Outcome, error) {
	if o, passed := p.Passed(ctx, commit, []string{line}); passed {
		return o, nil
	}
	commands, err := needed(ctx, p, commit, line)
	if err != nil || len(commands) == 0 || p.Config.VerifyRuns == 0 {
		return project.Outcome{}, err
	}
	return p.VerifyOnly(ctx, commit, commands)
}

// Attribute says whose change breaks whose test, where each of two sides passes the verify commands and both together
// fail. both is a commit that has both sides; "" stands for git's own merge of the two.
// It says nothing where they pass together, or where git cannot merge them.
// Verify commands run at most as often as the key verify_runs allows; beyond that it says nothing.
func Attribute(ctx context.Context, p *project.Project, sides [2]objects.Span, both string) (Attribution, error) {
	return attribute(ctx, &pairTest{p: p, both: both, most: p.Config.VerifyRuns}, sides)
}

// AttributeRefs is Attribute with git's own merge of two refs that no session compares. Where the configuration names
// no verify commands, it runs those that the files call for.
func AttributeRefs(ctx context.Context, p *project.Project, sides [2]objects.Span) (Attribution, error) {
	if !p.Verifies() {
		p.Config.VerifyDetect = true
	}
	for i := range sides {
		if sides[i].Base == "" {
			base, err := p.Repo.MergeBase(ctx, sides[0].Head, sides[1].Head)
			if err != nil {
				return Attribution{}, err
			}
			sides[i].Base = base
		}
	}
	return attribute(ctx, &pairTest{p: p, onlyRefs: true, most: p.Config.VerifyRuns}, sides)
}

// attribute is Attribute with what is known of the pair.
func attribute(ctx context.Context, m *pairTest, sides [2]objects.Span) (Attribution, error) {
	if m.most == 0 {
		return Attribution{}, nil
	}
	p, both := m.p, m.both
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
	m.both = both
	failed, err := p.Verify(ctx, both)
	m.Runs += failed.Runs
	m.Together = failed.Result
	if err != nil || failed.Result != project.Fail {
		return m.Attribution, err
	}
	if m.paths, err = p.Repo.Files(ctx, both); err != nil {
		return Attribution{}, err
	}
	for i, s := range sides {
		if m.sides[i], err = m.look(ctx, s, failed.Command); err != nil {
			return Attribution{}, err
		}
	}
	m.failed = failed
	m.broken = m.failures(failed.Output)
	if len(m.Broken) > 0 {
		m.broken = m.onlyTogether()
	}
	if m.most < 0 || len(m.Broken) > 0 && len(m.broken) == 0 {
		return m.Attribution, nil
	}
	return m.Attribution, m.tell(ctx)
}

// pairTest is one pair that fails together.
type pairTest struct {
	Attribution
	p      *project.Project
	both   string
	most   int  // how many more times commands may run; below 0 where there was no run left for one that was needed
	passed bool // each side is known to pass alone
	// onlyRefs is set where two refs are compared without a session, so that no agent can be sent back.
	onlyRefs bool
	sides    [2]side
	paths    []string // of the commit of both
	failed   project.Outcome
	broken   []broken
	alone    [][]broken // what fails on each side that fails by itself
}

// side is one of the two, with what it changed.
type side struct {
	objects.Span
	changed []string
}

func (s side) has(name string) bool { return slices.Contains(s.changed, name) }

// broken is one test that fails with both, or one file that does not build, by its path in the tree.
type broken struct {
	suite.Failure
	path string
}

// run runs the commands on a commit, and counts it.
func (m *pairTest) run(ctx context.Context, commit string, commands []suite.Command) (project.Outcome, error) {
	if m.most--; m.most < 0 {
		return project.Outcome{}, nil
	}
	o, err := m.p.VerifyOnly(ctx, commit, commands)
	m.Runs += o.Runs
	if o.Cached {
		m.most++
	}
	return o, err
}

// look looks whether a side passes the command by itself.
func (m *pairTest) look(ctx context.Context, t objects.Span, line string) (side, error) {
	changed, err := m.p.ChangedPaths(ctx, t.Base, t.Head)
	if err != nil || m.passed {
		return side{t, changed}, err
	}
	commands, err := needed(ctx, m.p, t.Head, line)
	if err != nil {
		return side{t, changed}, err
	}
	o, err := m.run(ctx, t.Head, commands)
	if o.Result == project.Fail {
		if m.Ended == "" {
			last := cmp.Or(project.Tail(o.Output, 1), o.Reason)
			m.Ended = fmt.Sprintf("%s: %q ended with: %s", t.Name, o.Command, last)
		}
		m.Broken = append(m.Broken, t.Name)
		m.alone = append(m.alone, m.failures(o.Output))
	}
	return side{t, changed}, err
}

// mostOutput bounds how much of an output is read, from its end, in bytes.
const mostOutput = 4 << 20

// failures are those that an output tells, as far as they lie in files of the tree.
func (m *pairTest) failures(output string) []broken {
	var all []broken
	for _, f := range suite.Failures(outputEnd(output)) {
		if name, ok := f.Locate(m.paths); ok && !slices.ContainsFunc(all, broken{f, name}.same) {
			all = append(all, broken{f, name})
		}
	}
	return all
}

// same reports whether both are one test, or do not build one file.
func (b broken) same(o broken) bool { return o.path == b.path && o.Test == b.Test }

// onlyTogether are the tests that fail with both and on neither side alone, where sides fail by themselves. It is none
// where a side does not tell which tests fail there, or something of it does not build: then others were not run.
func (m *pairTest) onlyTogether() []broken {
	left := slices.Clone(m.broken)
	for _, alone := range m.alone {
		if len(alone) == 0 || slices.ContainsFunc(alone, func(b broken) bool { return b.Test == "" }) {
			return nil
		}
		left = slices.DeleteFunc(left, func(b broken) bool {
			return b.Test == "" || slices.ContainsFunc(alone, b.same)
		})
	}
	return left
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
