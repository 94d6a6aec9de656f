package status

import (
	"fmt"
	"time"

	"delegate/internal/text/budget"
	"delegate/internal/turn/agentdir"
	"delegate/registry"
)

// UsageView is what agents used up, as their programs tell.
type UsageView struct {
	Tokens int `json:"tokens"` // input and output
	agentdir.Usage
}

// UsageOf is what was used up, for reading commands.
func UsageOf(u agentdir.Usage) UsageView { return UsageView{u.Tokens(), u} }

// Short is what was used up, in money where that is known, else in tokens.
func (v UsageView) Short() string {
	switch {
	case v.CostUSD > 0 && v.CostComputed:
		return fmt.Sprintf("≈$%.2f", v.CostUSD)
	case v.CostUSD > 0:
		return fmt.Sprintf("$%.2f", v.CostUSD)
	case v.Tokens > 0:
		return budget.Short(v.Tokens) + " tok"
	}
	return ""
}

// WaitView is what an agent's program waits for.
type WaitView struct {
	For   string     `json:"for"`   // provider or network
	Since *time.Time `json:"since"` // null: its turn ended, and the next one waits
	Until *time.Time `json:"until"` // when it tries again; null: the program itself does, at a time that it does not say
	Try   int        `json:"try"`   // which of so many tries of the network that one is, 0 where the program itself tries
	Of    int        `json:"of"`
}

// againAt is the text of such a flag: the time, and which of how many tries that is.
const againAt = "%s (%d of %d)"

// AgainAt is the flag of an agent that is tried again at a time.
func AgainAt(at time.Time, try, of int) registry.Flag {
	return registry.Flag{Kind: registry.FlagTriesAgainAt, Text: fmt.Sprintf(againAt, stamp(at), try, of)}
}

// AgainSince is the flag of an agent whose program tries again by itself.
func AgainSince(since time.Time) registry.Flag {
	return registry.Flag{Kind: registry.FlagTriesAgainSince, Text: stamp(since)}
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// waitOf is what the agent's flags say of what its program waits for; nil for nothing.
func waitOf(a registry.Agent) *WaitView {
	for _, flag := range a.Flags {
		at, w := "", WaitView{For: "provider"}
		switch flag.Kind {
		case registry.FlagRateLimited:
			w.Until = parsed(flag.Text)
		case registry.FlagWaits:
			w.Since = parsed(flag.Text)
		case registry.FlagTriesAgainAt:
			w.For = "network"
			if _, err := fmt.Sscanf(flag.Text, againAt, &at, &w.Try, &w.Of); err == nil {
				w.Until = parsed(at)
			}
		case registry.FlagTriesAgainSince:
			w.For, w.Since = "network", parsed(flag.Text)
		default:
			continue
		}
		return &w
	}
	return nil
}

// parsed is a time as flags have it, nil for what is none.
func parsed(text string) *time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil
	}
	return &t
}

// waitWords is what an agent's program waits for in words, "" for nothing.
func waitWords(a registry.Agent) string {
	for _, flag := range a.Flags {
		if (registry.Flags{flag}).Waits() {
			return flag.Words()
		}
	}
	return ""
}
