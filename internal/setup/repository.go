package setup

import (
	"context"
	"os"
	"path/filepath"

	"delegate/internal/agent"
	"delegate/internal/config"
	"delegate/internal/program"
	"delegate/internal/project"
	"delegate/internal/run"
)

// Survey looks at a repository's main checkout, whose configuration counts.
func Survey(ctx context.Context, p *project.Project) (Found, error) {
	main, err := p.Repo.OpenWorktree(p.Main)
	if err != nil {
		return Found{}, err
	}
	ignored, err := main.Ignored(ctx)
	if err != nil {
		return Found{}, err
	}
	r := Request{Root: p.Main, Ignored: ignored, Own: insideMain(p)}
	for _, name := range program.Names() {
		profile, err := agent.Find(p.Config, name)
		if err != nil || len(profile.Command) == 0 {
			continue // the configuration takes it away
		}
		if _, err := run.Which(profile.Command[0], p.Main, os.Getenv("PATH")); err == nil {
			r.Programs = append(r.Programs, name)
		}
	}
	return Look(ctx, r)
}

// insideMain is the folder of the worktrees from the root of the main checkout, "" where it lies elsewhere.
func insideMain(p *project.Project) string {
	relative, err := filepath.Rel(p.Main, p.WorktreeRoot())
	if err != nil || relative == "." || !filepath.IsLocal(relative) {
		return ""
	}
	return filepath.ToSlash(relative)
}

// Files are all files that fit a repository, whether they are there or not.
func (f Found) Files(ctx context.Context, p *project.Project) ([]File, error) {
	files := []File{{Path: config.FileName, Content: f.Configuration(),
		What: "how work on this repository is delegated"}}
	if own := insideMain(p); own != "" {
		main, err := p.Repo.OpenWorktree(p.Main)
		if err != nil {
			return nil, err
		}
		ignored, err := main.IgnoredFolders(ctx, []string{own})
		if err != nil {
			return nil, err
		}
		if len(ignored) == 0 {
			files = append(files, File{Path: ".gitignore", Content: []byte("/" + own + "/\n"),
				What: "keeps the agents' worktrees out of git status"})
		}
	}
	for _, name := range f.Programs {
		files = append(files, CommandFiles(name)...)
	}
	return append(files, ServerFiles(f.Programs)...), nil
}
