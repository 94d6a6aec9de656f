package bisect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
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
	Together project.Result     // of what was run on both together; "" where nothing was
	Findings []conflict.Finding // TEST_CONFLICTs
	Broken   []string           // sides that fail by themselves, for which nothing can be said about the pair
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

// Reached is Attribute with git's own merge of the two, for no more than the tests that their changes can reach, as far
// as that is known: those of both on the merge, and those of either on each side. Where the configuration names no
// verify commands it is those that the files call for.
func Reached(ctx context.Context, p *project.Project, sides [2]objects.Span) (Attribution, error) {
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
	return attribute(ctx, &pairTest{p: p, reached: true, most: p.Config.VerifyRuns}, sides)
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
	failed, err := m.first(ctx, sides[0].Base)
	m.Together = failed.Result
	if err != nil || failed.Result != project.Fail {
		return m.Attribution, err
	}
	for i, s := range sides {
		if m.sides[i], err = m.alone(ctx, s, failed.Command); err != nil {
			return Attribution{}, err
		}
	}
	if len(m.Broken) > 0 || m.most < 0 {
		return m.Attribution, nil
	}
	if m.paths, err = p.Repo.Files(ctx, both); err != nil {
		return Attribution{}, err
	}
	m.failed = failed
	m.look(failed.Output)
	if !m.reached && !m.liesInOwn() && m.most >= len(m.sides) {
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
	most   int  // how many more times commands may run; below 0 where there was no run left for one that was needed
	passed bool // each side is known to pass alone
	// reached is set where only the tests that changes can reach are run.
	reached bool
	sides   [2]side
	paths   []string // of the commit of both
	failed  project.Outcome
	broken  []broken
}

// first runs the commands on both together.
func (m *pairTest) first(ctx context.Context, base string) (project.Outcome, error) {
	if m.reached {
		return m.affected(ctx, m.both, base)
	}
	return m.p.Verify(ctx, m.both)
}

// affected runs on a commit what its changes can affect, or everything where no less is known.
func (m *pairTest) affected(ctx context.Context, commit, base string) (project.Outcome, error) {
	o, err := m.p.VerifyAffected(ctx, commit, base)
	if err == nil && o.Result == project.NoCommands {
		o, err = m.p.Verify(ctx, commit)
	}
	m.Runs += o.Runs
	return o, err
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

// alone looks whether a side passes the command by itself.
func (m *pairTest) alone(ctx context.Context, t objects.Span, line string) (side, error) {
	changed, err := m.p.ChangedPaths(ctx, t.Base, t.Head)
	if err != nil || m.passed {
		return side{t, changed}, err
	}
	var o project.Outcome
	if m.reached {
		o, err = m.affected(ctx, t.Head, t.Base)
	} else {
		var commands []suite.Command
		if commands, err = needed(ctx, m.p, t.Head, line); err == nil {
			o, err = m.run(ctx, t.Head, commands)
		}
	}
	if o.Result == project.Fail {
		m.Broken = append(m.Broken, t.Name)
	}
	return side{t, changed}, err
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

// liesInOwn says whether a failure lies in what one of the sides changed.
func (m *pairTest) liesInOwn() bool {
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
		o, err := m.run(ctx, m.both, narrowed)
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
			begin(called(m.sides[0].Name)), called(m.sides[1].Name), m.failed.Command, m.failed.Reason)
		m.Findings = append(m.Findings, f)
	}
	return nil
}

// blank is a finding that does not say what it is about yet.
func (m *pairTest) blank() conflict.Finding {
	f := conflict.Finding{
		Type: conflict.TestConflict, Severity: conflict.Error, Blocking: true, Certainty: conflict.Confirmed,
		Agents: []string{m.sides[0].Name, m.sides[1].Name},
		Advice: "Decide which of the two is right, land that one first, and send the other back to adapt: \"delegate " +
			"adapt AGT\".",
	}
	if m.reached {
		f.Advice = "Decide which of the two is right, merge that one first, and change the other."
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
		what, at := m.failing(name, whose(owner.Name)+" ")
		cause, err := m.cause(ctx, breaker, at)
		if err != nil {
			return f, err
		}
		breaks := " breaks "
		if cause == "" {
			breaks = " break "
		}
		f.Message = begin(breaker.change(cause)) + breaks + what + "."
		f.Places = places(conflict.Place{Agent: owner.Name, Path: name, Line: at.Line, Symbol: at.Test},
			conflict.Place{Agent: breaker.Name, Path: cause})
		return f, nil
	}
	what, at := m.failing(name, "")
	one, err := m.cause(ctx, first, at)
	if err != nil {
		return f, err
	}
	other, err := m.cause(ctx, second, at)
	if err != nil {
		return f, err
	}
	f.Message = begin(first.change(one)) + " and " + second.change(other) + " together break " + what + "."
	f.Places = places(conflict.Place{Agent: first.Name, Path: name, Line: at.Line, Symbol: at.Test},
		conflict.Place{Agent: first.Name, Path: one}, conflict.Place{Agent: second.Name, Path: other})
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

// mostCauses bounds how many changed files, and how many words of a message, are looked at for a cause.
const mostCauses = 20

// cause is the one file of the side's changes that can break what is in the named one: the only one that is code, the
// only one whose change has a name in it that the message complains of, or the only one that the named one depends on.
// It is "" where several can be: a guess would be told as a fact.
func (m *pairTest) cause(ctx context.Context, s side, at broken) (string, error) {
	code := slices.DeleteFunc(slices.Clone(s.changed), func(p string) bool {
		return p == at.path || suite.IsTest(p) || at.Test == "" && path.Ext(p) != path.Ext(at.path)
	})
	if len(code) == 1 {
		return code[0], nil
	}
	for _, expression := range mentions(at.Said) {
		with, err := m.p.Repo.ChangesOf(ctx, s.Base, s.Head, expression)
		if err != nil {
			return "", err
		}
		with = slices.DeleteFunc(with, func(p string) bool { return !slices.Contains(code, p) })
		if len(with) == 1 {
			return with[0], nil
		}
	}
	units, err := m.affectedBy(ctx, at.path)
	if err != nil || len(units) == 0 || len(code) > mostCauses {
		return "", err
	}
	found := ""
	for _, p := range code {
		reached, err := m.affectedBy(ctx, p)
		if err != nil {
			return "", err
		}
		if slices.ContainsFunc(units, func(u string) bool { return !slices.Contains(reached, u) }) {
			continue
		}
		if found != "" {
			return "", nil
		}
		found = p
	}
	return found, nil
}

// mentions are extended regular expressions for lines that declare, and for lines that have, a name of the message;
// the longest names first: those of code are longer than words of English.
func mentions(said string) []string {
	const declares = "(func|function|fn|def|class|type|struct|interface|enum|const|var|let) +(\\([^)]*\\) *)?"
	words := regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]{2,}`).FindAllString(said, mostCauses)
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var all []string
	for _, word := range slices.Compact(words) {
		end := word + "([^A-Za-z0-9_]|$)"
		all = append(all, declares+end, "(^|[^A-Za-z0-9_])"+end)
	}
	return all
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
		return whose(s.Name) + " changes"
	}
	return whose(s.Name) + " change to " + name
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
