package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"delegate/change"
	"delegate/internal/project"
	"delegate/internal/sandbox"
	"delegate/internal/session"
	"delegate/internal/ui"
	"delegate/internal/watch"
	"delegate/registry"

	"github.com/spf13/cobra"
)

type listView struct {
	Agents   []session.AgentView `json:"agents"`
	Total    int                 `json:"total"`
	Returned int                 `json:"returned"`
	Offset   int                 `json:"offset"`
	HasMore  bool                `json:"has_more"`
}

// list is `delegate list`: the agents of the session, most recently active first.
func (a *app) list() *cobra.Command {
	limit, offset := 10, 0
	c := a.jsonFlag(command("list", "the agents of the session, most recently active first", cobra.NoArgs,
		func(cmd *cobra.Command, _ []string) error {
			if limit < 1 || limit > 50 || offset < 0 {
				return &usageError{fmt.Errorf("--limit is 1 to 50 and --offset at least 0"), "delegate list"}
			}
			p, state, err := a.read(cmd.Context())
			if err != nil {
				return err
			}
			v := listView{Agents: []session.AgentView{}, Offset: offset}
			if state.Session != nil {
				for _, ag := range state.Agents {
					v.Agents = append(v.Agents, session.View(cmd.Context(), p, state, ag))
				}
				slices.SortStableFunc(v.Agents, moreRecent)
			}
			v.Total = len(v.Agents)
			v.Agents = v.Agents[min(offset, v.Total):min(offset+limit, v.Total)]
			v.Returned = len(v.Agents)
			v.HasMore = offset+v.Returned < v.Total
			if a.json {
				return a.printJSON(v)
			}
			a.printList(v)
			return nil
		}))
	c.Flags().IntVar(&limit, "limit", limit, "how many, at most 50")
	c.Flags().IntVar(&offset, "offset", offset, "how many to pass over")
	return c
}

func moreRecent(x, y session.AgentView) int {
	at := func(v session.AgentView) time.Time {
		if v.LastActivity == nil {
			return time.Time{}
		}
		return *v.LastActivity
	}
	if c := at(y).Compare(at(x)); c != 0 {
		return c
	}
	return strings.Compare(x.ID, y.ID)
}

func (a *app) printList(v listView) {
	if v.Total == 0 {
		a.printf("No agents: no session is active. Start one with: delegate \"what to do\"\n")
		return
	}
	var rows [][]string
	for _, ag := range v.Agents {
		rows = append(rows, statusRow(a.term.Style, ag))
	}
	ui.Table(a.out, []string{"Agent", "Subtask", "Status", "Files Changed", "Tests", "Time", "Left", "Notes"}, rows,
		a.term.Width())
	if v.HasMore {
		a.printf("%d of %d; more with --offset %d\n", v.Returned, v.Total, v.Offset+v.Returned)
	}
}

type showView struct {
	session.AgentView
	Report session.Report  `json:"report"`
	Next   string          `json:"next"`
	Layers []sandbox.Layer `json:"layers"` // what holds it in
	Loose  []string        `json:"loose"`  // what the kernel leaves to the watch and the gate
	Events []eventView     `json:"events"`
}

type eventView struct {
	Time    time.Time `json:"time"`
	Event   string    `json:"event"`
	Details string    `json:"details"`
	By      string    `json:"by"`
}

