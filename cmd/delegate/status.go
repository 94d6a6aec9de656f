package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/land/journal"
	"delegate/internal/project"
	"delegate/internal/record/audit"
	"delegate/internal/text/ui"
	"delegate/internal/view/overview"
	"delegate/internal/view/status"
	"delegate/internal/view/watch"
	"delegate/registry"

	"github.com/spf13/cobra"
)

// statusCommand is `delegate status`.
func (a *app) statusCommand() *cobra.Command {
	return a.jsonFlag(command("status", "show the session, its agents, and what to do next", cobra.NoArgs,
		func(ctx context.Context, _ []string) error {
			p, state, err := a.read(ctx)
			if err != nil {
				return err
			}
			state = a.peekRequests(ctx, p, state)
			if a.json {
				return a.printJSON(statusOf(ctx, p, state))
			}
			a.printStatus(ctx, p, state)
			return nil
		}))
}

// sessionView is the session as reading commands print it.
type sessionView struct {
	ID           string    `json:"id"`
	Status       string    `json:"status"`
	Created      time.Time `json:"created"`
	ParentTask   string    `json:"parent_task"`
	Target       string    `json:"target"`
	Base         string    `json:"base"`
	PlanApproved bool      `json:"plan_approved"`
	Elapsed      int       `json:"elapsed_seconds"`
}

type supervisorView struct {
	PID       int       `json:"pid"`
	StartedAt time.Time `json:"started_at"`
	// Silent is for how long it has not answered, 0 while it does.
	Silent   int               `json:"silent_seconds"`
	Failures []session.Failure `json:"failures"` // what it cannot do, oldest first
}

type statusView struct {
	Session    *sessionView       `json:"session"`
	Supervisor *supervisorView    `json:"supervisor"`
	Agents     []status.AgentView `json:"agents"`
	Usage      status.UsageView   `json:"usage"`  // of all agents together
	Budget     string             `json:"budget"` // what they may use up together; "" for no limit
	Landing    bool               `json:"unfinished_landing"`
	Lost       int                `json:"responses_lost"`
	Notices    []string           `json:"notices"`
	// TargetFails is what the target fails by itself of its tests as it is now, as far as that was seen; null: nothing.
	TargetFails *session.FailingTarget `json:"target_fails"`
	Conflicts   []status.Point         `json:"conflicts"` // as far as they are known, by their names
	Waiting     []status.Point         `json:"waiting"`   // for the person, beside conflicts
	// Disagreements are what the registry says and git does not bear out.
	Disagreements []audit.Disagreement `json:"disagreements"`
}

func statusOf(ctx context.Context, p *project.Project, state registry.State) statusView {
	v := statusView{Agents: viewAgents(ctx, p, state), Notices: append([]string{}, state.Notices...),
		Landing: journal.Unfinished(p), Conflicts: []status.Point{}, Waiting: []status.Point{}}
	v.Disagreements = append([]audit.Disagreement{}, audit.Disagreements(ctx, p, state)...)
	if s := session.FindSupervisor(p); s != nil {
		v.Supervisor = &supervisorView{PID: s.PID, StartedAt: s.Started.UTC().Truncate(time.Second),
			Failures: append([]session.Failure{}, s.Failures...)}
		if silent, ok := errors.AsType[*session.SilentError](s.Answers(p)); ok {
			v.Supervisor.Silent = max(1, int(silent.For.Seconds()))
		}
	}
	if s := state.Session; s != nil {
		v.TargetFails = targetFailsNow(ctx, p, *s)
		v.Conflicts = append(v.Conflicts, status.Conflicts(p, state)...)
		waiting, err := overview.Waiting(p, state)
		if err != nil {
			v.Notices = append(v.Notices, "what waits for you was not read: "+err.Error())
		}
		v.Waiting = append(v.Waiting, slices.DeleteFunc(waiting, func(point status.Point) bool {
			return point.Kind == status.ConflictPoint
		})...)
		v.Session = &sessionView{
			ID: s.ID, Status: string(s.Status), Created: s.Created, ParentTask: s.ParentTask, Target: s.Target,
			Base:         s.Base,
			PlanApproved: s.PlanApproved != "", Elapsed: int(p.Now().Sub(s.Created).Seconds()),
		}
		v.Lost = status.ResponsesLost(state)
		v.Usage = status.UsageOf(session.AllUsed(p, state))
		if limit := session.Budget(p.Config, *s); !limit.Off() {
			v.Budget = limit.String()
		}
	}
	return v
}

