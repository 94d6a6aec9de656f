package project

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/git"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
	"delegate/internal/text/lazyregexp"
)

// media is the folder in which git-lfs keeps files, none where no filter is its.
func (p *Project) media(ctx context.Context, repo *git.Repo) ([]string, error) {
	filters, err := repo.Filters(ctx)
	if err != nil || len(filters["lfs"]) == 0 {
		return nil, err
	}
	folder, err := repo.MediaFolder(ctx)
	if err == nil {
		err = os.MkdirAll(folder, 0o777) // as git-lfs makes it
	}
	if err != nil {
		return nil, fmt.Errorf("find files of git-lfs: %w", err)
	}
	return []string{folder}, nil
}

// Unfiltered is the repository for git calls on files that agents wrote. Where agents are not held
// in, its filters are as they are.
func (p *Project) Unfiltered(ctx context.Context) (*git.Repo, error) {
	if p.Config.Sandbox.Level == config.SandboxOff {
		return p.Repo, nil
	}
	drivers, err := p.Repo.Filters(ctx)
	if err != nil {
		return nil, err
	}
	// Filters whose commands may run something that an agent wrote: git would start them outside of
	// every fence, when it
	// looks at a worktree or fills the scratch checkout. All but plain calls of a program that is installed elsewhere,
	// such as git-lfs, are.
	var unsafe []string
	for driver, commands := range drivers {
		if slices.ContainsFunc(commands, func(command string) bool {
			return command != "" && !p.isPlainCall(command)
		}) {
			unsafe = append(unsafe, driver)
		}
	}
	slices.Sort(unsafe)
	return p.Repo.WithoutFilters(unsafe), nil
}

// isPlainCall reports whether a command is one program outside of the repository, with words that name nothing in it.
func (p *Project) isPlainCall(command string) bool {
	if strings.ContainsAny(command, "$`;|&<>()\n\\*?[{~") {
		return false // the shell would make more of it
	}
	words := words(command)
	if len(words) == 0 || runners.MatchString(filepath.Base(words[0])) {
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

// words are those of a command without quotes.
func words(command string) []string {
	return strings.Fields(strings.NewReplacer(`"`, "", `'`, "").Replace(command))
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
var runners = lazyregexp.New(`^(a|ba|da|k|z|fi)?sh$|^(env|make|gmake|just|task|npm|npx|pnpm|yarn|bun|bunx|deno|node|tsx|go|cargo|java|mvn|gradle|dotnet|php|lua|awk|gawk|sed|xargs|find|nix|uv|uvx|poetry|pipenv|pre-commit)$|^(python|perl|ruby|pypy)[0-9.]*$`)
