package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"delegate/conflict"
	"delegate/internal/control"
	"delegate/internal/land/candidate"
	"delegate/internal/land/suite"
	"delegate/internal/land/threeway"
	"delegate/internal/project"
	"delegate/internal/text/ui"
	"delegate/registry"
)

// printBlocks says why a candidate cannot be merged, with the places of what conflicts.
func (a *app) printBlocks(state registry.State, c candidate.Candidate) {
	a.linef(a.term.Red, "%s cannot be merged into %s:", agentsOf(c), c.TargetName())
	for _, why := range c.BlocksWithoutFindings() {
		a.printWrapped("  - ", forPeople(state, why), 4)
	}
	a.printFindings(named(state,
		slices.DeleteFunc(findingsOf(c), func(f conflict.Finding) bool { return !f.Blocking })))
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ")
}

// brokenMember is the member whose work git merges and that breaks what lies below it, or is broken
// by that; false if anything else blocks, since then an answer about that would merge nothing.
func brokenMember(c candidate.Candidate) (candidate.Member, int, bool) {
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
		return candidate.Member{}, 0, false
	}
	return c.Members[at], at, true
}

// sideBelow names what a member's finding is with: the member below it, or the branch.
func sideBelow(state registry.State, f conflict.Finding, c candidate.Candidate) string {
	if len(f.Agents) == 2 && slices.Contains(c.IDs(), f.Agents[0]) && slices.Contains(c.IDs(), f.Agents[1]) {
		below := min(slices.Index(c.IDs(), f.Agents[0]), slices.Index(c.IDs(), f.Agents[1]))
		return state.NameOf(c.IDs()[below])
	}
	return c.TargetName()
}

// otherSide is the agent with which a member's blocking findings are, "" where they are not all with one.
func otherSide(c candidate.Candidate, m candidate.Member) string {
	other := ""
	for _, f := range m.Findings {
		if !f.Blocking {
			continue
		}
		for _, id := range f.Agents {
			switch {
			case id == m.Agent.ID:
			case !slices.Contains(c.IDs(), id) || other != "" && other != id:
				return ""
			default:
				other = id
			}
		}
	}
	return other
}

// askBroken asks what becomes of such an agent. There is no file of which a side could be taken: it
// gets the target merged in, is cancelled, or waits.
func (a *app) askBroken(ctx context.Context, who control.Control, c candidate.Candidate) error {
	m, at, _ := brokenMember(c)
	r := a.resolver(who, c, at)
	var answers []ui.Answer
	skip, where := "leave it for later; nothing changes", "on "+c.TargetName()
	if at == 0 {
		answers = append(answers, ui.Answer{Word: answerOf(threeway.Sequential),
			Help: fmt.Sprintf("merge %s into %s's branch and ask the agent to fix it", c.TargetName(), m.Agent.Name)})
	} else if below := otherSide(c, m); below != "" {
		where = "together with " + a.state.NameOf(below)
		skip += fmt.Sprintf("; to go on: delegate sync merge %s, then delegate adapt %s", a.state.NameOf(below),
			m.Agent.Name)
	} else {
		skip += fmt.Sprintf(" (%s becomes possible when the others are merged)", answerOf(threeway.Sequential))
	}
	answers = append(answers, ui.Answer{Word: answerOf(threeway.AbortAgent),
		Help: "cancel " + m.Agent.Name + "; its branch is kept"}, ui.Answer{Word: "skip", Help: skip})
	for {
		question := fmt.Sprintf("%s breaks the build %s. What now?", m.Agent.Name, where)
		word, err := a.term.Choose(ctx, question, answers, "skip")
		if err != nil {
			return err
		}
		switch methodOf(word) {
		case threeway.Sequential:
			return r.sendAfter(ctx)
		case threeway.AbortAgent:
			if done, err := r.giveUp(ctx); done || err != nil {
				return err
			}
			continue
		}
		return &shownError{&candidate.BlockedError{Agent: c.Title(), Reasons: c.Blocks()}}
	}
}

// quick is how long something may take before a terminal shows for how long it goes on.
const quick = 2 * time.Second

// verifying says what is about to be run on a tree, once for each list of commands, and for how
// long it goes on where somebody can watch. What is known already is not run and not said.
func (a *app) verifying(ctx context.Context) func([]suite.Command) func() {
	var printed []string
	return func(all []suite.Command) func() {
		done := a.elapsing(ctx, "Verifying")
		if line := "Verify: " + commandList(all); !slices.Contains(printed, line) {
			printed = append(printed, line)
			fmt.Fprintln(a.err, line)
		}
		return done
	}
}

// elapsing shows for how long something goes on, where somebody can watch, until what it answers is called. What is
// typed meanwhile is not shown in between: it is no answer.
func (a *app) elapsing(ctx context.Context, what string) (done func()) {
	if !watched(a.err) {
		return func() {}
	}
	end := a.term.Hush()
	context.AfterFunc(ctx, end) // a command that was told to end may not come to its own end
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // ends with what goes on, which waits for it
		defer close(stopped)
		a.showElapsed(what, stop)
	}()
	return func() {
		close(stop)
		<-stopped
		end()
	}
}

// showElapsed rewrites one line every second until it is stopped, and clears it.
func (a *app) showElapsed(what string, stop <-chan struct{}) {
	started, shown := time.Now(), false
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			if shown {
				fmt.Fprint(a.err, "\r\x1b[K")
			}
			return
		case <-tick.C:
			if elapsed := time.Since(started); elapsed >= quick {
				shown = true
				fmt.Fprintf(a.err, "\r\x1b[K%s … %s", what, elapsed.Round(time.Second))
			}
		}
	}
}

// watched says whether what is written there can be written over: a terminal that understands more than plain lines.
func watched(w any) bool {
	file, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// commandList is the commands in one line, each group with what calls for it.
func commandList(all []suite.Command) string {
	var groups []string
	for i := 0; i < len(all); {
		var lines []string
		why := all[i].Why
		for ; i < len(all) && all[i].Why == why; i++ {
			lines = append(lines, text(all[i].Line))
		}
		groups = append(groups, fmt.Sprintf("%s (from %s)", strings.Join(lines, " ; "), text(why)))
	}
	return strings.Join(groups, " ; ")
}

// testsIncluded is what a yes means as to the tests.
func testsIncluded(o project.Outcome) string {
	switch {
	case o.Result == project.Pass && len(o.Flaky) > 0:
		return "tests pass, not every time: " + flakes(o)
	case o.Result == project.Pass:
		return "tests pass"
	case o.Result == project.Fail:
		return "FAILING tests"
	case len(o.Detected) > 0:
		return fmt.Sprintf("no tests (none configured; here `verify: detect` would run: %s)",
			text(strings.Join(o.Detected, ", ")))
	}
	return "no tests (" + untested(o) + ")"
}

// untested is why nothing was tested.
func untested(o project.Outcome) string {
	if o.Reason != "" {
		return o.Reason
	}
	return "none configured"
}

// flakes tells which commands did not say the same twice.
func flakes(o project.Outcome) string {
	all := make([]string, 0, len(o.Flaky))
	for _, f := range o.Flaky {
		all = append(all, text(f.String()))
	}
	return strings.Join(all, "; ")
}

// passedHow is how long a pass took, or that it was known.
func passedHow(o project.Outcome) string {
	if o.Cached {
		return "verified before, same tree"
	}
	return ui.Elapsed(o.Took)
}