// viewAgents are the agents of the active session, if there is one.
func viewAgents(ctx context.Context, p *project.Project, state registry.State) []status.AgentView {
	if state.Session == nil {
		return []status.AgentView{}
	}
	views, behind := status.Views(ctx, p, state), status.Behind(ctx, p, state)
	for i := range views {
		views[i].BaseBehind = behind[views[i].ID]
	}
	return views
}

func (a *app) printJSON(value any) error { return writeJSON(a.out, value) }

func writeJSON(to io.Writer, value any) error {
	var document strings.Builder
	encoder := json.NewEncoder(&document)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := io.WriteString(to, ui.CleanJSON(document.String()))
	return err
}

func (a *app) printStatus(ctx context.Context, p *project.Project, state registry.State) {
	if state.Session == nil {
		if cut, _, found := journal.CutShort(ctx, p); found {
			a.printf("The end of %s was interrupted: delegate sync complete\n", cut.Session.ID)
		}
		a.printf("No session is active. Start one with: delegate \"what to do\"\n")
		a.printDisagreements(audit.Disagreements(ctx, p, state))
		return
	}
	s, style := state.Session, a.term.Style
	a.printf("%s  %s  %s\n", style.Bold(text(s.ParentTask)), s.Status.Word(), s.ID)
	a.printf("started %s ago, merges into %s, ", ui.Elapsed(p.Now().Sub(s.Created)), s.Target)
	switch sup := session.FindSupervisor(p); {
	case session.Unapproved(state):
		a.printf("the plan waits for your approval: delegate approve\n")
	case sup == nil && p.Inside:
		a.printf("whose supervisor cannot be seen from inside a turn\n")
	case sup == nil:
		a.printf("no supervisor is running\n")
	case sup.Stopped():
		a.printf("supervisor pid %d, which does not answer\n", sup.PID)
	default:
		a.printf("supervisor pid %d\n", sup.PID)
	}
	if s.Paused != "" {
		a.linef(style.Yellow, "It is paused by %s: no turn is started until %s", text(s.Paused), session.ResumeNext(*s))
	}
	a.printTargetFails(ctx, p, *s)
	a.printUnpulled(ctx, p, state)
	a.printf("\n")
	views := viewAgents(ctx, p, state)
	a.printAgents(views)
	a.printUsed(p, state, views)
	found := audit.Disagreements(ctx, p, state)
	a.printDisagreements(found)
	a.printNext(p, state, found)
}

// printDisagreements says where registry and git do not say the same, and what to type for each.
func (a *app) printDisagreements(found []audit.Disagreement) {
	for i, d := range found {
		if i == 0 {
			a.printf("\nThe registry and git disagree:\n")
		}
		a.printPoint(a.term.Red(a.named(d.Text)), d.Next...)
	}
}

// printPoint says what there is to do something about, and below it what to type.
func (a *app) printPoint(what string, next ...string) {
	a.printWrapped("  - ", what, 4)
	lead := "→ "
	for _, line := range next {
		a.printf("    %s%s\n", lead, a.named(line))
		lead = "or "
	}
}

func (a *app) printAgents(views []status.AgentView) {
	var rows [][]string
	for _, v := range views {
		left := "–"
		if v.RemainingSeconds != nil && (v.Status == registry.Running || v.Status == registry.Spawning) {
			left = ui.Elapsed(time.Duration(*v.RemainingSeconds) * time.Second)
		}
		rows = append(rows, []string{
			v.Name, v.ID, watch.State(a.term.Style, v.Status, v.Word()) + progressOf(v),
			fmt.Sprintf("%d (+%d −%d)", v.FilesChanged, v.Insertions, v.Deletions), watch.Tests(a.term.Style, v.Tests),
			ui.Elapsed(time.Duration(v.ElapsedSeconds) * time.Second), left, a.named(strings.Join(notesOf(v), "; ")),
		})
	}
	ui.Table(a.out, []string{"Agent", "ID", "Status", "Files Changed", "Tests", "Time", "Left", "Notes"}, rows,
		a.term.Width())
}

// progressOf is how far an agent that is not done says it is.
func progressOf(v status.AgentView) string {
	if v.Progress < 0 || v.Status != registry.Checkpoint && v.Status != registry.Running {
		return ""
	}
	return fmt.Sprintf(", %d%%", v.Progress)
}

