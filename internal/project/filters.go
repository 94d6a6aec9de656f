package project

import (
	"context"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"delegate/registry"
	"delegate/scope"
)

// ownFilters are the filter drivers whose commands name a file that the agent may write: a look at its worktree would run what it wrote,
// outside of its fence. Those of the person's own programs, such as git-lfs, are none.
func (p *Project) ownFilters(ctx context.Context, a registry.Agent) ([]string, error) {
	drivers, err := p.Repo.Filters(ctx)
	if err != nil || len(drivers) == 0 {
		return nil, err
	}
	limits, err := p.Scope(a)
	if err != nil {
		return nil, err
	}
	var own []string
	for driver, commands := range drivers {
		if slices.ContainsFunc(commands, func(command string) bool { return namesOwn(command, a.Worktree, limits) }) {
			own = append(own, driver)
		}
	}
	slices.Sort(own)
	return own, nil
}

// namesOwn reports whether a word of the command, however it is quoted, is a path that the scope allows.
func namesOwn(command, worktree string, limits *scope.Scope) bool {
	for _, word := range regexp.MustCompile(`[^\s'"=;|&<>()$`+"`"+`]+`).FindAllString(command, -1) {
		word = strings.TrimPrefix(filepath.ToSlash(word), filepath.ToSlash(worktree)+"/")
		if !path.IsAbs(word) && limits.Check(path.Clean(word)).Allowed {
			return true
		}
	}
	return false
}
