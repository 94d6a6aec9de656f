package project

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// includeFile names, in the syntax of .gitignore, ignored files that every new worktree gets a copy of.
const includeFile = ".worktreeinclude"

// CopyList are the paths and globs below the main checkout that each new worktree gets a copy of: those of
// the configuration, what .worktreeinclude names of the files that git ignores, and hooks that were generated.
func (p *Project) CopyList(ctx context.Context) ([]string, error) {
	included, err := p.Included(ctx)
	if err != nil {
		return nil, err
	}
	hooks, err := p.generatedHooks(ctx)
	list := slices.Clone(p.Config.Copy)
	for _, path := range append(included, hooks...) {
		list = append(list, Literally(path))
	}
	return list, err
}

// generatedHooks are the files of a folder of hooks in the main checkout that git does not track, as husky makes them.
func (p *Project) generatedHooks(ctx context.Context) ([]string, error) {
	hooks, err := p.Repo.HooksPath(ctx)
	if hooks = filepath.Clean(hooks); err != nil || hooks == "." || !filepath.IsLocal(hooks) {
		return nil, err
	}
	main, err := p.Repo.OpenWorktree(p.Main)
	if err != nil {
		return nil, err
	}
	return main.UntrackedBelow(ctx, filepath.ToSlash(hooks))
}

// Included are the files of the main checkout that git ignores and .worktreeinclude names.
func (p *Project) Included(ctx context.Context) ([]string, error) {
	info, err := os.Lstat(filepath.Join(p.Main, includeFile))
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil // none, or one that cannot be read, as a link, which could lead anywhere
	}
	main, err := p.Repo.OpenWorktree(p.Main)
	if err != nil {
		return nil, err
	}
	named, err := main.Untracked(ctx, includeFile)
	if err != nil || len(named) == 0 {
		return nil, err
	}
	ignored, err := main.Ignored(ctx)
	if err != nil {
		return nil, err
	}
	files := map[string]bool{}
	var folders []string
	for _, path := range ignored {
		files[path] = true
		if strings.HasSuffix(path, "/") {
			folders = append(folders, path)
		}
	}
	return slices.DeleteFunc(named, func(path string) bool {
		return !files[path] && !slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(path, f) })
	}), nil
}

// Literally is a path as an entry of the copy list, in which signs of globs stand for themselves.
func Literally(path string) string {
	if !strings.ContainsAny(path, "*?[{") {
		return path
	}
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`, `\`, `\\`).Replace(path)
}
