package guard

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"delegate/scope"
)

// Verdict is the answer about one call. One that allows says nothing else.
type Verdict struct {
	Allowed bool
	// Path is what was refused, from the worktree's root or absolute; "" if no path decided.
	Path string
	// Pattern is the glob that decided, or the name of the rule, such as "git push"; "" if no allowed glob matched.
	Pattern string
	// Personal says that a person refused what the scope allows, or was not there to allow it: no violation.
	Personal bool
	// Reason tells the agent what was refused, why, and what to do instead.
	Reason string
}

// AskForMore tells an agent how to get at what it was refused.
const AskForMore = "If you need it, say which path and why in a checkpoint block with Status: BLOCKED and stop."

const noAgents = "an agent does not start agents; do it yourself or say in a checkpoint what is missing"

// Decide judges one call. It looks at the file system for links and changes nothing. An error means
// doubt: a path or a command that cannot be understood, or globs that do not compile. The call must
// not go on then. Tools that are not known are allowed.
func Decide(p Policy, c Call) (Verdict, error) {
	switch kindOf(c.Tool) {
	case startsAgent:
		return Verdict{Pattern: c.Tool, Reason: c.Tool + " is refused: " + noAgents}, nil
	case writesFile, patchesFiles:
		return p.decideWrites(c)
	case runsShell:
		return decideShell(c.Command)
	case readsFile, looksAround:
		return p.decideReads(c)
	}
	return Verdict{Allowed: true}, nil
}

// NeedsPermission says whether a person is to be asked about a call, where a person is asked: it writes, runs a command
// or uses the tool of an MCP server. What starts agents is refused without a question.
func NeedsPermission(c Call) bool {
	switch kindOf(c.Tool) {
	case writesFile, patchesFiles, runsShell:
		return true
	}
	return strings.HasPrefix(c.Tool, "mcp")
}

func (p Policy) decideWrites(c Call) (Verdict, error) {
	s, err := p.scope()
	if err != nil {
		return Verdict{}, err
	}
	if len(c.Paths) == 0 {
		return Verdict{}, fmt.Errorf("%s: no path to judge", c.Tool)
	}
	home, err := p.resolved()
	if err != nil {
		return Verdict{}, err
	}
	dirs, err := places(c.Dir, "")
	if err != nil {
		return Verdict{}, err
	}
	for _, dir := range dirs {
		if _, inside := below(home.Worktree, dir); !inside {
			return Verdict{Path: dir, Reason: fmt.Sprintf(
				"the working folder %q is outside of your worktree %q; go back there first", dir, p.Worktree)}, nil
		}
	}
	return eachPlace(c.Dir, c.Paths, func(place string) Verdict { return home.write(s, place) })
}

func (p Policy) decideReads(c Call) (Verdict, error) {
	patterns, err := p.restricted()
	if err != nil {
		return Verdict{}, err
	}
	home, err := p.resolved()
	if err != nil {
		return Verdict{}, err
	}
	return eachPlace(c.Dir, c.Reads, func(place string) Verdict { return home.read(patterns, place) })
}

// eachPlace is the first refusal among all the places that paths can lead to.
func eachPlace(dir string, paths []string, judge func(place string) Verdict) (Verdict, error) {
	for _, path := range paths {
		all, err := places(dir, path)
		if err != nil {
			return Verdict{}, err
		}
		for _, place := range all {
			if v := judge(place); !v.Allowed {
				return v, nil
			}
		}
	}
	return Verdict{Allowed: true}, nil
}

// resolved is the policy with its folders where their links lead, as places are.
func (p Policy) resolved() (Policy, error) {
	var faults error
	for _, folder := range []*string{&p.Worktree, &p.AgentDir, &p.Home, &p.Tmp} {
		place, err := follow(*folder)
		*folder, faults = place, errors.Join(faults, err)
	}
	return p, errors.Join(faults, p.checkFolders())
}

func (p Policy) write(s *scope.Scope, place string) Verdict {
	for _, folder := range p.free() {
		if _, inside := below(folder, place); inside {
			return Verdict{Allowed: true}
		}
	}
	path, inside := below(p.Worktree, place)
	if !inside {
		return Verdict{Path: place, Reason: fmt.Sprintf("%q is outside of your worktree %q. %s", place, p.Worktree,
			AskForMore)}
	}
	path = filepath.ToSlash(path)
	v := s.Check(path)
	if v.Allowed {
		return Verdict{Allowed: true}
	}
	return Verdict{Path: path, Pattern: v.Pattern, Reason: fmt.Sprintf("%q is %v. %s", path, v, AskForMore)}
}

func (p Policy) read(restricted []scope.Pattern, place string) Verdict {
	path, inside := below(p.Worktree, place)
	if !inside {
		return Verdict{Allowed: true}
	}
	path = filepath.ToSlash(path)
	for _, pattern := range restricted {
		if pattern.Match(path) {
			return Verdict{Path: path, Pattern: pattern.String(),
				Reason: fmt.Sprintf("%q may not be read, by %q. %s", path, pattern, AskForMore)}
		}
	}
	return Verdict{Allowed: true}
}
