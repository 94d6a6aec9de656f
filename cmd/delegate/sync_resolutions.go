package main

import (
	"context"
	"time"

	"delegate/internal/land/threeway"
	"delegate/internal/text/ui"

	"github.com/spf13/cobra"
)

// syncResolutionsCommand is `delegate sync resolutions`: the answers to clashes that are given
// again without a question.
func (a *app) syncResolutionsCommand() *cobra.Command {
	forget := ""
	c := a.jsonFlag(command("resolutions [--forget KEY]",
		"list the remembered conflict resolutions, or forget one", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			if forget != "" {
				return a.forgetResolution(ctx, forget)
			}
			p, err := a.open(ctx)
			if err != nil {
				return err
			}
			all, err := threeway.NewResolutions(p.Repo).List(ctx)
			if err != nil {
				return err
			}
			return a.answer(map[string]any{"resolutions": all}, func() { a.printResolutions(all) })
		}))
	c.Flags().StringVar(&forget, "forget", "",
		"forget the resolution with this key, or this beginning of a key")
	c.Long = "Lists the conflicts that you resolved while merging. When the same conflict occurs again, it is\n" +
		"resolved the same way, and the question says so. With --forget you are asked about it again."
	return c
}

func (a *app) printResolutions(all []threeway.Resolution) {
	if len(all) == 0 {
		a.printf("No resolved conflict is remembered.\n")
		return
	}
	var rows [][]string
	for _, r := range all {
		rows = append(rows, []string{r.Key[:shownKey], r.When.Format(time.DateOnly), text(r.Who),
			string(r.Method) + " " + text(r.Side), text(r.Path), text(r.Why)})
	}
	ui.Table(a.out, []string{"Key", "When", "Who", "How", "File", "Why"}, rows, a.term.Width())
}

// shownKey is how much of a key is shown; less is enough to name one, if it names no other.
const shownKey = 12

func (a *app) forgetResolution(ctx context.Context, key string) error {
	p, _, err := a.control(ctx)
	if err != nil {
		return err
	}
	gone, err := threeway.NewResolutions(p.Repo).Forget(ctx, key)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]any{"resolutions": []threeway.Resolution{gone}})
	}
	a.printf("Forgotten: %s\n", text(gone.String()))
	return nil
}
