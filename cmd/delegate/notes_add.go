package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/text/notes"

	"github.com/spf13/cobra"
)

// notesAddCommand is `delegate notes add TEXT`: a note of the person's.
func (a *app) notesAddCommand() *cobra.Command {
	title := ""
	c := command(`add "TEXT"`, "write a note", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		p, who, err := a.control(ctx)
		if err != nil {
			return err
		}
		if strings.TrimSpace(args[0]) == "" {
			return fmt.Errorf("add note: the text is empty")
		}
		now := p.Now().UTC()
		if err := p.PlaceRecordFile(ctx, session.NotesName); err != nil {
			return err
		}
		moment := "note of " + now.Format("2006-01-02 15:04:05.000")
		note := notes.Entry{Time: now, From: who.Who, Title: cmp.Or(title, moment), Text: args[0]}
		added, err := session.Notes(p).Add(ctx, note)
		for n := 2; !added && err == nil && title == ""; n++ { // others were written at the same moment
			note.Title = fmt.Sprintf("%s (%d)", moment, n)
			added, err = session.Notes(p).Add(ctx, note)
		}
		if err != nil {
			return err
		}
		if !added {
			return fmt.Errorf("add note: you have a note with the title %q already; edit %s, or choose another title",
				title, session.Notes(p).Path)
		}
		a.printf("Noted in %s; agents get it with their next attempt.\n", relative(p, session.Notes(p).Path))
		return nil
	})
	c.Flags().StringVar(&title, "title", "", "title of the note (default: the time)")
	return c
}
