package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/internal/text/ui"

	"github.com/spf13/cobra"
)

// notesCommand is `delegate notes [add TEXT]`: what everybody in the project shall know.
func (a *app) notesCommand() *cobra.Command {
	c := a.jsonFlag(command("notes", "show the notes that every agent of this project gets", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			p, err := a.open(ctx)
			if err != nil {
				return err
			}
			return a.printRecord(p, session.Notes(p).Path,
				`There are no notes yet. Write one with: delegate notes add "TEXT"`)
		}))
	c.Long = "Notes are Markdown in docs/logs/delegation_notes.md. You write them, or edit the file. An agent puts\n" +
		"a Markdown file into the inbox in its folder, and the supervisor adds it at the end of the turn.\n" +
		"Agents get the newest notes with their prompt."
	c.AddCommand(a.notesAddCommand())
	return c
}

// recordView is a file of the project's memory.
type recordView struct {
	Path string `json:"path"`
	Text string `json:"text"` // Markdown, "" if there is none yet
}

func (a *app) printRecord(p *project.Project, path, none string) error {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read %s: %w", relative(p, path), err)
	}
	if a.json {
		return a.printJSON(recordView{Path: relative(p, path), Text: string(data)})
	}
	if len(data) == 0 {
		a.printf("%s\n", none)
		return nil
	}
	a.printf("%s", ui.Clean(string(data)))
	return nil
}

func relative(p *project.Project, path string) string {
	if rel, err := filepath.Rel(p.Main, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}
