package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/internal/view/status"

	"github.com/spf13/cobra"
)

// listCommand is `delegate list`: the agents of the session, most recently active first.
func (a *app) listCommand() *cobra.Command {
	limit, offset := 10, 0
	c := a.jsonFlag(command("list", "list the agents of the session, most recently active first", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			if limit < 1 || limit > 50 || offset < 0 {
				return &usageError{fmt.Errorf("--limit is 1 to 50 and --offset at least 0"), "delegate list"}
			}
			p, state, err := a.read(ctx)
			if err != nil {
				return err
			}
			v := listView{Agents: viewAgents(ctx, p, state), Offset: offset}
			slices.SortStableFunc(v.Agents, moreRecent)
			v.Total = len(v.Agents)
			v.Agents = v.Agents[min(offset, v.Total):min(offset+limit, v.Total)]
			v.Returned = len(v.Agents)
			v.HasMore = offset+v.Returned < v.Total
			return a.answer(v, func() { a.printList(v) })
		}))
	c.Flags().IntVar(&limit, "limit", limit, "how many, at most 50")
	c.Flags().IntVar(&offset, "offset", offset, "how many to skip")
	return c
}

type listView struct {
	Agents   []status.AgentView `json:"agents"`
	Total    int                `json:"total"`
	Returned int                `json:"returned"`
	Offset   int                `json:"offset"`
	HasMore  bool               `json:"has_more"`
}

func (a *app) printList(v listView) {
	if v.Total == 0 {
		a.printf("No agents: no session is active. Start one with: delegate \"what to do\"\n")
		return
	}
	a.printAgents(v.Agents)
	if v.HasMore {
		a.printf("%d of %d; more with --offset %d\n", v.Returned, v.Total, v.Offset+v.Returned)
	}
}

func moreRecent(x, y status.AgentView) int {
	at := func(v status.AgentView) time.Time {
		if v.LastActivity == nil {
			return time.Time{}
		}
		return *v.LastActivity
	}
	return cmp.Or(at(y).Compare(at(x)), strings.Compare(x.ID, y.ID))
}
