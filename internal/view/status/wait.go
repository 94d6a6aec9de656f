package status

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"delegate/checkpoint"
	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// WaitCeiling is the longest that one call waits, and what it waits when nothing else is said.
const WaitCeiling = 300 * time.Second

// Waited is what one agent had come to when the wait ended.
type Waited struct {
	AgentView
	TimedOut bool   `json:"timed_out"`
	Guidance string `json:"guidance"`
	Report   Report `json:"report"`
	Need     Need   `json:"-"` // of one in the state CHECKPOINT
}

// Report is what an agent has to show, whatever its state.
type Report struct {
	Result      string   `json:"result"` // running, needs_person, completed, failed, merged, aborted or pending
	Summary     string   `json:"summary"`
	Files       []string `json:"files"`
	Block       string   `json:"block"`       // its last checkpoint block
	Differences []string `json:"differences"` // claims the evidence does not bear out
	// Claims are all claims of the block beside the evidence.
	Claims   []checkpoint.Row `json:"claims"`
	Breaches []string         `json:"breaches"`
	Tail     string           `json:"tail"`
	// Limit names the limit that was exhausted: timeout, turn limit, token limit, cost limit or session budget; "" if
	// none was.
	Limit string `json:"limit"`
}

// IsOver says whether a wait for the agent is over: it ended, it needs a person, or it cannot
// start before a person acts.
func IsOver(state registry.State, a registry.Agent) bool {
	switch a.Status {
	case registry.Spawning, registry.Running:
		return a.Flags.Has(registry.FlagStalled)
	case registry.Pending:
		if session.AwaitsYes(state, a) || state.Session.Paused != "" {
			return true
		}
		open := session.WaitsFor(state, a)
		for _, d := range open {
			if IsOver(state, d) {
				return true // what it waits for waits for a person
			}
		}
		return len(open) == 0 && !session.MayStart(state, a) && session.InParallel(state) == 0 &&
			state.Session.Status == registry.SessionActive
	}
	return true
}

// missingLimit is how long a supervisor may be missing, or be stopped by a signal, before a wait counts on none; one
// that starts takes a moment.
const missingLimit = 5 * time.Second

// Wait returns when every named agent (none named: all) ended or needs a person, or when nothing
// supervises them any more, or when the time is over. A time-out is no error. Where there is something to wait for, it
// first calls each of begun with the agents.
func Wait(ctx context.Context, p *project.Project, ids []string, limit time.Duration,
	begun ...func([]registry.Agent)) ([]Waited, error) {
	deadline := time.Now().Add(min(limit, WaitCeiling))
	supervised := time.Now()
	for {
		supervisor, before := session.FindSupervisor(p), session.SignatureOf(p.RegistryFile())
		state, err := p.Active(ctx)
		if err != nil {
			return nil, err
		}
		agents, err := pick(state, ids)
		if err != nil {
			return nil, err
		}
		over := true
		for _, a := range agents {
			over = over && (IsOver(state, a) || len(Asks(p, state, a)) > 0 || IsPaused(p, state, a) ||
				supervisor.FailsFor(a.ID))
		}
		if !session.SupervisorMissing(p, state) && (supervisor == nil || !supervisor.Stopped()) {
			supervised = time.Now()
		}
		over = over || time.Since(supervised) > missingLimit
		if over || !time.Now().Before(deadline) {
			return results(ctx, p, state, agents), nil
		}
		for _, say := range begun {
			say(agents)
		}
		begun = nil
		// of what is not in the registry a moment later is soon enough
		if err := session.AwaitChange(ctx, p, before, min(100*time.Millisecond, time.Until(deadline))); err != nil {
			return nil, err
		}
	}
}

func pick(state registry.State, ids []string) ([]registry.Agent, error) {
	if len(ids) == 0 {
		return state.Agents, nil
	}
	var agents []registry.Agent
	for _, id := range ids {
		a, err := state.Find(id)
		if err != nil {
			return nil, err
		}
		agents = append(agents, a)
	}
	return agents, nil
}

