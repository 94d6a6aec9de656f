package supervise

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"delegate/checkpoint"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/transcript"
	"delegate/internal/view/status"
	"delegate/registry"
)

func block(s checkpoint.Status, r checkpoint.Request) *checkpoint.Block {
	return &checkpoint.Block{Agent: "AGT-001", Status: s, Request: r, Progress: -1}
}

// endings are all ways in which a turn can end, with what follows from it.
func endings() map[string]judged {
	done := block(checkpoint.Complete, checkpoint.Merge)
	asks := block(checkpoint.Blocked, checkpoint.Help)
	fileDone := &checkpoint.Completion{Status: checkpoint.Completed, Summary: "all done"}
	fileFailed := &checkpoint.Completion{Status: checkpoint.Failed, Summary: "no way"}
	ended := func(c keeper.Cause) keeper.Exit { return keeper.Exit{Cause: c, Code: -1} }
	all := map[string]judged{
		"could not be started": {e: turnFacts{exit: keeper.Exit{Cause: keeper.NotStarted, Error: "no such program"},
			newWork: true, changes: 1},
			kind: registry.EventFailed, details: "no such program"},
		"time limit": {e: turnFacts{exit: ended(keeper.Stopped), reason: stoppedTimeout, block: asks, changes: 1},
			kind: registry.EventFailed, details: "time limit reached", flags: []string{"timeout"}},
		"time limit after its completion": {
			e: turnFacts{exit: ended(keeper.Stopped), reason: stoppedTimeout, block: done,
				changes: 1, waiting: 1},
			kind:    registry.EventComplete,
			details: "COMPLETE",
			flags:   []string{"timeout"},
		},
		"time limit after its completion file": {e: turnFacts{exit: ended(keeper.Stopped), reason: stoppedTimeout,
			file: fileDone, changes: 1},
			kind: registry.EventComplete, details: "all done", flags: []string{"timeout"}},
		"time limit after its file says failed": {e: turnFacts{exit: ended(keeper.Stopped), reason: stoppedTimeout,
			file: fileFailed},
			kind: registry.EventFailed, details: "time limit reached", flags: []string{"timeout"}},
		"stopped": {e: turnFacts{exit: keeper.Exit{Cause: keeper.Stopped, Code: -1, Error: "its keeper was gone"},
			newWork: true, changes: 1},
			kind: registry.EventFailed, details: "its keeper was gone", flags: []string{"interrupted"}},
		"stopped after its completion": {e: turnFacts{exit: keeper.Exit{Cause: keeper.Stopped, Code: -1,
			Error: "its keeper was gone"}, block: done, changes: 1},
			kind: registry.EventComplete, details: "COMPLETE", flags: []string{"interrupted"}},
		"did what it may not, also if it ended by itself": {e: turnFacts{violations: mostViolations + 1, block: done,
			changes: 1},
			kind: registry.EventFailed, details: "may not", flags: []string{"violation limit"}},
		"stopped from outside": {e: turnFacts{exit: ended(keeper.Stopped)}, kind: registry.EventFailed,
			details: "stopped from outside", flags: []string{"interrupted"}},
		"interrupted for a message": {e: turnFacts{exit: ended(keeper.Interrupted), interrupted: "Ada", deliver: true,
			waiting: 1, block: done, changes: 1},
			kind: registry.EventMessage, details: "interrupted for a message"},
		"interrupted, nothing waits": {e: turnFacts{exit: ended(keeper.Interrupted), interrupted: "Ada"},
			kind: registry.EventCheckpoint, details: "by Ada", flags: []string{"interrupted"}},
		"interrupted, to stop, with a message in the queue": {e: turnFacts{exit: ended(keeper.Interrupted),
			interrupted: "Ada", waiting: 1}, kind: registry.EventCheckpoint,
			details: "by Ada", flags: []string{"interrupted"}},
		"the machine was restarted": {e: turnFacts{exit: ended(keeper.Restarted), block: asks, changes: 1},
			kind:    registry.EventFailed,
			details: "interrupted by restart", flags: []string{"interrupted"}},
		"the machine was restarted after its completion": {e: turnFacts{exit: ended(keeper.Restarted), block: done,
			changes: 1}, kind: registry.EventComplete,
			details: "COMPLETE", flags: []string{"interrupted"}},
		"token limit after its completion": {
			e: turnFacts{exit: ended(keeper.Stopped), reason: stoppedTokens, block: done,
				changes: 1},
			kind:    registry.EventComplete,
			details: "COMPLETE",
			flags:   []string{"token limit"},
		},
		"token limit": {e: turnFacts{exit: ended(keeper.Stopped), reason: stoppedTokens, changes: 1},
			kind:    registry.EventFailed,
			details: "token limit reached", flags: []string{"token limit"}},
		"stalled": {e: turnFacts{exit: ended(keeper.Stopped), reason: stoppedStalled, why: "no sign of life for 10m",
			mayRespawn: true, newWork: true, changes: 1},
			kind: registry.EventFailed, details: "no sign of life for 10m; stopped", respawn: true},
		"stalled after its completion": {e: turnFacts{exit: ended(keeper.Stopped), reason: stoppedStalled, block: done,
			mayRespawn: true, changes: 1},
			kind: registry.EventComplete, details: "COMPLETE", flags: []string{"did not end by itself"}},
		"stalled after a question": {e: turnFacts{exit: ended(keeper.Stopped), reason: stoppedStalled, block: asks,
			mayRespawn: true},
			kind: registry.EventCheckpoint, details: "BLOCKED", flags: []string{"did not end by itself"}},
		"interrupted after its completion": {e: turnFacts{exit: ended(keeper.Interrupted), block: done, changes: 1},
			kind: registry.EventComplete, details: "COMPLETE"},
	}
	maps.Copy(all, blockEndings(done, asks))
	maps.Copy(all, fileEndings(done, asks))
	maps.Copy(all, spokenEndings(done, asks))
	maps.Copy(all, silentEndings())
	return all
}

