package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"delegate/conflict"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/land/analyze"
	"delegate/internal/land/bisect"
	"delegate/internal/land/compare"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/registry"

	"github.com/spf13/cobra"
)

type tipView struct {
	Ref    string `json:"ref"`
	Commit string `json:"commit"`
}

type conflictsView struct {
	Base     string             `json:"base"`
	Tips     []tipView          `json:"tips"`
	Findings []conflict.Finding `json:"findings"`
	Tests    []pairTests        `json:"tests,omitempty"` // where they were asked for
	// unpulled is what the branch here lacks of what others merged, and the work was compared with.
	unpulled session.Unpulled
	kept     *compare.Answer // all of it as JSON, where it is printed as that and kept
}

// pairTests is how the tests did on the merge of a pair.
type pairTests struct {
	Tips   [2]string `json:"tips"`
	Result string    `json:"result"` // passed, failed, failed_alone or not_run
	Text   string    `json:"text"`
}

// How conflicts are printed.
const (
	formatText  = "text"
	formatJSON  = "json"
	formatSARIF = "sarif"
)

// conflictsCommand is `delegate conflicts [REF...]`: the session's agents, or any branches and worktrees.
func (a *app) conflictsCommand() *cobra.Command {
	base, depth, format, tests := "", string(analyze.Checked), formatText, false
	c := a.jsonFlag(command("conflicts [REF|AGENT...]",
		"find conflicts between agents, or between any branches and worktrees", cobra.ArbitraryArgs,
		func(ctx context.Context, args []string) error {
			if len(args) == 1 {
				return &usageError{fmt.Errorf("one reference has nothing to conflict with: name two or more"),
					"delegate conflicts"}
			}
			if !slices.Contains(analyze.Depths(), analyze.Depth(depth)) {
				return &usageError{fmt.Errorf("depth %q is none of text, symbols, checked", depth),
					"delegate conflicts --depth symbols"}
			}
			if a.json && format == formatText {
				format = formatJSON
			}
			if !slices.Contains([]string{formatText, formatJSON, formatSARIF}, format) {
				return &usageError{fmt.Errorf("format %q is none of text, json, sarif", format),
					"delegate conflicts --format sarif"}
			}
			v, err := a.compareTips(ctx, args, comparison{base: base, depth: analyze.Depth(depth), tests: tests,
				keeps: format == formatJSON && !tests})
			if err != nil {
				return err
			}
			return a.printConflicts(v, format)
		}))
	c.Long = "Compares the work of the session's agents, or of the given branches, commits and worktrees, each\n" +
		"with each. The exit code is 3 if a finding would prevent two of them from being merged, and 0 if\n" +
		"there are only suspicions."
	c.Flags().StringVar(&base, "base", "", "commit that all work started from (default: the merge base of each pair)")
	c.Flags().BoolVar(&tests, "run-tests", false, "also run the tests on the merge of "+
		"each pair and where they fail on each side, in a sandbox (time limit: verify_timeout)")
	c.Flags().StringVar(&format, "format", format, "output format: text, json, sarif (for code scanning services)")
	c.Flags().StringVar(&depth, "depth", depth, "analysis depth: text (git's own merge), symbols (what the code "+
		"defines and uses), checked (a type checker for suspicions)")
	return c
}

// comparison is how far to look, and from which commit on.
type comparison struct {
	base  string
	depth analyze.Depth
	tests bool // are run
	keeps bool // the answer as JSON, for when nothing moves
}