func results(ctx context.Context, p *project.Project, state registry.State, agents []registry.Agent) []Waited {
	all := make([]Waited, 0, len(agents))
	unwell, holding := Unwell(p, state), Holding(p, state)
	for _, a := range agents {
		w := Waited{AgentView: View(ctx, p, state, a), Report: ReportOf(p, state, a)}
		if a.Status == registry.Checkpoint {
			w.Need = NeedOf(a)
		}
		if session.Unapproved(state) {
			w.Guidance = "The plan waits for a person's approval: delegate approve"
		} else if session.AwaitsYes(state, a) {
			w.Guidance = a.Name + " waits for a person's approval: delegate approve " + a.Name
			if point, _ := AgentPoint(p, state, a, holding); !a.Approval.Pending() {
				w.Guidance = a.Name + " " + point.Text + ": " + point.Next
			}
		} else if IsPaused(p, state, a) {
			w.Guidance = pausedText(state)
		} else if asks := Asks(p, state, a); len(asks) > 0 {
			w.Guidance = a.Name + " " + AskText(p, asks[0]) + "; a person answers with: delegate review " + a.Name
		} else if !IsOver(state, a) {
			w.TimedOut = true
			w.Guidance = a.Name + " is still working, and a time-out is no failure: wait again, or read " +
				"delegate logs " + a.Name + "."
			at := slices.IndexFunc(unwell, func(p Point) bool { return p.Agent == "" || p.Agent == a.ID })
			if waits := waitWords(a); waits != "" {
				w.Guidance = a.Name + ": " + waits + "; that is no failure, wait again."
			}
			switch taken := w.TakenOverText(p.Now()); {
			case taken != "":
				w.Guidance = a.Name + " is " + taken + ", and a time-out is no failure: wait again; to end that: " +
					"delegate interrupt " + a.Name
			case at >= 0:
				w.Guidance = a.Name + " cannot go on: " + unwell[at].Text + "; type: " + unwell[at].Next
			case state.Session.Paused != "":
				w.Guidance = pausedText(state)
			}
		} else if a.Status == registry.Pending && state.Session.Paused != "" {
			w.Guidance = pausedText(state)
		} else if blocker := blockedBy(p, state, a, holding); blocker != "" {
			w.Guidance = blocker
		} else if next := Next(p, a, holding); next != "" {
			w.Guidance = "Next: " + next
			if NotCompared(p, state, a) {
				w.Guidance = "Its work is " + Comparing(p) + ". " + w.Guidance
			}
			switch stalled := a.Flags.Has(registry.FlagStalled) && a.Status == registry.Running; {
			case stalled && placeOf(p, state, a).unreached():
				w.Guidance = a.Name + ": " + awayText(a) + "; type: delegate doctor --engine " + a.On
			case stalled:
				w.Guidance = a.Name + " " + noSign + "; it goes on until you act or its time is up. " + w.Guidance
			}
		}
		all = append(all, w)
	}
	return all
}

// IsPaused reports whether a RUNNING agent's turn has not begun because the session is paused.
func IsPaused(p *project.Project, state registry.State, a registry.Agent) bool {
	if a.Status != registry.Running || state.Session.Paused == "" {
		return false
	}
	turn, err := keeper.Turn{Dir: p.TurnDir(state.Session.ID, a.ID, a.Turns)}.State()
	return err == nil && turn == keeper.Prepared
}

func pausedText(state registry.State) string {
	return "The session is paused (" + state.Session.Paused + "): no turn is started until " +
		session.ResumeNext(*state.Session)
}

// blockedBy tells what a person can do about a PENDING agent whose dependency will not be met by
// itself, "" for any other.
func blockedBy(p *project.Project, state registry.State, a registry.Agent, holding []Point) string {
	if a.Status != registry.Pending {
		return ""
	}
	if stuck := CannotStart(state, a); stuck != "" {
		return a.Name + " " + stuck
	}
	for _, d := range session.WaitsFor(state, a) {
		switch d.Status {
		case registry.Running, registry.Spawning, registry.Pending:
		default:
			point, _ := AgentPoint(p, state, d, holding)
			return a.Name + " waits for " + d.Name + ", which " + point.Text + ": " + point.Next
		}
	}
	return ""
}

// CannotStart tells what a PENDING agent waits for in vain, and what to type, "" for one that may still start.
func CannotStart(state registry.State, a registry.Agent) string {
	if a.Status != registry.Pending {
		return ""
	}
	for _, d := range session.WaitsFor(state, a) {
		if d.Status == registry.Aborted {
			return "waits for " + d.Name + ", which was aborted: delegate abort " + a.Name
		}
	}
	return ""
}

// ReportOf is the agent's report now.
func ReportOf(p *project.Project, state registry.State, a registry.Agent) Report {
	kept := session.ReadReport(p, state.Session.ID, a)
	r := Report{Files: list(a.FilesModified), Block: kept.Block, Differences: list(kept.Differences),
		Claims: append([]checkpoint.Row{}, kept.Claims...), Breaches: list(kept.Breaches), Tail: kept.Tail,
		Summary: cmp.Or(kept.Completion, kept.Summary, a.Summary)}
	for _, limit := range []registry.FlagKind{registry.FlagTimeout, registry.FlagTurnLimit,
		registry.FlagTokenLimit, registry.FlagCostLimit, registry.FlagSessionBudget} {
		if a.Flags.Has(limit) {
			r.Limit = string(limit)
		}
	}
	if r.Result = resultOf(a.Status); a.Flags.Has(registry.FlagStalled) && a.Status == registry.Running {
		r.Result = resultOf(registry.Checkpoint)
	}
	return r
}

// resultOf is the one word for a caller that waits.
func resultOf(s registry.Status) string {
	switch s {
	case registry.Pending:
		return "pending"
	case registry.Spawning, registry.Running:
		return "running"
	case registry.Checkpoint:
		return "needs_person"
	case registry.Complete:
		return "completed"
	}
	return strings.ToLower(string(s)) // failed, merged, aborted
}