// blockEndings are those of turns that ended by themselves, with a block.
func blockEndings(done, asks *checkpoint.Block) map[string]judged {
	return map[string]judged{
		"completion block": {e: turnFacts{block: done, changes: 1, newWork: true},
			kind: registry.EventComplete, details: "COMPLETE; request MERGE"},
		"completion without request": {e: turnFacts{block: block(checkpoint.Complete, checkpoint.NoRequest),
			changes: 1}, kind: registry.EventComplete, details: "COMPLETE"},
		"completion, nothing changed": {e: turnFacts{block: done}, kind: registry.EventComplete,
			flags: []string{"no changes"}},
		"completion, output missing": {e: turnFacts{block: done, changes: 1, missing: []string{"a", "b"}},
			kind: registry.EventComplete, flags: []string{"missing outputs: a b"}},
		"completion against evidence": {e: turnFacts{block: done, changes: 1, differ: []checkpoint.Row{{}}},
			kind: registry.EventComplete, flags: []string{"contradicts evidence"}},
		"completion, exit status": {e: turnFacts{block: done, changes: 1, exit: keeper.Exit{Code: 2}},
			kind: registry.EventComplete, flags: []string{"exit status 2"}},
		"completion, killed": {e: turnFacts{block: done, changes: 1,
			exit: keeper.Exit{Code: -1, Signal: "killed"}}, kind: registry.EventComplete,
			flags: []string{"ended by signal killed"}},
		"partly done": {e: turnFacts{block: block(checkpoint.Partial, checkpoint.NoRequest)},
			kind: registry.EventCheckpoint, request: checkpoint.Continue},
		"blocked, to go on": {e: turnFacts{block: block(checkpoint.Blocked, checkpoint.Continue)},
			kind: registry.EventCheckpoint, request: checkpoint.Help},
		"blocked, without a request": {e: turnFacts{block: block(checkpoint.Blocked, checkpoint.NoRequest)},
			kind: registry.EventCheckpoint, request: checkpoint.Help},
		"contradictory": {e: turnFacts{block: block(checkpoint.Complete, checkpoint.Continue),
			changes: 1}, kind: registry.EventCheckpoint, flags: []string{"contradictory block"},
			request: checkpoint.Continue},
		"checkpoint": {e: turnFacts{block: asks}, kind: registry.EventCheckpoint,
			details: "waits for review: BLOCKED; request HELP"},
		"checkpoint, outputs are not due": {e: turnFacts{block: asks, missing: []string{"a"}},
			kind: registry.EventCheckpoint},
		"checkpoint before a malformed": {e: turnFacts{block: asks, malformed: "line 3: what"},
			kind: registry.EventCheckpoint},
	}
}

