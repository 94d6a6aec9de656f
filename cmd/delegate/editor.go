package main

import (
	"context"
	"fmt"

	"delegate/internal/git"
	"delegate/internal/sys/run"
)

// edit opens a file in the person's editor, the one that git would open, and waits until it is closed.
// By custom an editor is a command line.
func (a *app) edit(ctx context.Context, repo *git.Repo, path string) error {
	defer a.term.Used()
	editor, err := repo.Editor(ctx)
	if err != nil {
		return err
	}
	command := run.Shell(editor + ` "$1"`)
	command.Args = append(command.Args, "editor", path)
	if err := run.Foreground(ctx, command); err != nil {
		return fmt.Errorf("edit %q: %w", path, err)
	}
	return nil
}
