package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/text/shorten"
	"delegate/internal/turn/transcript"
	"delegate/internal/view/status"
	"delegate/internal/view/watch"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// waitCommand is `delegate wait [AGT…]`.
func (a *app) waitCommand() *cobra.Command {
	limit, fail := status.WaitCeiling, false
	c := a.jsonFlag(command("wait [AGENT...]", "wait until the agents (default: all) have ended or need you",
		cobra.ArbitraryArgs, func(ctx context.Context, args []string) error {
			if limit > status.WaitCeiling {
				a.note("one call waits at most %s", status.WaitCeiling)
			}
			p, _, err := a.active(ctx)
			if err != nil {
				return err
			}
			results, err := status.Wait(ctx, p, args, limit, func(agents []registry.Agent) {
				a.tellWaiting(agents, min(limit, status.WaitCeiling))
			})
			if err != nil {
				return err
			}
			state, err := p.Active(ctx)
			if err != nil {
				return err
			}
			a.term.Alert("delegate: " + waitedTitle(results))
			for _, r := range results {
				if ag, err := state.Agent(r.ID); err == nil && ag.Status == r.Status {
					markCollected(p, state, ag)
				}
			}
			if err := a.printWaited(args, results); err != nil {
				return err
			}
			if slices.ContainsFunc(results, func(r status.Waited) bool { return r.Approval == "pending" }) {
				return errUnapproved
			}
			return waitCode(results, fail)
		}))
	c.Long = "Waits until each named agent (default: all) has ended or needs you, at most 300 s. A time-out is no\n" +
		"failure: the agent keeps working, so wait again. If an agent failed, the exit code is 7 and the\n" +
		"report says why; whether to retry is the caller's decision."
	c.Flags().Var(durationFlag{&limit, "--timeout", "s"}, "timeout", "how long to wait, at most 300s")
	c.Flags().BoolVar(&fail, "fail-on-timeout", false, "exit with code 124 if the wait times out")
	return c
}

// tellWaiting says to who sits at a terminal why nothing happens.
func (a *app) tellWaiting(agents []registry.Agent, limit time.Duration) {
	if a.json || !a.term.IsTerminal() {
		return
	}
	var working []string
	for _, ag := range agents {
		working = append(working, ag.Name)
	}
	a.note("waiting for %s, at most %s; Ctrl-C ends this wait and no agent", names(working), limit)
}

type waitView struct {
	Results  []status.Waited `json:"results"`
	TimedOut bool            `json:"timed_out"`
	Guidance string          `json:"guidance"`
}

// waitedTitle is what a wait came to, in the title of a terminal.
func waitedTitle(results []status.Waited) string {
	parts := make([]string, 0, len(results))
	for _, r := range results {
		parts = append(parts, r.Name+" "+r.Word())
	}
	return strings.Join(parts, ", ")
}

func (a *app) printWaited(asked []string, results []status.Waited) error {
	v := waitView{Results: append([]status.Waited{}, results...), TimedOut: anyTimedOut(results),
		Guidance: "Collect every result, then: delegate sync"}
	if v.TimedOut {
		v.Guidance = "Still working, and a time-out is no failure: wait again."
	}
	switch {
	case a.json && len(asked) == 1:
		return a.printJSON(results[0])
	case a.json:
		return a.printJSON(v)
	}
	for _, r := range results {
		a.printf("%s  %s  %s  %s\n", r.Name, r.ID, watch.State(a.term.Style, r.Status, r.Word()), text(r.Subtask))
		if tried := status.Tried(r.Refused, r.RefusedCalls); tried != "" {
			a.printWrapped("  refused: ", text(tried), 4)
		}
		if r.LastError != "" && r.Status == registry.Failed {
			a.printf("  %s\n", a.named(r.LastError))
		}
		a.printWords(r)
		if r.Guidance != "" {
			a.printf("  %s\n", a.named(r.Guidance))
		}
	}
	return nil
}

// printWords prints what a waiting caller wants to read of an agent first: its own words, and what
// is known without them.
func (a *app) printWords(r status.Waited) {
	say := func(name, words string) {
		if words != "" {
			a.printWrapped("  "+name+" ", text(words), 4)
		}
	}
	if n := r.Need; n.Words != "" {
		say(n.Text+":", shorten.Runes(n.Words, transcript.MostSummary))
	} else if n.Text != "" {
		a.printf("  %s\n", n.Text)
	}
	if r.Report.Summary != r.Need.Words {
		say("says:", shorten.Runes(r.Report.Summary, transcript.MostSummary))
	}
	if wrong, differs := claimsText(r.Report); differs {
		say("but:", wrong)
	}
	if slices.Contains(r.Flags, string(registry.FlagResponseLost)) && len(r.Report.Files) > 0 {
		say("ended without a report; it changed:", session.FilesText(r.Report.Files))
	}
}

func waitCode(results []status.Waited, failOnTimeout bool) error {
	switch {
	case slices.ContainsFunc(results, func(r status.Waited) bool { return r.Status == registry.Failed }):
		return errAgentFailed
	case failOnTimeout && anyTimedOut(results):
		return errTimedOut
	}
	return nil
}
