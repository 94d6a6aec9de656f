package session

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/text/budget"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/transcript"
	"delegate/registry"
)

// computed stands before a cost that was computed from prices.
const computed = "≈"

// Used is what the agent's ended turns used up.
func Used(a registry.Agent) agentdir.Usage {
	return agentdir.Usage{InputTokens: a.Tokens - a.OutputTokens, OutputTokens: a.OutputTokens,
		CachedTokens: a.CachedTokens, CostUSD: a.Cost.USD, CostComputed: a.Cost.Estimated}
}

// AddUsage adds what a turn used up to what its agent did.
func AddUsage(a *registry.Agent, u agentdir.Usage) {
	sum := Used(*a).Plus(u)
	a.Tokens, a.CachedTokens, a.OutputTokens = sum.Tokens(), sum.CachedTokens, sum.OutputTokens
	const digits = 1e4 // as the file has it
	usd := math.Round(sum.CostUSD*digits) / digits
	a.Cost = registry.Cost{USD: usd, Estimated: usd > 0 && sum.CostComputed}
}

// RunningUsage is what the agent's running turn used up so far, zero for one that is not at work.
func RunningUsage(p *project.Project, session string, a registry.Agent) agentdir.Usage {
	if a.Status != registry.Running {
		return agentdir.Usage{}
	}
	turn := keeper.Turn{Dir: p.TurnDir(session, a.ID, a.Turns)}
	return transcript.UsageOf(turn, agentdir.Dir(p.AgentDir(session, a.ID)))
}

// AllUsed is what all agents of the session used up so far, running turns included.
func AllUsed(p *project.Project, state registry.State) (sum agentdir.Usage) {
	for _, a := range state.Agents {
		sum = sum.Plus(Used(a)).Plus(RunningUsage(p, state.Session.ID, a))
	}
	return sum
}

// AgentBudget is what the agent may use up: as its subtask says, else the configuration, and what a person added.
func AgentBudget(c config.Config, a registry.Agent) budget.Amount {
	return amountOf(a.Budget).Or(c.Budget.Agent).Raise(amountOf(a.BudgetAdded))
}

// Budget is what all agents of the session may use up together.
func Budget(c config.Config, s registry.Session) budget.Amount {
	return c.Budget.Session.Raise(amountOf(s.BudgetAdded))
}

// amountOf reads an amount of the registry; one that a person wrote and that cannot be read is none.
func amountOf(text string) budget.Amount {
	amount, err := budget.Parse(text)
	if err != nil {
		return budget.Amount{}
	}
	return amount
}

// AddBudget is what was added before and now together, as the registry has it.
func AddBudget(before string, more budget.Amount) string { return amountOf(before).Plus(more).String() }

// BudgetPause is what a record says of a pause for the session's budget if that is used up and somebody could still
// use more, "" else.
func BudgetPause(p *project.Project, state registry.State) string {
	limit := Budget(p.Config, *state.Session)
	if limit.Off() || !slices.ContainsFunc(state.Agents, func(a registry.Agent) bool { return !a.Status.Ended() }) {
		return ""
	}
	if AllUsed(p, state).Amount().Of(limit).Share < 1 {
		return ""
	}
	return fmt.Sprintf("its budget of %s, which is used up", limit)
}

// BudgetNext is what to type so that a session that has used up its budget goes on.
const BudgetNext = "delegate extend --session 5US$ (or raise budget.session in " + config.FileName + ")"

// ResumeNext is what to type so that a paused session continues.
func ResumeNext(s registry.Session) string {
	if s.BudgetUsedUp {
		return BudgetNext
	}
	return "delegate resume"
}

// UsageWords is what was used up in one line, "" for nothing: input, what of it came from a cache, output, cost.
func UsageWords(u agentdir.Usage) string {
	var parts []string
	if u.Tokens() > 0 {
		in := budget.Short(u.InputTokens) + " in"
		if u.CachedTokens > 0 {
			in += " (" + budget.Short(u.CachedTokens) + " cached)"
		}
		parts = append(parts, in, budget.Short(u.OutputTokens)+" out")
	}
	if u.CostUSD > 0 {
		parts = append(parts, CostWords(u))
	}
	return strings.Join(parts, ", ")
}

// CostWords is a cost in US dollars, with a sign where it was computed; "" for none.
func CostWords(u agentdir.Usage) string {
	if u.CostUSD <= 0 {
		return ""
	}
	text := fmt.Sprintf("%.2f US$", u.CostUSD)
	if u.CostComputed {
		text = computed + " " + text
	}
	return text
}