// fileEndings are those of turns that left a completion file.
func fileEndings(done, asks *checkpoint.Block) map[string]judged {
	failing := block(checkpoint.Complete, checkpoint.Merge)
	failing.Tests.Result = checkpoint.Fail
	fileDone := &checkpoint.Completion{Status: checkpoint.Completed, Summary: "all done"}
	fileFailed := &checkpoint.Completion{Status: checkpoint.Failed, Summary: "no way"}
	return map[string]judged{
		"nothing new since it was sent back": {e: turnFacts{file: fileDone, changes: 1, sentBack: true},
			kind: registry.EventComplete, flags: []string{"no new work"}},
		"its own tests fail": {e: turnFacts{block: failing, changes: 1}, kind: registry.EventComplete,
			flags: []string{"its own tests fail"}},
		"completion file": {e: turnFacts{file: fileDone, changes: 1}, kind: registry.EventComplete,
			details: "completion.json: all done"},
		"completion file, nothing changed": {e: turnFacts{file: fileDone}, kind: registry.EventComplete,
			flags: []string{"no changes"}},
		"completion file says failed": {e: turnFacts{file: fileFailed, changes: 1, newWork: true},
			kind: registry.EventFailed, details: "no way"},
		"completion file after a checkpoint": {e: turnFacts{file: fileDone, block: asks, fileLater: true, changes: 1},
			kind: registry.EventComplete, details: "all done"},
		"completion file, perhaps before a checkpoint": {e: turnFacts{file: fileDone, block: asks, changes: 1},
			kind: registry.EventComplete, flags: []string{"contradicts its last block: BLOCKED; request HELP"}},
		"completion file and block": {e: turnFacts{file: fileDone, block: done, fileLater: true, changes: 1},
			kind: registry.EventComplete, details: "COMPLETE; request MERGE", late: "completion.json (completed)"},
		"failed file and completion block": {e: turnFacts{file: fileFailed, block: done, changes: 1},
			kind: registry.EventComplete, late: "completion.json (failed)"},
		"malformed": {e: turnFacts{malformed: "line 3: what", newWork: true, changes: 1},
			kind: registry.EventMessage, correct: true, details: "line 3: what"},
	}
}

