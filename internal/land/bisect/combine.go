// Package bisect finds the agents whose work fails together, and whose change breaks whose test.
package bisect

import (
	"context"
	"errors"
	"slices"
	"strings"

	"delegate/conflict"
	"delegate/internal/git"
	"delegate/internal/git/objects"
	"delegate/internal/land/suite"
	"delegate/internal/land/threeway"
	"delegate/internal/project"
	"delegate/registry"
)

// Combination is what all ready agents make together on the target.
type Combination struct {
	Tip     string   // the target's commit
	Agents  []string // those whose work merges without conflict, in order
	Left    []string // those that git cannot merge onto the ones before them
	Outcome project.Outcome
	Failing []string // the smallest set found whose combination fails although the target passes
	// Known says that Failing are the sides of a confirmed conflict: nothing was run to find them.
	Known bool
	// Stopped says that the search ended at its limit: a smaller set than Failing may fail as well.
	Stopped bool
	Runs    int      // how often commands were run to find that out
	Flaky   []string // sentences about commands that did not say the same twice
	// Attribution says, where two of the agents fail together or one fails with the target, whose
	// change breaks whose test.
	Attribution Attribution
}

// Combine builds and verifies the agents' work together, away from every checkout, before anyone is
// asked about a part of it. If the combination fails, and none of the conflicts found between the agents is confirmed,
// it is narrowed down to a smallest failing set, with as many runs of the verify commands as the
// key verify_runs allows.
//
// Candidates are tried one after the other and not side by side: builds and tests fill several
// processors by themselves, and two at once come nearer to their time limits.
func Combine(ctx context.Context, p *project.Project, resolutions *threeway.Resolutions, state registry.State,
	agents []registry.Agent, found []conflict.Finding) (Combination, error) {
	tip, err := p.Target(ctx, *state.Session)
	if err != nil {
		return Combination{}, err
	}
	s := &search{p: p, resolutions: resolutions, tip: tip, session: state.Agents, agents: map[string]registry.Agent{},
		seen: map[string]bool{}, found: Combination{Tip: tip}}
	at := tip
	for _, a := range agents {
		s.agents[a.ID] = a
		next, ok, err := s.stack(ctx, at, a.ID)
		if err != nil {
			return Combination{}, err
		}
		if !ok {
			s.found.Left = append(s.found.Left, a.ID)
			continue
		}
		at, s.found.Agents = next, append(s.found.Agents, a.ID)
	}
	c := &s.found
	if len(c.Agents) < 2 {
		c.Outcome.Result = project.NoCommands
		return *c, nil
	}
	if c.Outcome, err = p.Verify(ctx, at); err != nil {
		return Combination{}, err
	}
	s.count(c.Outcome)
	if c.Outcome.Result != project.Fail {
		return *c, nil
	}
	for _, f := range found {
		if Explains(f) && s.all(f.Agents) {
			c.Failing, c.Known = f.Agents, true
			return *c, nil
		}
	}
	return *c, s.narrow(ctx)
}

// TargetFails says that the target fails by itself, without any of the agents.
func (c Combination) TargetFails() bool {
	return c.Outcome.Result == project.Fail && !c.Known && !c.Stopped && len(c.Failing) == 0
}

// Explains says whether a finding tells for sure why its sides fail together.
func Explains(f conflict.Finding) bool { return f.Blocking && f.Certainty == conflict.Confirmed }

// all says whether all of the agents are in the combination.
func (s *search) all(ids []string) bool {
	return !slices.ContainsFunc(ids, func(id string) bool { return !slices.Contains(s.found.Agents, id) })
}

// narrow looks for a smallest failing set, and for whose change breaks whose test in one of two.
func (s *search) narrow(ctx context.Context) error {
	c := &s.found
	c.Failing = c.Agents
	s.most = s.p.Config.VerifyRuns
	s.command = c.Outcome.Command
	s.seen[strings.Join(c.Agents, " ")] = true
	var err error
	c.Failing, err = smallestFailing(c.Agents, func(set []string) (bool, error) { return s.fails(ctx, set) })
	if errors.Is(err, errNoRunLeft) {
		c.Stopped = true
		return nil
	}
	if err == nil && (len(c.Failing) == 1 || len(c.Failing) == 2) {
		c.Attribution, err = s.attribute(ctx)
		c.Runs += c.Attribution.Runs
	}
	return err
}

// errNoRunLeft ends a search.
var errNoRunLeft = errors.New("the search has run the verify commands as often as it may")

// stack merges an agent's head onto at as a candidate would; false if that does not go.
func (s *search) stack(ctx context.Context, at, id string) (string, bool, error) {
	a := s.agents[id]
	ours, theirs, err := s.p.MergeParents(ctx, project.MergeInputs{Agents: s.session, Agent: a, Base: at, Head: a.Head})
	if err != nil && !errors.Is(err, git.ErrNoMergeBase) {
		return "", false, err
	}
	merged, err := s.p.Repo.Merge(ctx, ours, theirs)
	if errors.Is(err, git.ErrNoMergeBase) {
		return "", false, nil
	}
	if err == nil && !merged.Clean {
		var known threeway.Applied
		known, err = s.resolutions.Apply(ctx, s.p.Repo, merged)
		merged = git.Merged{Tree: known.Tree, Clean: known.Tree != ""}
	}
	if err != nil || !merged.Clean {
		return "", false, err
	}
	next, err := s.p.Repo.CommitTreeLike(ctx, merged.Tree, "Candidate of "+a.ID+"\n", at, a.Head) // mostly is one, too
	return next, true, err
}

