package main

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"delegate/internal/project/config"
	"delegate/internal/sys/run"

	"github.com/spf13/cobra"
)

// openCommand is `delegate open AGENT`.
func (a *app) openCommand() *cobra.Command {
	editor := ""
	c := command("open AGENT", "open an agent's worktree in your editor", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			if err := refuseInside(); err != nil {
				return err
			}
			p, _, ag, err := a.agent(ctx, args[0])
			if err == nil {
				err = hasWorktree(ctx, p, ag)
			}
			if err != nil {
				return err
			}
			return openFolder(ctx, cmp.Or(editor, os.Getenv("VISUAL"), os.Getenv("EDITOR")), ag.Worktree)
		})
	c.Long = "Opens the worktree with the command of --editor, or else of $VISUAL or $EDITOR; the worktree's path\n" +
		"is its last argument. The editor has all your rights: tasks and plugins that the agent wrote have\n" +
		"them too, if you let the editor run them."
	c.Flags().StringVar(&editor, "editor", "", "command of the editor, such as \"code --wait\"")
	return a.ofSession(c)
}

// openFolder opens a folder in an editor, at this terminal, and waits for it.
func openFolder(ctx context.Context, editor, folder string) error {
	words, err := config.Words(editor)
	if err != nil {
		return fmt.Errorf("open %q: the editor: %w", folder, err)
	}
	if len(words) == 0 {
		return fmt.Errorf("open %q: no editor is known; name one: --editor code, or set $VISUAL or $EDITOR", folder)
	}
	if err := run.Foreground(ctx, run.Command{Path: words[0], Args: append(words[1:], folder)}); err != nil {
		return fmt.Errorf("open %q: %w", folder, err)
	}
	return nil
}
