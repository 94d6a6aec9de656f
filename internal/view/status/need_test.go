package status

import (
	"testing"

	"delegate/registry"
)

// TestNeedOf holds that each request of a block, and each end without one, has its own words and its own first answer.
func TestNeedOf(t *testing.T) {
	progress := 80
	flags := func(kinds ...registry.FlagKind) (all registry.Flags) {
		for _, k := range kinds {
			all = append(all, k.Flag())
		}
		return all
	}
	unread := registry.Flags{{Kind: registry.FlagUnreadBlock, Text: "line 3: what"}}
	const goOn, answer = "delegate continue n", `delegate continue n "ANSWER"`
	const done, abort = "delegate force-complete n", "delegate abort n"
	for _, c := range []struct {
		a           registry.Agent
		line, first string
		next        string
	}{
		{registry.Agent{Request: "CONTINUE", Progress: &progress}, "reached a milestone at 80% and asks to go on",
			"continue", goOn},
		{registry.Agent{Request: "CONTINUE"}, "reached a milestone and asks to go on", "continue", goOn},
		{registry.Agent{Request: "CONTINUE", Question: "Tell me\nthe colour."}, "asks: Tell me the colour.", "answer",
			answer},
		{registry.Agent{Request: "CONTINUE", Flags: flags(registry.FlagContradictory)},
			"reached a milestone and asks to go on", "continue", goOn + " | " + done},
		{registry.Agent{Request: "MERGE", Progress: &progress},
			"asks to be merged at 80%, and has not said that it is done", "complete", done + " | " + goOn},
		{registry.Agent{Request: "HELP", Question: "no database"}, "asks for help: no database", "answer", answer},
		{registry.Agent{Request: "HELP"}, "asks for help", "answer", answer},
		{registry.Agent{Request: "ABORT", Question: "it contradicts itself"},
			"asks to be aborted: it contradicts itself", "abort", abort + " | " + answer},
		{registry.Agent{Request: "ABORT"}, "asks to be aborted", "abort", abort + " | " + goOn},
		{registry.Agent{Question: "Which one?", Flags: flags(registry.FlagWentOn)}, "asks: Which one?", "answer",
			answer + " | " + done},
		{registry.Agent{Flags: flags(registry.FlagWentOn)}, "waits for you to go on", "continue", goOn + " | " + done},
		{registry.Agent{Flags: flags(registry.FlagInterrupted)}, "was interrupted and waits for you to go on",
			"continue", goOn},
		{registry.Agent{Question: "Status: WAITING", Flags: unread},
			"ended with a report that does not count: line 3: what", "answer", answer + " | " + done},
		{registry.Agent{Question: "Nothing to do", Flags: flags(registry.FlagResponseLost, registry.FlagNoChanges)},
			"changed nothing, says: Nothing to do", "abort", abort + " | " + answer + " | " + done},
	} {
		c.a.Name = "n"
		if n := NeedOf(c.a); n.Line() != c.line || n.First != c.first || n.Next != c.next {
			t.Errorf("%q, %s, %q; want\n%q, %s, %q", n.Line(), n.First, n.Next, c.line, c.first, c.next)
		}
	}
}
