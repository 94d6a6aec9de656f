package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"delegate/internal/control/session"
	"delegate/internal/land/candidate"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/text/budget"
	"delegate/internal/text/ui"
	"delegate/internal/turn/agentdir"
	"delegate/internal/view/status"
	"delegate/registry"
)

// printUsed says what each agent used up and all together, where a program tells it or somebody bounds it.
func (a *app) printUsed(p *project.Project, state registry.State, views []status.AgentView) {
	var all agentdir.Usage
	rows := [][]string{}
	row := func(name string, u agentdir.Usage, limit string) {
		rows = append(rows, []string{name, budget.Short(u.InputTokens), budget.Short(u.CachedTokens),
			budget.Short(u.OutputTokens), cmp.Or(session.CostWords(u), "–"), cmp.Or(limit, "–")})
	}
	for _, v := range views {
		if used := v.Usage; used != (agentdir.Usage{}) || v.Budget != "" {
			row(v.Name, used, v.Budget)
			all = all.Plus(used)
		}
	}
	limit := session.Budget(p.Config, *state.Session)
	if all == (agentdir.Usage{}) && limit.Off() {
		return
	}
	words := limit.String()
	if limit.Off() {
		words = ""
	}
	row(a.term.Style.Bold("all"), all, words)
	a.printf("\n")
	ui.Table(a.out, []string{"Used", "Input", "Cached", "Output", "Cost", "Budget"}, rows, a.term.Width())
	if all.CostComputed && len(p.Config.Prices) > 0 {
		a.printf("≈ by the prices of the configuration, the oldest of %s\n", oldest(p.Config.Prices))
	}
}

// oldest is the earliest date of the prices, of which there are some.
func oldest(prices map[string]config.Price) string {
	return slices.MinFunc(slices.Collect(maps.Values(prices)), func(a, b config.Price) int {
		return strings.Compare(a.Date, b.Date)
	}).Date
}

// usedBy is what the agents of a landing used up together.
func usedBy(c candidate.Candidate) fact {
	var sum agentdir.Usage
	for _, m := range c.Members {
		sum = sum.Plus(session.Used(m.Agent))
	}
	if c.Kind == candidate.Rollback {
		return fact{}
	}
	return fact{name: "used", words: session.UsageWords(sum)}
}
