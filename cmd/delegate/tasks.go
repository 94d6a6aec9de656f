package main

import (
	"context"
	"fmt"

	"delegate/internal/planner"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// tasksCommand is `delegate tasks`: the objectives of the progress file and who has claimed them.
func (a *app) tasksCommand() *cobra.Command {
	return a.jsonFlag(command("tasks", "the objectives of docs/01_progress.md, and which agent has claimed which",
		cobra.NoArgs, func(ctx context.Context, _ []string) error {
			p, state, err := a.read(ctx)
			if err != nil {
				return err
			}
			all, err := planner.Tasks(p, state)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(tasksView{append([]planner.Task{}, all...)})
			}
			if len(all) == 0 {
				a.printf("docs/01_progress.md has no objectives (lines like: - [ ] Text).\n")
				return nil
			}
			for _, t := range all {
				mark := "[ ]"
				if t.Done {
					mark = "[x]"
				}
				a.printf("%s %s%s\n", mark, text(t.Objective), claimText(t.Agent, t.Status))
			}
			return nil
		}))
}

type tasksView struct {
	Tasks []planner.Task `json:"tasks"`
}

func claimText(agent string, status registry.Status) string {
	if agent == "" {
		return ""
	}
	return fmt.Sprintf("  (%s, %s)", agent, status)
}
