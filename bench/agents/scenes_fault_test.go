//go:build bench && !windows

package agents_test

import (
	"context"
	"slices"
	"strings"
	"time"

	"delegate/registry"
)

// refused: what the provider will not mend is told in one sentence, which says what to do. The turn is the only one,
// and it does not last as long as the program would try.
func refused(sentence string, advice bool) func(ctx context.Context, t *trial) {
	return func(ctx context.Context, t *trial) {
		v, ok := t.rest(ctx, registry.Failed)
		if !ok {
			return
		}
		t.expect(v.Turns == 1 && v.Attempt == 1, "%d turns, attempt %d", v.Turns, v.Attempt)
		t.expect(len(v.rows(registry.EventFailed)) == 1 && strings.HasPrefix(v.LastError, sentence),
			"it failed with %q, want %q", v.LastError, sentence)
		t.expect(!strings.ContainsAny(v.LastError, "{}\n"), "it is told as the provider wrote it: %q", v.LastError)
		t.expect(!advice || strings.HasSuffix(v.LastError, ")"), "nothing says what to do: %q", v.LastError)
		n := t.model.count(t.scene.script, "fault "+t.scene.script)
		t.expect(n > 0 && n <= mostAsked, "the model was asked %d times", n)
	}
}

// mostAsked is how often a program may ask a provider that refuses it before it has been ended: some ask three times
// before they say so first, and something besides.
const mostAsked = 8

// network: answers are cut off, and connections reset. The program asks again by itself, or delegate has it go on in
// the same conversation.
func network(ctx context.Context, t *trial) {
	v, ok := t.rest(ctx, registry.Complete)
	if !ok {
		return
	}
	again := v.count(registry.EventMessage, "network fault, tries again at ")
	t.expect(v.Turns == 1+again && v.Attempt == 1 && len(v.rows(registry.EventNudged)) == 0,
		"%d turns after %d pauses, attempt %d: %q", v.Turns, again, v.Attempt, v.rows(registry.EventMessage))
	for n := 2; n <= v.Turns; n++ {
		t.resumed(n)
	}
	for _, kind := range []string{"fault cut", "fault reset"} {
		t.expect(t.model.count("network", kind) > 0, "there was no %s", kind)
	}
	t.expect(file(t.worktree(), "src/late.txt") != "", "what it wrote is gone")
}

// lost: the provider is never reached again. After three more turns a person is called.
func lost(ctx context.Context, t *trial) {
	v, ok := t.rest(ctx, registry.Failed)
	if !ok {
		return
	}
	t.expect(v.Turns == 4 && v.Attempt == 1, "%d turns, attempt %d", v.Turns, v.Attempt)
	t.expect(strings.HasPrefix(v.LastError, "network fault, tried again 3 times in vain; everything it did is kept: "),
		"it failed with %q", v.LastError)
	for n := 2; n <= v.Turns; n++ {
		t.resumed(n)
	}
}

// mostSpent is how many answers of the model it takes to spend the budget: each has 100 tokens in and 20 out.
const mostSpent = 3

// spent: a turn without an end is stopped with the answer that spends its budget; what it did is kept.
func spent(ctx context.Context, t *trial) {
	v, ok := t.rest(ctx, registry.Failed)
	if !ok {
		return
	}
	n := t.model.count("budget", "") - t.model.count("budget", `say "ok"`) // of which some ask for a title
	t.expect(n > 1 && n <= mostSpent, "the model was asked %d times for a budget of %d answers", n, mostSpent)
	t.expect(v.CostUSD >= 1 && v.CostUSD < 2 && v.CostComputed, "it cost %.2f US$", v.CostUSD)
	t.expect(file(t.worktree(), "src/steps.txt") != "", "what it did is gone")
}

// shownAfter is how long a wait lasts that is shown for certain.
const shownAfter = 17 * time.Second

// limited: the program itself waits for the end of a limit, which is shown, and is no silence.
func limited(ctx context.Context, t *trial) {
	seen := false
	v := t.until(ctx, "an end", func(v shown) bool {
		seen = seen || v.flagged("rate limited until ") || v.flagged("waits for its provider since ") ||
			v.flagged("network fault, its program tries again since ")
		return !slices.Contains(working(), v.Status)
	})
	t.expect(v.Status == registry.Complete, "it is %s, want %s", v, registry.Complete)
	failures := append(v.rows(registry.EventFailed), v.rows(registry.EventNudged)...)
	t.expect(v.Attempt == 1 && v.Turns == 1 && len(failures) == 0, "attempt %d, turn %d: %q", v.Attempt, v.Turns,
		failures)
	for _, status := range []string{"429", "529"} {
		t.expect(t.model.count("limit", "limit "+status) > 0, "the model refused nothing with %s", status)
	}
	// A short wait is not shown, and of qwen none that its client makes, which writes nothing down until it gives up.
	waited := t.model.waited("limit")
	t.expect(seen || waited < shownAfter || t.agent.name == "qwen", "it waited for %s, which was not shown", waited)
}
