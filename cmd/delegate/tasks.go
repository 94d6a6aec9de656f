package main

import (
	"context"
	"fmt"

	"delegate/internal/control/planner"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// tasksCommand is `delegate tasks`: the objectives of the progress file and who has claimed them.
func (a *app) tasksCommand() *cobra.Command {
	return a.jsonFlag(command("tasks", "list the objectives of docs/01_progress.md, and which agent works on which",
		cobra.NoArgs, func(ctx context.Context, _ []string) error {
			p, state, err := a.read(ctx)
			if err != nil {
				return err
			}
			all, err := planner.Tasks(p, state)
			if err != nil {
				return err
			}
			return a.answer(map[string][]planner.Task{"tasks": append([]planner.Task{}, all...)},
				func() { a.printTasks(all) })
		}))
}

func (a *app) printTasks(all []planner.Task) {
	if len(all) == 0 {
		a.printf("No objectives: docs/01_progress.md has no lines like \"- [ ] Text\", or is not there.\n")
	}
	for _, t := range all {
		mark, claim := "[ ]", ""
		if t.Done {
			mark = "[x]"
		}
		if t.Agent != "" {
			claim = fmt.Sprintf("  (%s, %s)", a.state.NameOf(t.Agent), registry.Status(t.Status).Word())
		}
		a.printf("%s %s%s\n", mark, text(t.Objective), claim)
	}
}