// search looks for the agents who fail together. Only the command that failed is run.
type search struct {
	p           *project.Project
	resolutions *threeway.Resolutions
	tip         string
	session     []registry.Agent
	agents      map[string]registry.Agent // of the combination
	command     string                    // the one that failed
	seen        map[string]bool
	most        int // how many more times commands may run
	found       Combination
}

// count adds what a verification took to what is said about the search.
func (s *search) count(o project.Outcome) {
	s.found.Runs += o.Runs
	for _, f := range o.Flaky {
		if text := f.String(); !slices.Contains(s.found.Flaky, text) {
			s.found.Flaky = append(s.found.Flaky, text)
		}
	}
}

// try runs what shows the failure on a commit. NoCommands says that the command is none of that commit's.
func (s *search) try(ctx context.Context, commit string) (project.Outcome, error) {
	if o, passed := s.p.Passed(ctx, commit, []string{s.command}); passed {
		return o, nil
	}
	commands, err := needed(ctx, s.p, commit, s.command)
	if err != nil {
		return project.Outcome{}, err
	}
	if s.most--; s.most < 0 {
		return project.Outcome{}, errNoRunLeft
	}
	o, err := s.p.VerifyOnly(ctx, commit, commands)
	if o.Cached {
		s.most++
	}
	s.count(o)
	return o, err
}

// needed are the commands that show whether the command line passes on a commit; none if it is none of that commit's.
func needed(ctx context.Context, p *project.Project, commit, line string) ([]suite.Command, error) {
	all, err := p.Commands(ctx, commit)
	if err != nil {
		return nil, err
	}
	lines := suite.Lines(all)
	if !slices.Contains(lines, line) {
		return nil, nil
	}
	upto := suite.Upto(lines, line)
	return slices.DeleteFunc(all, func(c suite.Command) bool { return !slices.Contains(upto, c.Line) }), nil
}

// fails tries the target with just these agents on it. A set that git does not merge says nothing and counts as sound.
func (s *search) fails(ctx context.Context, set []string) (bool, error) {
	key := strings.Join(set, " ")
	if bad, known := s.seen[key]; known {
		return bad, nil
	}
	at, ok, err := s.on(ctx, set)
	if err != nil || !ok {
		return false, err
	}
	o, err := s.try(ctx, at)
	if err != nil {
		return false, err
	}
	s.seen[key] = o.Result == project.Fail
	return s.seen[key], nil
}

// on is a commit of the target with just these agents on it; false if git cannot merge them.
func (s *search) on(ctx context.Context, set []string) (string, bool, error) {
	at := s.tip
	for _, id := range set {
		next, ok, err := s.stack(ctx, at, id)
		if err != nil || !ok {
			return "", false, err
		}
		at = next
	}
	return at, true, nil
}

// attribute says of two agents, or of one and the target, whose change breaks whose test.
func (s *search) attribute(ctx context.Context) (Attribution, error) {
	both, ok, err := s.on(ctx, s.found.Failing)
	if err != nil || !ok {
		return Attribution{}, err
	}
	var sides []objects.Span
	for _, id := range s.found.Failing {
		alone, _, err := s.on(ctx, []string{id})
		if err != nil {
			return Attribution{}, err
		}
		sides = append(sides, objects.Span{Name: id, Base: s.tip, Head: alone})
	}
	if len(sides) == 1 {
		head := s.agents[sides[0].Name].Head
		fork, err := s.p.Repo.MergeBase(ctx, head, s.tip)
		if err != nil || fork == s.tip { // nothing but its own work is in there
			return Attribution{Broken: s.found.Failing}, err
		}
		sides = []objects.Span{{Name: sides[0].Name, Base: fork, Head: head},
			{Name: project.TargetName, Base: fork, Head: s.tip}}
	}
	pair := &pairTest{p: s.p, both: both, most: s.most, passed: len(s.found.Failing) == 2}
	return attribute(ctx, pair, [2]objects.Span(sides))
}

// smallestFailing narrows a failing sequence down by prefixes: the last member of the shortest
// failing prefix is a culprit; it is kept, and the rest is searched together with what is kept,
// until that alone fails. The result is minimal as long as adding an agent never repairs what
// others break. No agent at all failing answers an empty set. Where fails is an error the set is the
// smallest that is known to fail.
func smallestFailing(all []string, fails func([]string) (bool, error)) ([]string, error) {
	var kept []string
	rest := all
	for {
		bad, err := fails(kept)
		if err != nil {
			return inOrder(all, kept, rest), err
		}
		if bad {
			return kept, nil
		}
		low, high := 1, len(rest) // the prefix of length high is known to fail together with kept
		for low < high {
			middle := (low + high) / 2
			bad, err := fails(inOrder(all, kept, rest[:middle]))
			if err != nil {
				return inOrder(all, kept, rest[:high]), err
			}
			if bad {
				high = middle
			} else {
				low = middle + 1
			}
		}
		if low > len(rest) || len(rest) == 0 {
			return kept, nil // nothing left to add: what is seen is not stable
		}
		kept = inOrder(all, kept, rest[low-1:low])
		rest = rest[:low-1]
	}
}

// inOrder is the union of the sets in the order of all.
func inOrder(all []string, sets ...[]string) []string {
	var union []string
	for _, id := range all {
		for _, set := range sets {
			if slices.Contains(set, id) {
				union = append(union, id)
				break
			}
		}
	}
	return union
}