// compareTips compares the references or worktrees, or the session's agents where none are named.
func (a *app) compareTips(ctx context.Context, names []string, c comparison) (conflictsView, error) {
	p, state, err := a.compared(ctx, names, c)
	if err != nil {
		return conflictsView{}, err
	}
	b := compare.New(p)
	defer b.Close()
	var tips []objects.Span
	var unread []conflict.Finding
	base := c.base
	if len(names) == 0 {
		base = state.Session.Base
		tips, unread, err = compare.SessionTips(ctx, p, state)
		c.keeps = c.keeps && len(unread) == 0
	} else {
		tips, err = a.namedTips(ctx, b, p, names, base)
	}
	if err != nil {
		return conflictsView{}, err
	}
	asked := base
	if c.keeps {
		if kept, known := b.Recall(tips, asked, c.depth); known {
			return conflictsView{kept: &kept}, nil
		}
	}
	findings, err := b.Compare(ctx, tips, c.depth)
	if err == nil && len(names) == 0 && c.depth == analyze.Checked {
		var adapted []conflict.Finding
		adapted, err = b.Adapted(ctx, state, tips)
		findings = append(findings, adapted...)
	}
	findings = conflict.Sorted(append(findings, unread...))
	var tests []pairTests
	if err == nil && c.tests {
		var failing []conflict.Finding
		failing, tests, err = testPairs(ctx, p, tips)
		err = errors.Join(err, dropScratch(ctx, p))
		findings = slices.DeleteFunc(findings, func(f conflict.Finding) bool { // a guess at what was now run
			return f.Type == conflict.TestConflict && f.Severity == conflict.Info
		})
		findings = conflict.Sorted(append(findings, failing...))
	}
	if err != nil {
		return conflictsView{}, err
	}
	base, err = b.SharedBase(ctx, tips, base)
	v := conflictsView{Base: base, Tips: viewTips(tips), Findings: findings, Tests: tests}
	if len(names) == 0 {
		v.unpulled = unpulled(ctx, p, state)
	}
	if err == nil && c.keeps {
		var text bytes.Buffer
		err = writeJSON(&text, v)
		v.kept = &compare.Answer{Blocking: conflict.Blocking(findings), Text: text.Bytes()}
		b.Keep(tips, asked, c.depth, *v.kept)
	}
	return v, err
}

// compared is the repository to compare in, with the session where no names are given.
func (a *app) compared(ctx context.Context, names []string, c comparison) (*project.Project, registry.State, error) {
	if len(names) == 0 {
		p, state, err := a.active(ctx)
		if isAny(err, project.ErrNoSession, git.ErrBare) {
			err = &noTipsError{err}
		}
		return p, state, err
	}
	o := a.env.options()
	o.Bare = !c.tests
	p, err := a.openWith(ctx, o)
	if c.tests && errors.Is(err, git.ErrBare) {
		err = fmt.Errorf("--run-tests runs the tests in a checkout next to one of yours: %w", err)
	}
	return p, registry.State{}, err
}

// testPairs runs the tests of every pair that git can merge, and says how they did.
func testPairs(ctx context.Context, p *project.Project, tips []objects.Span) (found []conflict.Finding,
	said []pairTests, err error) {
	for i, one := range tips {
		for _, other := range tips[i+1:] {
			attribution, err := bisect.AttributeRefs(ctx, p, [2]objects.Span{one, other})
			if err != nil && !errors.Is(err, git.ErrNoMergeBase) {
				return nil, nil, err
			}
			found = append(found, attribution.Findings...)
			tests := testResult(attribution)
			tests.Tips = [2]string{one.Name, other.Name}
			said = append(said, tests)
		}
	}
	return found, said, nil
}

// testResult is how the tests of a pair did on its merge.
func testResult(a bisect.Attribution) pairTests {
	switch {
	case len(a.Broken) > 0:
		known := "so nothing is known of the merge"
		if len(a.Findings) > 0 {
			known = "and others on the merge"
		}
		return pairTests{Result: "failed_alone",
			Text: fmt.Sprintf("tests fail on %s alone, %s (%s)", names(a.Broken), known, a.Ended)}
	case a.Together == project.Pass:
		return pairTests{Result: "passed", Text: "the tests pass on the merge"}
	case a.Together == project.Fail:
		return pairTests{Result: "failed", Text: "tests fail on the merge"}
	}
	return pairTests{Result: "not_run", Text: "no tests were run"}
}

