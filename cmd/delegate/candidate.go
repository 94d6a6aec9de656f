package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"delegate/internal/bisect"
	"delegate/internal/candidate"
	"delegate/internal/control"
	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/internal/suite"
	"delegate/internal/threeway"
	"delegate/internal/ui"
	"delegate/registry"
)

// printCandidate is the review of what would land.
func (a *app) printCandidate(p *project.Project, state registry.State, c candidate.Candidate) {
	for _, m := range c.Members {
		a.printMember(p, state, c, m)
	}
	style := a.term.Style
	if len(c.Members) > 1 {
		a.printf("\n%s\n", style.Bold(fmt.Sprintf("%s together onto %s at %.12s", c.Title(), c.TargetName(), c.Tip)))
		a.printFiles(c.Changes)
	}
	a.printRemarks(c.Review)
	if len(c.Others) > 0 {
		a.printf("With agents that have not landed (this does not block):\n")
		a.printFindings(c.Others)
	}
	a.printTests(c)
	a.printAttribution(c.Attribution)
}

// printAttribution says whose change breaks whose test.
func (a *app) printAttribution(m bisect.Attribution) {
	for _, name := range m.Broken {
		a.linef(a.term.Yellow, "%s", name+" fails by itself, without the other.")
	}
	if len(m.Findings) > 0 {
		a.printf("Whose change breaks whose test (%s):\n", ui.Plural(m.Runs, "test run"))
		a.printFindings(m.Findings)
	}
}

// printMember is the review of one agent.
func (a *app) printMember(p *project.Project, state registry.State, c candidate.Candidate, m candidate.Member) {
	style := a.term.Style
	a.printf("\n%s\n", style.Bold(fmt.Sprintf("%s: %s", m.Agent.ID, text(m.Agent.Subtask))))
	if m.Head != "" {
		onto := fmt.Sprintf("%s at %.12s", c.TargetName(), c.Tip)
		if m.Base != c.Tip {
			onto = "what those before it make"
		}
		a.printf("%s of %.12s onto %s\n", c.Kind, m.Head, onto)
	}
	files := m.Changes
	if m.Tree == "" {
		files = m.Work.Files
	}
	a.printFiles(files)
	report := session.ReadReport(p, state.Session.ID, m.Agent)
	a.printClaims(saidAndSeen{report.Block, report.Claims, report.Differences})
	for _, missing := range report.Missing {
		a.linef(style.Yellow, "Expected output missing: %s", text(missing))
	}
	if len(m.Agent.Flags) > 0 {
		a.linef(style.Yellow, "Flags: %s", text(m.Agent.Flags.String()))
	}
	if m.Agent.Violations > 0 {
		a.linef(style.Yellow, "Violations so far: %d (delegate show %s)", m.Agent.Violations,
			m.Agent.ID)
	}
	for _, r := range m.Resolved {
		a.printf("%s\n", text(r.String()))
	}
	if len(m.Findings) > 0 {
		a.printf("With the target:\n")
		a.printFindings(m.Findings)
	}
}

func (a *app) printBlocks(c candidate.Candidate, blocks []string) {
	a.linef(a.term.Red, "%s", c.Title()+" cannot land:")
	for _, why := range blocks {
		a.printf("  - %s\n", text(why))
	}
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  ")
}

// brokenMember is the member whose work git merges and that breaks what lies below it, or is broken
// by that; false if anything else blocks, since then an answer about the askBroken would land
// nothing.
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

// askBroken asks what becomes of such an agent. There is no file of which a side could be taken: it
// adapts, is given up, or waits.
func (a *app) askBroken(ctx context.Context, who control.Control, c candidate.Candidate) error {
	m, at, _ := brokenMember(c)
	r := &resolver{app: a, who: who, memory: threeway.NewResolutions(who.P.Repo), member: m, target: c.TargetName(),
		below: c.Members[:at]}
	var answers []ui.Answer
	skip := "leave it for later; nothing changes"
	if at == 0 {
		answers = append(answers, ui.Answer{Word: string(threeway.Sequential),
			Help: fmt.Sprintf("%s goes after what is on %s: it gets that merged in, with what was found, and is "+
				"asked to adapt", m.Agent.ID, c.TargetName())})
	} else {
		skip += fmt.Sprintf(" (when the others have landed, %s can send %s after them)", threeway.Sequential,
			m.Agent.ID)
	}
	answers = append(answers, ui.Answer{Word: string(threeway.AbortAgent),
		Help: "give " + m.Agent.ID + " up; its branch is kept"}, ui.Answer{Word: "skip", Help: skip})
	for {
		word, err := a.term.Choose(ctx, fmt.Sprintf("Resolve %s with what is below it?", m.Agent.ID), answers, "skip")
		if err != nil {
			return err
		}
		switch threeway.Method(word) {
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
func (a *app) verifying() func([]suite.Command) func() {
	var told []string
	return func(all []suite.Command) func() {
		if line := "Verify: " + commandList(all); !slices.Contains(told, line) {
			told = append(told, line)
			fmt.Fprintln(a.err, line)
		}
		return a.elapsing("Verifying")
	}
}

// elapsing shows for how long something goes on, where somebody can watch, until what it answers is called.
func (a *app) elapsing(what string) (done func()) {
	if !watched(a.err) {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // ends with what goes on, which waits for it
		defer close(stopped)
		a.showElapsed(what, stop)
	}()
	return func() {
		close(stop)
		<-stopped
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
	return "in " + ui.Elapsed(o.Took)
}

// printTests tells what the verify commands say of a candidate.
func (a *app) printTests(c candidate.Candidate) {
	style := a.term.Style
	switch c.Tests.Result {
	case project.Pass:
		a.linef(style.Green, "The merged result passes the verify commands (%s).", passedHow(c.Tests))
		if len(c.Tests.Flaky) > 0 {
			a.linef(style.Yellow, "Not every time: %s.", flakes(c.Tests))
		}
	case project.Fail:
		a.printf("%s\n%s\n", style.Red(fmt.Sprintf("The merged result fails %q (%s).", c.Tests.Command,
			c.Tests.Reason)), indent(ui.Clean(project.Tail(c.Tests.Output, 12))))
	case project.NoCommands:
		a.printf("Nothing was tested: %s.\n", untested(c.Tests))
	}
}
