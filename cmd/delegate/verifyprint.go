package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"delegate/internal/merge"
	"delegate/internal/project"
	"delegate/internal/suite"
	"delegate/internal/ui"
)

// quick is how long something may take before a terminal shows for how long it goes on.
const quick = 2 * time.Second

// verifying says what is about to be run on a tree, once for each list of commands, and for how
// long it goes on where somebody can watch.
// What is known already is not run and not said.
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
	return "in " + short(o.Took)
}

// printTests tells what the verify commands say of a candidate.
func (a *app) printTests(c merge.Candidate) {
	style := a.term.Style
	switch c.Tests.Result {
	case project.Pass:
		a.printf("%s\n", style.Green("The merged result passes the verify commands ("+passedHow(c.Tests)+")."))
		if len(c.Tests.Flaky) > 0 {
			a.printf("%s\n", style.Yellow("Not every time: "+flakes(c.Tests)+"."))
		}
	case project.Fail:
		a.printf("%s\n%s\n", style.Red(fmt.Sprintf("The merged result fails %q (%s).", c.Tests.Command,
			c.Tests.Reason)), indent(ui.Clean(project.Tail(c.Tests.Output, 12))))
	case project.NoCommands:
		a.printf("Nothing was tested: %s.\n", untested(c.Tests))
	}
}
