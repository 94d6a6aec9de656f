package main

import (
	"context"
	"fmt"

	"delegate/internal/record"
	"delegate/internal/text/ui"

	"github.com/spf13/cobra"
)

// mostLines is how many lines of a registry that would go are shown.
const mostLines = 12

// registryRestoreCommand takes the last version written back.
func (a *app) registryRestoreCommand() *cobra.Command {
	yes := false
	c := command("restore", "restore the last version of the registry that was written", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			p, _, err := a.control(ctx)
			if err != nil {
				return err
			}
			r, err := p.Store.PlanRecall()
			if err != nil {
				return err
			}
			if r.Same() {
				a.printf("%s is the last version that was written; there is nothing to restore.\n", r.Path)
				return nil
			}
			a.printRecall(r)
			if err := a.confirm(ctx, "Restore the registry?",
				"write that version; the present one is kept next to it", yes); err != nil {
				return err
			}
			if err := p.Store.Recall(ctx, r); err != nil {
				return err
			}
			a.printf("Restored %s.\n", r.Path)
			if r.Aside != "" {
				a.printf("What was there is in %s.\n", r.Aside)
			}
			return nil
		})
	c.Long = "Shows what the last readable version of the registry would restore, and asks. Use it for a registry\n" +
		"that was truncated, emptied or edited beyond repair. The last 16 versions are kept in the private\n" +
		"folder; the current content of the file is kept next to them."
	yesFlag(c, &yes)
	return c
}

func (a *app) printRecall(r record.Recall) {
	switch {
	case r.Missing:
		a.printf("There is no %s.\n", r.Path)
	case len(r.Faults) > 0:
		a.printf("%s has %s, the first in line %d: %s.\n", r.Path, ui.Plural(len(r.Faults), "fault"), r.Faults[0].Line,
			text(r.Faults[0].Reason))
	default:
		a.printf("%s can be read, and differs from the last version that was written.\n", r.Path)
	}
	of := ""
	if r.Damaged > 0 {
		of = fmt.Sprintf(", of which the newest %d cannot be read", r.Damaged)
	}
	a.printf("%s kept%s. The newest that can be read was written at %s:\n", ui.Plural(r.Kept, "version"), of,
		r.Written.UTC().Format("2006-01-02 15:04:05 UTC"))
	if r.State.Session == nil {
		a.printf("  no session is active in it\n")
	} else {
		a.printf("  %s  %s  %s\n", r.State.Session.ID, r.State.Session.Status.Word(),
			text(r.State.Session.ParentTask))
	}
	for _, ag := range r.State.Agents {
		a.printf("  %s  %-10s  %s\n", ag.ID, ag.Status.Word(), text(ag.Subtask))
	}
	a.printf("It restores %s, and removes %s:\n", ui.Plural(len(r.Back), "line"), ui.Plural(len(r.Gone), "line"))
	for i, line := range r.Gone {
		if i == mostLines {
			a.printf("  - … and %d more\n", len(r.Gone)-i)
			break
		}
		a.printf("  - %s\n", text(line))
	}
}
