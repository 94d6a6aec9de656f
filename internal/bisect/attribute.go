package bisect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

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

// tell makes the findings: one for each file in which tests fail, or one without a file where none is told.
func (m *pairTest) tell(ctx context.Context) error {
	var files []string
	for _, f := range m.broken {
		if !slices.Contains(files, f.path) {
			files = append(files, f.path)
		}
	}
	for _, name := range files {
		f, err := m.finding(ctx, name)
		if err != nil {
			return err
		}
		m.Findings = append(m.Findings, f)
	}
	if len(files) == 0 {
		f := m.blank()
		f.Message = fmt.Sprintf("%s and %s each pass %q alone and fail it together (%s).",
			begin(called(m.sides[0].name)), called(m.sides[1].name), m.failed.Command, m.failed.Reason)
		m.Findings = append(m.Findings, f)
	}
	return nil
}

// blank is a finding that does not say what it is about yet.
func (m *pairTest) blank() conflict.Finding {
	f := conflict.Finding{
		Type: conflict.TestConflict, Severity: conflict.Error, Blocking: true, Certainty: conflict.Confirmed,
		Agents: []string{m.sides[0].name, m.sides[1].name},
		Advice: "Decide which of the two is right, land that one first, and send the other back to adapt: \"delegate " +
			"adapt AGT\".",
	}
	if i := slices.Index(f.Agents, project.TargetName); i >= 0 {
		f.Advice = fmt.Sprintf("Send %s back to adapt to the target: \"delegate adapt %[1]s\".", f.Agents[1-i])
	}
	return f
}

// finding is about what fails in one file: of the side that changed it, broken by the other; or of
// nobody's, broken by both.
func (m *pairTest) finding(ctx context.Context, name string) (conflict.Finding, error) {
	f := m.blank()
	first, second := m.sides[0], m.sides[1]
	if first.has(name) != second.has(name) {
		owner, breaker := first, second
		if second.has(name) {
			owner, breaker = second, first
		}
		cause, err := m.cause(ctx, breaker, name)
		if err != nil {
			return f, err
		}
		what, at := m.failing(name, whose(owner.name)+" ")
		f.Message = begin(breaker.change(cause)) + " breaks " + what + "."
		f.Places = places(conflict.Place{Agent: owner.name, Path: name, Line: at.Line, Symbol: at.Test},
			conflict.Place{Agent: breaker.name, Path: cause})
		return f, nil
	}
	one, err := m.cause(ctx, first, name)
	if err != nil {
		return f, err
	}
	other, err := m.cause(ctx, second, name)
	if err != nil {
		return f, err
	}
	what, at := m.failing(name, "")
	f.Message = begin(first.change(one)) + " and " + second.change(other) + " together break " + what + "."
	f.Places = places(conflict.Place{Agent: first.name, Path: name, Line: at.Line, Symbol: at.Test},
		conflict.Place{Agent: first.name, Path: one}, conflict.Place{Agent: second.name, Path: other})
	return f, nil
}

// failing names what fails in a file, with whose it is in front, and gives the first of it.
func (m *pairTest) failing(name, own string) (string, broken) {
	var all []broken
	for _, f := range m.broken {
		if f.path == name {
			all = append(all, f)
		}
	}
	at, named := all[0], 0
	for _, f := range all {
		if f.Test == "" {
			continue
		}
		if named++; named == 1 {
			at = f // a test says more than what does not build
		}
	}
	if own == "" && named > 0 {
		own = "the "
	}
	switch named {
	case 0:
		return fmt.Sprintf("the build of %s%s (line %d)", own, name, at.Line), at
	case 1:
		return fmt.Sprintf("%stest %s (%s)", own, at.Test, name), at
	}
	return fmt.Sprintf("%stests %s and %d more (%s)", own, at.Test, named-1, name), at
}

// mostCauses bounds how many changed files are held against what they can affect.
const mostCauses = 20

// cause is the side's changed file that most likely breaks what is in the named one: code rather
// than tests, in the same folder, else one that can affect it, else the first. It is "" if the side
// changed nothing else.
func (m *pairTest) cause(ctx context.Context, s side, name string) (string, error) {
	others := slices.DeleteFunc(slices.Clone(s.changed), func(p string) bool { return p == name })
	if code := slices.DeleteFunc(slices.Clone(others), suite.IsTest); len(code) > 0 {
		others = code
	}
	if len(others) == 0 {
		return "", nil
	}
	for _, p := range others {
		if path.Dir(p) == path.Dir(name) {
			return p, nil
		}
	}
	units, err := m.affectedBy(ctx, name)
	if err != nil || len(units) == 0 {
		return others[0], err
	}
	for _, p := range others[:min(len(others), mostCauses)] {
		reached, err := m.affectedBy(ctx, p)
		if err != nil {
			return "", err
		}
		if !slices.ContainsFunc(units, func(u string) bool { return !slices.Contains(reached, u) }) {
			return p, nil
		}
	}
	return others[0], nil
}

// affectedBy are the words of the failing command as it is narrowed to one changed file; none where
// nothing narrower is known.
func (m *pairTest) affectedBy(ctx context.Context, name string) ([]string, error) {
	commands, err := needed(ctx, m.p, m.both, m.failed.Command)
	if err != nil || len(commands) == 0 {
		return nil, err
	}
	narrowed, err := m.p.Narrowed(ctx, m.both, commands[len(commands)-1:], []string{name})
	if err != nil || len(narrowed) == 0 {
		return nil, err
	}
	return strings.Fields(narrowed[0].Line), nil
}

// change names what the side did to a file; "" stands for all that it did.
func (s side) change(name string) string {
	if name == "" {
		return whose(s.name) + " change"
	}
	return whose(s.name) + " change to " + name
}

func whose(name string) string { return called(name) + "'s" }

func called(name string) string {
	if name == project.TargetName {
		return "the " + name
	}
	return name
}

// begin makes a text the beginning of a sentence.
func begin(text string) string {
	if rest, ok := strings.CutPrefix(text, "the "); ok {
		return "The " + rest
	}
	return text
}

// places leaves out those without a file.
func places(all ...conflict.Place) []conflict.Place {
	return slices.DeleteFunc(all, func(p conflict.Place) bool { return p.Path == "" })
}
