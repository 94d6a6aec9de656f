package project

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"delegate/internal/config"
	"delegate/internal/git"
	"delegate/internal/run"
)

// Unfiltered is the repository for git calls on files that agents wrote. Where agents are not held
// in, its filters are as they are.
func (p *Project) Unfiltered(ctx context.Context) (*git.Repo, error) {
	if p.Config.Sandbox.Level == config.SandboxOff {
		return p.Repo, nil
	}
	foreign, err := p.foreignFilters(ctx)
	if err != nil {
		return nil, err
	}
	return p.Repo.WithoutFilters(foreign), nil
}

// foreignFilters are the filter drivers whose commands may run something that an agent wrote: git
// would start them outside of every fence, when it looks at a worktree or fills the scratch
// checkout. All but plain calls of a program that is installed elsewhere, such as git-lfs, are.
func (p *Project) foreignFilters(ctx context.Context) ([]string, error) {
	drivers, err := p.Repo.Filters(ctx)
	if err != nil {
		return nil, err
	}
	var foreign []string
	for driver, commands := range drivers {
		if !slices.ContainsFunc(commands, func(command string) bool {
			return command != "" && !p.isPlainCall(command)
		}) {
			continue
		}
		foreign = append(foreign, driver)
	}
	slices.Sort(foreign)
	return foreign, nil
}

// isPlainCall reports whether a command is one program outside of the repository, with words that name nothing in it.
func (p *Project) isPlainCall(command string) bool {
	if strings.ContainsAny(command, "$`;|&<>()\n\\*?[{~") {
		return false // the shell would make more of it
	}
	words := strings.Fields(strings.NewReplacer(`"`, "", `'`, "").Replace(command))
	if len(words) == 0 || runners().MatchString(filepath.Base(words[0])) {
		return false
	}
	program, err := run.Which(words[0], "/", os.Getenv("PATH"))
	if err != nil || p.holds(program) {
		return false
	}
	for _, word := range words[1:] {
		value := word[strings.LastIndexByte(word, '=')+1:]
		if strings.Contains(value, "/") && !filepath.IsAbs(value) || p.holds(value) {
			return false
		}
		if _, err := os.Lstat(filepath.Join(p.Main, value)); err == nil && value != "" {
			return false
		}
	}
	return true
}

// holds reports whether an absolute path lies in the repository or among the worktrees.
func (p *Project) holds(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	for _, folder := range []string{p.Main, p.WorktreeRoot(), p.Repo.CommonDir} {
		if path == folder || strings.HasPrefix(path, folder+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// runners are programs that run what they are given, or what they find where they are started.
func runners() *regexp.Regexp {
	return regexp.MustCompile(`^(a|ba|da|k|z|fi)?sh$|^(env|make|gmake|just|task|npm|npx|pnpm|yarn|bun|bunx|deno|node|tsx|go|cargo|java|mvn|gradle|dotnet|php|lua|awk|gawk|sed|xargs|find|nix|uv|uvx|poetry|pipenv|pre-commit)$|^(python|perl|ruby|pypy)[0-9.]*$`)
}