// noTipsError says that there is nothing to compare, because nothing was named and no session is active.
type noTipsError struct{ err error }

func (e *noTipsError) Error() string { return e.err.Error() }

func (e *noTipsError) Unwrap() error { return e.err }

// namedTips resolves what a person typed: references and worktrees, else agents of the session.
func (a *app) namedTips(ctx context.Context, b *compare.Comparer, p *project.Project, names []string,
	base string) ([]objects.Span, error) {
	state, err := p.Store.View(ctx)
	if err == nil && state.Session != nil {
		a.state = state
	}
	all, err := b.NamedTips(ctx, names, base)
	if !errors.Is(err, git.ErrNoCommit) {
		return all, err
	}
	all = nil
	for _, name := range names {
		tips, err := b.NamedTips(ctx, []string{name}, base)
		if errors.Is(err, git.ErrNoCommit) {
			if ag, findErr := state.Find(name); findErr == nil {
				tips, err = agentTip(ctx, p, state, ag)
			} else {
				err = noTip(ctx, p, name, err)
			}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, tips...)
	}
	return all, nil
}

// noTipError says that a name to compare is neither a reference nor a worktree nor an agent.
type noTipError struct {
	error
	remote string // branch of a remote by that name, as git takes it, such as origin/main; "" for none
}

func (e *noTipError) Unwrap() error { return e.error }

// noTip is err, with the branch of that name of a remote, if there is one.
func noTip(ctx context.Context, p *project.Project, name string, err error) error {
	known, _ := p.Repo.RefsUnder(ctx, "refs/remotes/") // without them the error says less
	for _, ref := range slices.Sorted(maps.Keys(known)) {
		if ref = strings.TrimPrefix(ref, "refs/remotes/"); strings.HasSuffix(ref, "/"+name) {
			return &noTipError{err, ref}
		}
	}
	return &noTipError{error: err}
}

// agentTip is an agent's work as it is now.
func agentTip(ctx context.Context, p *project.Project, state registry.State, ag registry.Agent) ([]objects.Span,
	error) {
	if ag.Status == registry.Aborted && ag.Head != "" {
		return nil, fmt.Errorf("compare %s: it is aborted; its work is kept: compare commit %.12s", ag.Name, ag.Head)
	}
	state.Agents = []registry.Agent{ag}
	tips, unread, err := compare.SessionTips(ctx, p, state)
	if err == nil && len(unread) > 0 {
		err = errors.New(unread[0].Message)
	} else if err == nil && tips[0].Name != ag.ID { // the branch's
		err = fmt.Errorf("compare %s: it has no work yet", ag.Name)
	}
	return tips[:min(1, len(tips))], err
}

func viewTips(tips []objects.Span) []tipView {
	all := make([]tipView, 0, len(tips))
	for _, t := range tips {
		all = append(all, tipView{Ref: t.Name, Commit: t.Head})
	}
	return all
}

func (a *app) printConflicts(v conflictsView, format string) (err error) {
	blocked := conflict.Blocking(v.Findings)
	switch {
	case format == formatJSON && v.kept != nil:
		blocked = v.kept.Blocking
		_, err = a.out.Write(v.kept.Text)
	case format == formatJSON:
		err = a.printJSON(v)
	case format == formatSARIF:
		err = a.printJSON(sarif(named(a.state, v.Findings)))
	case len(v.Findings) == 0:
		a.printf("No conflicts among %s.\n", ui.Plural(len(v.Tips), "tip"))
	default:
		a.printFindings(named(a.state, v.Findings))
	}
	if format == formatText {
		if !v.unpulled.None() {
			a.printPoint(text(v.unpulled.String())+"; the work was compared with that.", v.unpulled.Next())
		}
		for _, t := range v.Tests {
			a.printf("%s.\n", text(forPeople(a.state, fmt.Sprintf("%s × %s: %s", t.Tips[0], t.Tips[1], t.Text))))
		}
	}
	if err == nil && blocked {
		err = errBlocked
	}
	return err
}
