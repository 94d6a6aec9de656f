package main

import (
	"context"
	"fmt"

	"delegate/internal/merge"
	"delegate/internal/session"
	"delegate/internal/ui"
)

// breaks is the member whose work git merges and that breaks what lies below it, or is broken by
// that; false if anything else blocks,
// since then an answer about the breakage would land nothing.
func breaks(c merge.Candidate) (merge.Member, int, bool) {
	found, at := 0, -1
	for i, m := range c.Members {
		for _, f := range m.Findings {
			if f.Blocking {
				found++
				if at < 0 {
					at = i
				}
			}
		}
	}
	if at < 0 || found != len(c.Blocks()) {
		return merge.Member{}, 0, false
	}
	return c.Members[at], at, true
}

// breakage asks what becomes of such an agent. There is no file of which a side could be taken: it
// adapts, is given up, or waits.
func (a *app) breakage(ctx context.Context, who session.Control, c merge.Candidate) error {
	m, at, _ := breaks(c)
	r := &resolver{app: a, who: who, memory: merge.NewResolutions(who.P.Repo), member: m, target: c.TargetName(),
		below: c.Members[:at]}
	var answers []ui.Answer
	skip := "leave it for later; nothing changes"
	if at == 0 {
		answers = append(answers, ui.Answer{Word: string(merge.Sequential),
			Help: fmt.Sprintf("%s goes after what is on %s: it gets that merged in, with what was found, and is "+
				"asked to adapt", m.Agent.ID, c.TargetName())})
	} else {
		skip += fmt.Sprintf(" (when the others have landed, %s can send %s after them)", merge.Sequential, m.Agent.ID)
	}
	answers = append(answers, ui.Answer{Word: string(merge.AbortAgent),
		Help: "give " + m.Agent.ID + " up; its branch is kept"}, ui.Answer{Word: "skip", Help: skip})
	for {
		word, err := a.term.Choose(ctx, fmt.Sprintf("Resolve %s with what is below it?", m.Agent.ID), answers, "skip")
		if err != nil {
			return err
		}
		switch merge.Method(word) {
		case merge.Sequential:
			return r.sendAfter(ctx)
		case merge.AbortAgent:
			if done, err := r.giveUp(ctx); done || err != nil {
				return err
			}
			continue
		}
		return &shownError{&merge.BlockedError{Agent: c.Title(), Reasons: c.Blocks()}}
	}
}