// spokenEndings are those of turns whose last words are no block.
func spokenEndings(done, asks *checkpoint.Block) map[string]judged {
	said := func(c transcript.Closing) turnFacts {
		return turnFacts{block: done, changes: 1, newWork: true, closing: c}
	}
	without := func(c transcript.Closing) turnFacts {
		return turnFacts{changes: 1, newWork: true, closing: c}
	}
	question := transcript.Closing{Summary: "I made it.\n\nWhich of the two do you want?", Asks: true}
	failing, gaveUp := without(question), without(question)
	failing.exit.Code, gaveUp.gaveUp, gaveUp.newWork = 1, "no credit", false
	return map[string]judged{
		"words behind a completion": {e: said(transcript.Closing{After: "I added it."}),
			kind: registry.EventComplete, details: "COMPLETE; request MERGE"},
		"a question behind a completion": {e: said(transcript.Closing{After: "Which of the two?", Asks: true}),
			kind: registry.EventCheckpoint, details: "went on after its last block (COMPLETE",
			asks: "Which of the two?", flags: []string{"went on after its last block"}},
		"a tool behind a completion": {e: said(transcript.Closing{Tool: true}), kind: registry.EventCheckpoint,
			details: "went on",
			flags:   []string{"went on after its last block"}},
		"an unreadable block behind a completion": {e: turnFacts{block: done, changes: 1, malformed: "line 9",
			closing: transcript.Closing{After: "Status: WAITING"}}, kind: registry.EventCheckpoint,
			asks: "Status: WAITING", flags: []string{"went on after its last block"}},
		"a question behind a checkpoint": {e: turnFacts{block: asks, closing: transcript.Closing{After: "Which port?",
			Asks: true}},
			kind: registry.EventCheckpoint, asks: "Which port?", flags: []string{"went on after its last block"}},
		"words behind a checkpoint": {e: turnFacts{block: asks, closing: transcript.Closing{After: "I wait."}},
			kind: registry.EventCheckpoint},
		"time limit behind a completion and a question": {e: turnFacts{block: done, reason: stoppedTimeout,
			exit: keeper.Exit{Cause: keeper.Stopped}, closing: transcript.Closing{After: "One more?", Asks: true}},
			kind: registry.EventFailed, details: "time limit reached", flags: []string{"timeout"}},
		"a question and no block": {e: without(question), kind: registry.EventCheckpoint, details: "with a question",
			asks: question.Summary, flags: []string{"response lost"}},
		"a question by a tool": {e: without(transcript.Closing{Question: "Which? [a | b]", Summary: "I asked."}),
			kind: registry.EventCheckpoint, details: "by its program's own tool", asks: "Which? [a | b]",
			flags: []string{"response lost"}},
		"words alone, nothing changed": {e: turnFacts{closing: transcript.Closing{Summary: "Nothing to do"},
			mayRespawn: true}, kind: registry.EventCheckpoint, details: "changed nothing", asks: "Nothing to do",
			flags: []string{"response lost", "no changes"}},
		"words alone, failing": {e: turnFacts{closing: transcript.Closing{Summary: "Nothing to do"},
			exit: keeper.Exit{Code: 1}}, kind: registry.EventFailed, details: "exit status 1"},
		"the form of the block, nothing changed": {e: turnFacts{closing: transcript.Closing{Summary: "None | text"},
			echoed: true, mayRespawn: true}, kind: registry.EventFailed, details: "without work", respawn: true},
		"a question, failing":    {e: failing, kind: registry.EventFailed, details: "exit status 1"},
		"a question, it gave up": {e: gaveUp, kind: registry.EventFailed, details: "no credit"},
		"too many files": {e: turnFacts{block: done, changes: 25, overLimit: "25 of 20"}, kind: registry.EventComplete,
			flags: []string{"more files than its limit: 25 of 20"}},
	}
}

