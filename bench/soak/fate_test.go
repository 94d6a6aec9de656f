//go:build bench && linux

package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	supervision "delegate/internal/control/session"
	"delegate/internal/turn/keeper"
	"delegate/internal/view/status"
	"delegate/registry"
)

// measure is one thing that is done to a running agent.
type measure string

const (
	sayLater    measure = "message"
	sayTwice    measure = "two messages at the same moment"
	sayNow      measure = "message --interrupt"
	interrupt   measure = "interrupt"
	killKeeper  measure = "kills of keepers"
	killProgram measure = "kills of agent programs"
)

// fate is what one agent does, and what is still to be done to it.
type fate struct {
	does    behaviour
	early   bool // a message is queued before it starts
	running []measure
	retries int // of a failure
	again   int // messages after it is through

	killed   bool     // a process of it was; it may fail for that
	cut      bool     // a turn of it was ended from outside
	sent     []string // messages that the program accepted
	doubtful []string // messages whose command was killed; it may get them or not
}

func drawFate(dice *rand.Rand, does behaviour) *fate {
	f := &fate{does: does, early: dice.IntN(6) == 0, retries: dice.IntN(3), again: dice.IntN(3) / 2}
	for _, m := range []measure{sayLater, sayTwice, sayNow, interrupt, killKeeper, killProgram} {
		if dice.IntN(6) == 0 {
			f.running = append(f.running, m)
		}
	}
	dice.Shuffle(len(f.running), func(i, j int) { f.running[i], f.running[j] = f.running[j], f.running[i] })
	if does.name == "hangs" { // it is to be left alone until a person is called
		f.early = false
		f.running = slices.DeleteFunc(f.running, func(m measure) bool { return m != killKeeper && m != killProgram })
	}
	return f
}

// over says whether nothing goes on and nothing is left to do.
func (s *session) over(v view) bool {
	for _, a := range v.Agents {
		f := s.agents[a.ID]
		switch {
		case a.Status == registry.Complete && f.again == 0 && a.Queued == 0:
		case a.Status == registry.Failed && f.retries == 0:
		default:
			return false
		}
	}
	return true
}

// act takes a few steps: the supervisor may die, and somebody takes up what waits.
func (s *session) act(ctx context.Context, v view) {
	starting := slices.ContainsFunc(v.Agents, func(a status.AgentView) bool { return a.Turns == 0 })
	switch {
	case v.Supervisor == nil:
		if s.dice.IntN(3) == 0 {
			_ = s.command(ctx, "resume")
		}
	case s.dice.IntN(10) == 0, starting && s.dice.IntN(5) == 0:
		s.killSupervisor(v.Supervisor.PID)
	}
	for _, a := range v.Agents {
		if s.actOn(ctx, a, s.agents[a.ID]) && s.dice.IntN(8) == 0 {
			if now := supervision.FindSupervisor(s.p); now != nil { // in the middle of what it was told to do
				time.Sleep(time.Duration(s.dice.IntN(400)) * time.Millisecond)
				s.killSupervisor(now.PID)
			}
		}
	}
}

// actOn does what is due for one agent, if anything is. It reports whether it gave a command.
func (s *session) actOn(ctx context.Context, a status.AgentView, f *fate) bool {
	chance := func(of int) bool { return s.dice.IntN(of) == 0 }
	switch a.Status {
	case registry.Pending:
		if f.early && chance(4) {
			f.early = false
			s.say(ctx, a.ID, f, "message")
			return true
		}
	case registry.Running:
		switch {
		case slices.Contains(a.Flags, "stalled"):
			s.say(ctx, a.ID, f, "message", "--interrupt")
			return true
		case len(f.running) > 0 && chance(3):
			next := f.running[0]
			f.running = f.running[1:]
			return s.take(ctx, a, f, next)
		}
	case registry.Checkpoint:
		if chance(2) {
			s.say(ctx, a.ID, f, "continue")
			return true
		}
	case registry.Failed:
		if f.retries > 0 && chance(3) {
			f.retries--
			s.takeUp(ctx, a, f)
			return true
		}
	case registry.Complete:
		if (f.again > 0 || a.Queued > 0) && chance(3) {
			f.again = max(0, f.again-1)
			s.say(ctx, a.ID, f, "message")
			return true
		}
	}
	return false
}

// takeUp has a failed agent begin anew, or go on with a message if it has time for that.
func (s *session) takeUp(ctx context.Context, a status.AgentView, f *fate) {
	if s.dice.IntN(2) == 0 && a.RemainingSeconds != nil && *a.RemainingSeconds > 20 {
		s.say(ctx, a.ID, f, "message")
		return
	}
	_ = s.command(ctx, "retry", a.ID)
}

// take does one thing to a running agent. It reports whether that was a command.
func (s *session) take(ctx context.Context, a status.AgentView, f *fate, m measure) bool {
	switch m {
	case killKeeper, killProgram:
		if s.killTurn(a, m) {
			f.killed, f.cut = true, true
		}
		return false
	case sayLater:
		s.say(ctx, a.ID, f, "message")
	case sayTwice:
		s.sayTwo(ctx, a.ID, f)
	case sayNow:
		f.cut = true
		s.say(ctx, a.ID, f, "message", "--interrupt")
	case interrupt:
		f.cut = true
		_ = s.command(ctx, "interrupt", a.ID)
	}
	return true
}

// token is a text that no other message has.
func (s *session) token() string {
	s.count["messages"]++
	return fmt.Sprintf("soak-message-%d", s.count["messages"])
}

// say gives the agent a message by one of the commands that take one.
func (s *session) say(ctx context.Context, id string, f *fate, verb ...string) {
	token := s.token()
	switch err := s.command(ctx, append(verb, id, token)...); {
	case err == nil:
		f.sent = append(f.sent, token)
	case errors.Is(err, errCut):
		f.doubtful = append(f.doubtful, token)
	}
}

// sayTwo has two commands queue a message for the agent at the same moment.
func (s *session) sayTwo(ctx context.Context, id string, f *fate) {
	const both = `"$1" message "$2" "$3" >&2 & one=$!; "$1" message "$2" "$4" >&2 & two=$!; wait $one && echo "$3"; wait $two && echo "$4"`
	s.count[string(sayTwice)]++
	first, second := s.token(), s.token()
	accepted, err := s.run(ctx, "sh", "-c", both, "sh", s.program, id, first, second)
	if err != nil {
		s.fault("two messages to %s: %v", id, err)
	}
	f.sent = append(f.sent, tokens(string(accepted))...)
}

// killSupervisor ends it as a power cut would, unless that was done often enough.
func (s *session) killSupervisor(pid int) {
	for _, p := range s.processes() {
		if p.id.PID == pid && s.kills > 0 && p.kill() {
			s.kills--
			s.count["kills of supervisors"]++
		}
	}
}

// killTurn ends the keeper or the program of the agent's turn, if it has one now.
func (s *session) killTurn(a status.AgentView, m measure) bool {
	turn := keeper.Turn{Dir: s.p.TurnDir(s.id, a.ID, a.Turns)}
	record, _ := turn.Record() // a keeper that has just been started has none yet
	for _, p := range s.processes() {
		keeps := strings.Contains(p.args, keeper.KeeperVerb+" "+turn.Dir)
		if (m == killKeeper && keeps || m == killProgram && p.id == record.Agent) && p.kill() {
			s.count[string(m)]++
			return true
		}
	}
	return false
}