// notesOf is what else there is to know about an agent, in few words each.
func notesOf(v status.AgentView) (notes []string) {
	if v.Attempt > 1 {
		notes = append(notes, fmt.Sprintf("attempt %d", v.Attempt))
	}
	if v.Checkpoints > 0 {
		notes = append(notes, ui.Plural(v.Checkpoints, "checkpoint"))
	}
	if v.ViolationWords != "" {
		notes = append(notes, v.ViolationWords)
	}
	if v.Queued > 0 {
		notes = append(notes, ui.Plural(v.Queued, "queued message"))
	}
	if r := v.PullRequest; r != nil && v.Status != registry.Merged {
		notes = append(notes, strings.TrimSpace(map[registry.PullRequestState]string{
			registry.PullRequestOpen: "in review", registry.PullRequestMerged: "pull request merged",
			registry.PullRequestClosed: "pull request closed"}[r.State]+" "+cmp.Or(r.URL, r.Branch)))
	}
	if n := len(v.Refused); n > 0 {
		notes = append(notes, ui.Plural(n, "write")+" refused")
	}
	if n := len(v.RefusedCalls); n > 0 {
		notes = append(notes, ui.Plural(n, "system call")+" refused")
	}
	if words := v.Place.Words(v.On, time.Now()); words != "" {
		notes = append(notes, text(words))
	}
	if taken := v.TakenOverText(time.Now()); taken != "" {
		notes = append(notes, taken)
	}
	for _, text := range v.Flags {
		flag := registry.ParseFlag(text)
		if flag.Kind != registry.FlagResponseLost && (v.TakenOver == nil || flag.Kind != registry.FlagTakenOver) {
			notes = append(notes, flag.Words())
		}
	}
	if v.BestOf != "" {
		notes = append(notes, "one of several for this task")
	}
	if v.BaseBehind > 0 {
		notes = append(notes, ui.Plural(v.BaseBehind, "commit")+" behind")
	}
	switch {
	case v.Approval == "pending":
		notes = append(notes, "waits for your yes")
	case len(v.WaitingFor) > 0:
		notes = append(notes, "waits for "+strings.Join(v.WaitingFor, ", "))
	}
	return notes
}

// printNext says what waits for the person, and what they can type.
func (a *app) printNext(p *project.Project, state registry.State, found []audit.Disagreement) {
	halfDone := journal.Unfinished(p)
	if halfDone {
		a.printf("\nA merge is half done: delegate sync merge --continue, or --abort\n")
	}
	if journal.Unpublished(p) {
		a.printf("\nA pull request is half done: delegate sync pr --continue, or --abort\n")
	}
	waits, conflicts, holding := a.printAsked(p, state), status.Conflicts(p, state), status.Holding(p, state)
	for _, ag := range state.Agents {
		if stuck := status.CannotStart(state, ag); stuck != "" {
			a.printf("\n%s %s\n", ag.Name, stuck)
		}
		point, waiting := status.AgentPoint(p, state, ag, holding)
		if !waiting || halfDone && ag.Status == registry.Complete || // nothing else is merged before that is over
			slices.ContainsFunc(found, func(d audit.Disagreement) bool { return d.Agent == ag.ID }) {
			continue // what to type stands above
		}
		if waits++; waits == 1 {
			a.printf("\nWaiting for you:\n")
		}
		a.printPoint(ag.Name+" "+a.named(point.Text), point.Next)
	}
	if a.printed != nil {
		conflicts = nil // they are told with their places
	}
	for n, point := range conflicts {
		if n == 0 {
			a.printf("\nConflicts:\n")
		}
		a.printPoint(forPeople(state, point.Text), point.Next)
	}
	if allEnded(state) && !slices.ContainsFunc(found, func(d audit.Disagreement) bool {
		return d.Kind == audit.LandingLost
	}) {
		a.printf("\n%s\n", everyoneEnded)
	}
}

// printAsked says what agents' programs ask in the middle of their turns, and how many that are.
func (a *app) printAsked(p *project.Project, state registry.State) int {
	asked := status.AskPoints(p, state)
	if len(asked) > 0 {
		a.printf("\nWaiting for you:\n")
	}
	for _, point := range asked {
		a.printPoint(a.named(point.Agent+" "+point.Text), point.Next)
	}
	return len(asked)
}

const everyoneEnded = "Every agent has ended: delegate sync complete"

// allEnded says that nobody works any more and nothing waits to land.
func allEnded(state registry.State) bool {
	return !slices.ContainsFunc(state.Agents, func(ag registry.Agent) bool {
		return ag.Status != registry.Merged && ag.Status != registry.Aborted && ag.Status != registry.Failed
	})
}