// silentEndings are those of turns that left no usable response.
func silentEndings() map[string]judged {
	return map[string]judged{
		"malformed again, with work": {e: turnFacts{malformed: "line 3", corrected: true, changes: 1, newWork: true,
			closing: transcript.Closing{Unread: "Status: BLOCKED\nWhich database?"}},
			kind: registry.EventCheckpoint, details: "does not count, line 3",
			asks:  "Status: BLOCKED\nWhich database?",
			flags: []string{"block could not be read: line 3"}},
		"malformed again, without": {e: turnFacts{malformed: "line 3", corrected: true, mayRespawn: true},
			kind: registry.EventCheckpoint, flags: []string{"block could not be read: line 3"}},
		"malformed and failing": {e: turnFacts{malformed: "line 3", exit: keeper.Exit{Code: 1}, tail: "boom"},
			kind: registry.EventFailed, details: "exit status 1: boom"},
		"silent with work": {e: turnFacts{newWork: true, changes: 2}, kind: registry.EventComplete,
			flags: []string{"response lost"}},
		"silent with earlier work": {e: turnFacts{changes: 2}, kind: registry.EventComplete,
			flags: []string{"response lost", "no new work"}},
		"silent with an inbox": {e: turnFacts{newWork: true}, kind: registry.EventComplete,
			flags: []string{"response lost", "no changes"}},
		"silent without work": {e: turnFacts{mayRespawn: true}, kind: registry.EventFailed, details: "without work",
			respawn: true},
		"silent without work, again": {e: turnFacts{}, kind: registry.EventFailed, details: "without work"},
		"unreadable completion file": {e: turnFacts{fileFault: "no object"}, kind: registry.EventFailed,
			details: "completion.json: no object"},
		"an empty account": {e: turnFacts{fault: dialect.EmptyAccount, newWork: true,
			gaveUp: "the account has nothing left", exit: keeper.Exit{Code: 1}, mayRespawn: true},
			kind: registry.EventFailed, details: "the account has nothing left"},
		"a limit without an end": {e: turnFacts{fault: dialect.ProviderLimit, holds: mostHolds - 1,
			gaveUp: "status 429", exit: keeper.Exit{Code: 1}}, kind: registry.EventMessage, details: "rate limit until",
			flags: []string{"rate limited until 0001-01-01T00:00:00Z"}},
		"a limit without an end, for long": {e: turnFacts{fault: dialect.ProviderLimit, holds: mostHolds,
			gaveUp: "status 429", exit: keeper.Exit{Code: 1}},
			kind: registry.EventFailed, details: "refused it in 7 turns in a row"},
		"a fault of the network, with work": {e: turnFacts{fault: dialect.Passing, holds: 1, gaveUp: "fetch failed",
			newWork: true}, kind: registry.EventMessage,
			details: "tries again at 0001-01-01T00:00:00Z (2 of 3): fetch",
			flags:   []string{"network fault, tries again at 0001-01-01T00:00:00Z (2 of 3)"}},
		"a fault of the network, for long": {e: turnFacts{fault: dialect.Passing, holds: mostFaults,
			gaveUp: "fetch failed", exit: keeper.Exit{Code: 1}, mayRespawn: true}, kind: registry.EventFailed,
			details: "network fault, tried again 3 times in vain; everything it did is kept: fetch failed"},
		"stopped at its budget by itself": {e: turnFacts{reason: stoppedCost, why: "1.05 of 1.00 US$",
			gaveUp: dialect.BudgetUsedUp, exit: keeper.Exit{Code: 1}}, kind: registry.EventFailed,
			details: "cost limit reached (1.05 of 1.00 US$); stopped", flags: []string{"cost limit"}},
		"stopped for its login": {e: turnFacts{reason: stoppedHopeless, why: "its login is missing",
			exit: keeper.Exit{Cause: keeper.Stopped}, mayRespawn: true}, kind: registry.EventFailed,
			details: "its login is missing"},
		"failing": {
			e:       turnFacts{exit: keeper.Exit{Code: 3}, tail: "boom", newWork: true, changes: 1, mayRespawn: true},
			kind:    registry.EventFailed,
			details: "exit status 3: boom",
		},
		"killed": {e: turnFacts{exit: keeper.Exit{Code: -1, Signal: "killed"}}, kind: registry.EventFailed,
			details: "ended by signal killed: no output"},
	}
}

// judged is a turn's end and its verdict.
type judged struct {
	e       turnFacts
	kind    registry.Kind
	details string
	flags   []string
	asks    string
	request checkpoint.Request // HELP where the block says so
	late    string
	correct bool
	respawn bool
}

// TestJudgeUnsaved holds that a turn whose work is not in its head is not judged as one without work.
func TestJudgeUnsaved(t *testing.T) {
	v := decide(turnFacts{lacks: true, mayRespawn: true})
	if v.kind != registry.EventComplete || v.respawn || !slices.Equal(v.flags.Texts(), []string{"response lost"}) {
		t.Errorf("%+v", v)
	}
}