// show is `delegate show AGT-001`.
func (a *app) show() *cobra.Command {
	c := a.jsonFlag(command("show AGT", "one agent: state, scope, last block, claims against evidence, events",
		cobra.ExactArgs(1), func(cmd *cobra.Command, args []string) error {
			p, state, ag, err := a.agent(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			v := showOf(cmd.Context(), p, state, ag)
			collect(p, state, ag)
			if a.json {
				return a.printJSON(v)
			}
			a.printAgent(v, ag)
			return nil
		}))
	return c
}

func showOf(ctx context.Context, p *project.Project, state registry.State, ag registry.Agent) showView {
	v := showView{AgentView: session.View(ctx, p, state, ag), Report: session.ReportOf(p, state, ag),
		Next: session.Next(ag), Events: []eventView{}}
	v.Layers, v.Loose = session.Layers(ctx, p, state, ag)
	v.Loose = append([]string{}, v.Loose...)
	for _, e := range state.Events {
		if e.Agent == ag.ID {
			v.Events = append(v.Events, eventView{e.Time, string(e.Kind), e.Details, e.By})
		}
	}
	return v
}

func (a *app) printAgent(v showView, ag registry.Agent) {
	a.printAgentFields(v, ag)
	if v.Report.Block != "" {
		a.printf("\n")
	}
	a.printReport(v.Report)
	a.printEvents(v.Events)
	if v.Next != "" {
		a.printf("\nNext: %s\n", v.Next)
	}
}

// usedText is what an agent used up. Many programs do not know what it costs.
func usedText(v showView) string {
	used := fmt.Sprintf("%d tokens", v.Tokens)
	if v.CostUSD > 0 {
		used += fmt.Sprintf(", %.2f US$", v.CostUSD)
	}
	return used
}

func (a *app) printAgentFields(v showView, ag registry.Agent) {
	style := a.term.Style
	a.printf("%s  %s  %s\n", style.Bold(v.ID), watch.State(style, v.Status), text(v.Subtask))
	field := func(name, value string) {
		if value != "" {
			a.printf("  %-12s %s\n", name, value)
		}
	}
	field("attempt", fmt.Sprintf("%d, turn %d, program %s", v.Attempt, v.Turns, text(ag.Profile)))
	field("may write", text(strings.Join(v.Scope.Allowed, ", ")))
	field("may not", text(strings.Join(v.Scope.Forbidden, ", ")))
	field("branch", v.Branch)
	field("base, head", fmt.Sprintf("%.12s %.12s", v.Base, v.Head))
	field("worktree", v.Worktree)
	field("output", v.Output)
	field("changed", fmt.Sprintf("%s (+%d −%d)", plural(v.FilesChanged, "file"), v.Insertions, v.Deletions))
	field("tests", strings.ReplaceAll(v.Tests, "_", " "))
	if v.Tokens > 0 {
		field("used", usedText(v))
	}
	field("flags", text(strings.Join(v.Flags, "; ")))
	field("last error", text(v.LastError))
	for _, l := range v.Layers {
		field(l.Name, l.State+": "+text(l.Detail))
	}
	for _, l := range v.Loose {
		field("not held", text(l))
	}
}

// printReport prints what an agent said last beside what is known of it, and what speaks against it.
func (a *app) printReport(r session.Report) {
	a.printClaims(saidAndSeen{r.Block, r.Claims, r.Differences})
	for _, b := range r.Breaches {
		a.printf("%s\n", a.term.Style.Red("outside its scope: "+text(b)))
	}
}

func (a *app) printEvents(events []eventView) {
	if len(events) > 0 {
		a.printf("\n")
	}
	for _, e := range events {
		a.printf("  %s  %-13s %s%s\n", e.Time.Format(time.DateTime), e.Event, text(e.Details), by(e.By))
	}
}

// collect notes that an agent's result was fetched, unless an agent is who looks.
func collect(p *project.Project, state registry.State, ag registry.Agent) {
	if ag.Status != registry.Running && ag.Status != registry.Spawning && insideAgent() == nil {
		p.Collect(state.Session.ID, ag)
	}
}

func by(who string) string {
	if who == "" {
		return ""
	}
	return " (by " + text(who) + ")"
}

// logs is `delegate logs [-f] AGT`: the transcript of all turns.
func (a *app) logs() *cobra.Command {
	follow := false
	c := command("logs AGT", "what an agent printed, all turns", cobra.ExactArgs(1),
		func(cmd *cobra.Command, args []string) error {
			p, _, ag, err := a.agent(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			err = session.Follow(cmd.Context(), p, ag.ID, session.FollowOptions{Out: a.transcript(), Wait: follow})
			if follow && err == nil {
				a.term.Alert("delegate: " + ag.ID + " has ended or needs you")
			}
			return err
		})
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on until the agent ends or needs a person")
	return c
}

// transcript is where output of agents goes: as it is into a pipe, made harmless on a terminal.
func (a *app) transcript() io.Writer {
	if a.term.Interactive() {
		return cleaner{a.out}
	}
	return a.out
}

type cleaner struct{ to io.Writer }

func (c cleaner) Write(p []byte) (int, error) {
	_, err := io.WriteString(c.to, ui.Clean(string(p)))
	return len(p), err
}

// attach is `delegate attach AGT`: its output as it comes; lines typed are queued as messages.
func (a *app) attach() *cobra.Command {
	c := command("attach AGT", "follow an agent; a line you type is queued as a message to it; Ctrl-C leaves it working", cobra.ExactArgs(1),
		func(cmd *cobra.Command, args []string) error {
			_, who, err := a.control(cmd.Context())
			if err != nil {
				return err
			}
			_, _, ag, err := a.agent(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			err = session.Attach(cmd.Context(), who, ag.ID,
				session.AttachOptions{In: os.Stdin, Out: a.transcript(), Notes: a.err})
			if err == nil {
				a.term.Alert("delegate: " + ag.ID + " has ended or needs you")
			}
			if errors.Is(err, context.Canceled) {
				fmt.Fprintf(a.err, "\nDetached; %s goes on.\n", ag.ID)
			}
			return err
		})
	return c
}

// diff is `delegate diff AGT`: what the agent changed since its fork point, committed or not.
func (a *app) diff() *cobra.Command {
	stat := false
	c := a.jsonFlag(command("diff AGT", "what an agent changed, committed or not, as a patch", cobra.ExactArgs(1),
		func(cmd *cobra.Command, args []string) error {
			show := a.printDiff
			if stat {
				show = func(_ context.Context, _ *project.Project, files []change.File) error {
					a.printFiles(files)
					return nil
				}
			}
			if a.json {
				show = func(_ context.Context, _ *project.Project, files []change.File) error {
					return a.printJSON(viewFiles(files))
				}
			}
			return a.diffOf(cmd.Context(), args[0], show)
		}))
	c.Flags().BoolVar(&stat, "stat", false, "only the files and their line counts")
	return c
}

type diffView struct {
	Files []fileView `json:"files"`
}

type fileView struct {
	Path       string `json:"path"`
	OldPath    string `json:"old_path"` // of a rename
	Action     string `json:"action"`
	Insertions int    `json:"insertions"`
	Deletions  int    `json:"deletions"`
	Binary     bool   `json:"binary"`
}

func viewFiles(files []change.File) diffView {
	v := diffView{Files: []fileView{}}
	for _, f := range files {
		v.Files = append(v.Files, fileView{f.Path, f.OldPath, string(f.Kind), f.Insertions, f.Deletions, f.Binary})
	}
	return v
}

// diffOf shows an agent's changes. One that was never started has none.
func (a *app) diffOf(ctx context.Context, id string,
	show func(context.Context, *project.Project, []change.File) error) error {
	p, state, ag, err := a.agent(ctx, id)
	if err != nil {
		return err
	}
	files, missing, err := changesOf(ctx, p, state, ag)
	if err != nil {
		return err
	}
	if missing != "" {
		fmt.Fprintln(a.err, "note:", text(missing))
	}
	return show(ctx, p, files)
}

// changesOf is what an agent changed, committed or not; of work that has landed, what landed. What
// could not be read of it is said.
func changesOf(ctx context.Context, p *project.Project, state registry.State, ag registry.Agent) (files []change.File,
	missing string, err error) {
	switch {
	case ag.Base == "":
		return nil, "", nil
	case ag.Status == registry.Merged && ag.MergeCommit != "":
		files, err = p.Landed(ctx, ag)
		return files, "", err
	}
	target, err := p.Target(ctx, *state.Session)
	if err != nil {
		return nil, "", err
	}
	work, err := p.Seen(ctx, state.Session.ID, ag, target)
	return work.Files, work.Incomplete, err
}

// wait is `delegate wait [AGT…]`.
func (a *app) wait() *cobra.Command {
	limit, fail := session.WaitCeiling, false
	c := a.jsonFlag(command("wait [AGT...]", "wait until the agents (none named: all) have ended or need a person",
		cobra.ArbitraryArgs, func(cmd *cobra.Command, args []string) error {
			if limit <= 0 {
				return &usageError{fmt.Errorf("--timeout is a duration above 0, such as 90s"), "delegate wait"}
			}
			if limit > session.WaitCeiling {
				fmt.Fprintf(a.err, "note: one call waits at most %s\n", session.WaitCeiling)
			}
			p, _, err := a.active(cmd.Context())
			if err != nil {
				return err
			}
			results, err := session.Wait(cmd.Context(), p, args, limit)
			if err != nil {
				return err
			}
			state, err := p.Active(cmd.Context())
			if err != nil {
				return err
			}
			a.term.Alert("delegate: " + waitedTitle(results))
			for _, r := range results {
				if ag, err := state.Agent(r.ID); err == nil && ag.Status == r.Status {
					collect(p, state, ag)
				}
			}
			if err := a.printWaited(args, results); err != nil {
				return err
			}
			if session.Unapproved(state) {
				return errUnapproved
			}
			return waitCode(results, fail)
		}))
	c.Long = "Waits until each named agent (none named: all) has ended or needs a person, at most 300 s.\n" +
		"A time-out is no failure: the agent goes on, wait again. An agent that failed ends the wait with exit code " +
		"7 and its report;\n" +
		"whether that can be recovered is for the caller to judge."
	c.Flags().DurationVar(&limit, "timeout", limit, "how long, at most 300s")
	c.Flags().BoolVar(&fail, "fail-on-timeout", false, "end with exit code 124 if the time is over first")
	return c
}

// waitedTitle is what a wait came to, in the title of a terminal.
func waitedTitle(results []session.Waited) string {
	parts := make([]string, 0, len(results))
	for _, r := range results {
		parts = append(parts, r.ID+" "+string(r.Status))
	}
	return strings.Join(parts, ", ")
}

type waitView struct {
	Results  []waitedView `json:"results"`
	TimedOut bool         `json:"timed_out"`
	Guidance string       `json:"guidance"`
}

// waitedView is an agent's object with what a waiting caller needs.
type waitedView = session.Waited

func (a *app) printWaited(asked []string, results []session.Waited) error {
	v := waitView{Results: append([]waitedView{}, results...)}
	for _, r := range results {
		v.TimedOut = v.TimedOut || r.TimedOut
	}
	v.Guidance = "Collect every result, then: delegate sync"
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
		a.printf("%s  %s  %s\n", r.ID, watch.State(a.term.Style, r.Status), text(r.Subtask))
		if r.LastError != "" && r.Status == registry.Failed {
			a.printf("  %s\n", text(r.LastError))
		}
		if r.Guidance != "" {
			a.printf("  %s\n", r.Guidance)
		}
	}
	return nil
}

func waitCode(results []session.Waited, failOnTimeout bool) error {
	failed, late := false, false
	for _, r := range results {
		failed = failed || r.Status == registry.Failed
		late = late || r.TimedOut
	}
	switch {
	case failed:
		return errAgentFailed
	case late && failOnTimeout:
		return errTimedOut
	}
	return nil
}
