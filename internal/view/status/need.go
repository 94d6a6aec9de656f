package status

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/checkpoint"
	"delegate/internal/text/shorten"
	"delegate/internal/turn/transcript"
	"delegate/registry"
)

// Need is why an agent in the state CHECKPOINT waits, and what a person can do about it. Every view says it so.
type Need struct {
	Text  string // a predicate, such as "asks for help"
	Words string // what follows the text, mostly the agent's own; "" for none
	First string // the likeliest answer: continue, answer, complete or abort
	Next  string // what to type, that first
}

// Line returns the need in one line.
func (n Need) Line() string {
	if n.Words == "" {
		return n.Text
	}
	return n.Text + ": " + shortened(n.Words)
}

// NeedOf returns what an agent in the state CHECKPOINT waits for.
func NeedOf(a registry.Agent) Need {
	n, at := Need{Words: a.Question, First: "continue"}, ""
	if a.Progress != nil {
		at = fmt.Sprintf(" at %d%%", *a.Progress)
	}
	if a.Question != "" {
		n.First = "answer"
	}
	switch request := checkpoint.Request(a.Request); {
	case request == checkpoint.Abort:
		n.Text, n.First = "asks to be aborted", "abort"
	case request == checkpoint.Help:
		n.Text, n.First = "asks for help", "answer"
	case a.Question != "" && (request != checkpoint.NoRequest || transcript.Asks(a.Question)):
		n.Text = "asks"
	case request == checkpoint.Merge:
		n.Text, n.First = "asks to be merged"+at+", and has not said that it is done", "complete"
	case request == checkpoint.Continue:
		n.Text = "reached a milestone" + at + " and asks to go on"
	case a.Flags.Has(registry.FlagUnreadBlock):
		n.Text, n.Words = "ended with a report that does not count", a.Flags.Text(registry.FlagUnreadBlock)
	case a.Flags.Has(registry.FlagNoChanges):
		n.Text, n.First = "changed nothing, says", "abort"
	case a.Question != "":
		n.Text = "says"
	case a.Flags.Has(registry.FlagInterrupted):
		n.Text = "was interrupted and waits for you to go on"
	default:
		n.Text = "waits for you to go on"
	}
	n.Next = n.ways(a)
	return n
}

// ways returns what to type, the likeliest first.
func (n Need) ways(a registry.Agent) string {
	words := []string{n.First, "continue"}
	if a.Question != "" || n.First == "answer" {
		words[1] = "answer"
	}
	if n.First != "complete" && slices.ContainsFunc([]registry.FlagKind{registry.FlagWentOn, registry.FlagUnreadBlock,
		registry.FlagResponseLost, registry.FlagContradictory}, a.Flags.Has) { // it may be done
		words = append(words, "complete")
	}
	var typed []string
	for _, word := range slices.Compact(words) {
		typed = append(typed, map[string]string{"continue": "delegate continue " + a.Name,
			"answer": "delegate continue " + a.Name + ` "ANSWER"`, "complete": "delegate force-complete " + a.Name,
			"abort": "delegate abort " + a.Name}[word])
	}
	return strings.Join(typed, " | ")
}

// shortened is the agent's question as far as one line has room.
func shortened(text string) string {
	return shorten.Runes(strings.Join(strings.Fields(text), " "), 160)
}

// since is when the agent's last event of these kinds was. If its row went to the archive, it is when the agent was
// active last, which is when its turn ended.
func since(state registry.State, agent string, kinds ...registry.Kind) time.Time {
	for _, e := range slices.Backward(state.Events) {
		if e.Agent == agent && slices.Contains(kinds, e.Kind) {
			return e.Time
		}
	}
	if a, err := state.Agent(agent); err == nil && !a.LastActivity.IsZero() {
		return a.LastActivity
	}
	return state.Session.Created
}