// TestJudge holds every way in which a turn can end against what follows from it.
func TestJudge(t *testing.T) {
	for name, c := range endings() {
		t.Run(name, func(t *testing.T) {
			v := decide(c.e)
			if v.kind != c.kind || !strings.Contains(v.details, c.details) {
				t.Errorf("%s %q, want %s with %q", v.kind, v.details, c.kind, c.details)
			}
			if !slices.Equal(v.flags.Texts(), c.flags) {
				t.Errorf("flags %q, want %q", v.flags, c.flags)
			}
			if c.kind == registry.EventCheckpoint && c.e.block != nil && c.e.block.Request == checkpoint.Help {
				c.request = checkpoint.Help
			}
			if v.asks != c.asks || v.request != c.request {
				t.Errorf("asks %q, %s, want %q, %s", v.asks, v.request, c.asks, c.request)
			}
			if v.correct != c.correct || v.respawn != c.respawn || !strings.HasPrefix(v.late, c.late) ||
				(v.late == "") != (c.late == "") {
				t.Errorf("correct %v, respawn %v, late %q", v.correct, v.respawn, v.late)
			}
			if v.kind == registry.EventMessage {
				return
			}
			if _, err := registry.Next(registry.Running, v.kind, registry.Supervisor); err != nil {
				t.Errorf("no transition: %v", err)
			}
		})
	}
}

// TestIsOver holds when a wait is over.
func TestIsOver(t *testing.T) {
	agents := func(s ...registry.Status) []registry.Agent {
		var all []registry.Agent
		for i, status := range s {
			all = append(all, registry.Agent{ID: fmt.Sprintf("AGT-%03d", i+1), Status: status})
		}
		return all
	}
	after := func(all []registry.Agent, ids ...string) []registry.Agent {
		all[len(all)-1].Dependencies = ids
		return all
	}
	session := registry.Session{Status: registry.SessionActive, PlanApproved: "Ada", MaxParallel: 1}
	waiting, complete := session, session
	waiting.PlanApproved = ""
	complete.Dependencies = "complete"
	paused := session
	paused.Paused = "Ada"
	stalled := agents(registry.Running)
	stalled[0].Flags = registry.Flags{registry.FlagStalled.Flag()}
	for name, c := range map[string]struct {
		session registry.Session
		agents  []registry.Agent // asked about the last
		want    bool
	}{
		"running, given to a person": {session, stalled, true},
		"running, paused":            {paused, agents(registry.Running), false},
		"pending, paused":            {paused, agents(registry.Running, registry.Pending), true},
		"spawning":                   {session, agents(registry.Spawning), false},
		"running":                    {session, agents(registry.Running), false},
		"checkpoint":                 {session, agents(registry.Checkpoint), true},
		"complete":                   {session, agents(registry.Complete), true},
		"failed":                     {session, agents(registry.Failed), true},
		"merged":                     {session, agents(registry.Merged), true},
		"aborted":                    {session, agents(registry.Aborted), true},
		"pending, starts at once":    {session, agents(registry.Pending), false},
		"pending, plan not approved": {waiting, agents(registry.Pending), true},
		"pending, no slot":           {session, agents(registry.Running, registry.Pending), false},
		"pending, dependency runs": {session,
			after(agents(registry.Running, registry.Pending), "AGT-001"), false},
		"pending, dependency to be landed": {session,
			after(agents(registry.Complete, registry.Pending), "AGT-001"), true},
		"pending, dependency failed": {session, after(agents(registry.Failed, registry.Pending), "AGT-001"),
			true},
		"pending, dependency gone": {session,
			after(agents(registry.Aborted, registry.Pending), "AGT-001"), true},
		"pending, dependency landed": {session, after(agents(registry.Merged, registry.Pending), "AGT-001"),
			false},
		"pending, dependency complete is enough": {complete,
			after(agents(registry.Complete, registry.Pending), "AGT-001"), false},
		"pending, one of two waits for a person": {session,
			after(agents(registry.Running, registry.Failed, registry.Pending), "AGT-001", "AGT-002"), true},
	} {
		state := registry.State{Session: &c.session, Agents: c.agents}
		if got := status.IsOver(state, c.agents[len(c.agents)-1]); got != c.want {
			t.Errorf("%s: settled %v, want %v", name, got, c.want)
		}
	}
}
