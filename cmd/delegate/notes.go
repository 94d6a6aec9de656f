package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"delegate/internal/notes"
	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/internal/ui"

	"github.com/spf13/cobra"
)

// notes is `delegate notes [add TEXT]`: what everybody in the project shall know.
func (a *app) notes() *cobra.Command {
	c := a.jsonFlag(command("notes", "notes that are shared with every agent of this project", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error {
			p, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			return a.printRecord(p, session.Notes(p).Path,
				`There are no notes yet. Write one with: delegate notes add "TEXT"`)
		}))
	c.Long = "Notes are durable Markdown in docs/logs/delegation_notes.md. You write them, or edit the file; an " +
		"agent puts a Markdown file into\n" +
		"the inbox on its desk, and the supervisor adds it at the end of the turn. Agents are given the newest ones " +
		"with their prompt."
	title := ""
	add := command(`add "TEXT"`, "write a note", cobra.ExactArgs(1), func(cmd *cobra.Command, args []string) error {
		p, who, err := a.control(cmd.Context())
		if err != nil {
			return err
		}
		if strings.TrimSpace(args[0]) == "" {
			return fmt.Errorf("add note: the text is empty")
		}
		now := p.Now().UTC()
		if title == "" {
			title = "note of " + now.Format("2006-01-02 15:04:05.000")
		}
		added, err := session.Notes(p).Add(cmd.Context(),
			notes.Entry{Time: now, From: who.Who, Title: title, Text: args[0]})
		if err != nil {
			return err
		}
		if !added {
			return fmt.Errorf("add note: you have a note with the title %q already; edit %s, or choose another title",
				title, session.Notes(p).Path)
		}
		a.printf("Noted in %s; agents are told with their next attempt.\n", relative(p, session.Notes(p).Path))
		return nil
	})
	add.Flags().StringVar(&title, "title", "", "title of the note (default: the time)")
	c.AddCommand(add)
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
