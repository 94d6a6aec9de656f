package supervise

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"delegate/checkpoint"
	"delegate/internal/control/session"
	"delegate/internal/text/shorten"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/transcript"
	"delegate/internal/view/status"
	"delegate/registry"
)

// turnFacts is everything that is known when a turn is over.
type turnFacts struct {
	exit   keeper.Exit
	reason string // why the supervisor stopped it, or it stopped at its budget by itself; "" for neither
	why    string // the reason in words
	// interrupted is who interrupted it; deliver: for a message that is to be given to it at once
	interrupted string
	deliver     bool
	tail        string // last lines of the transcript
	block       *checkpoint.Block
	file        *checkpoint.Completion // completion.json, if one is there
	fileFault   string                 // why it could not be read
	fileLater   bool                   // it was certainly written after the last block
	malformed   string                 // the last block could not be read, and no valid one followed
	closing     transcript.Closing     // what it said beside its blocks
	corrected   bool                   // a correction was asked for before
	changes     int                    // files changed since the fork point
	lacks       bool                   // the head lacks files: they could not be saved, or are too large
	files       []string               // their paths
	newWork     bool                   // the head moved in this turn, or something lies in the inbox
	sentBack    bool                   // a person began the turn, of work that was complete
	missing     []string               // expected outputs that are not there
	overLimit   string                 // how many files changed of how many that it may, "" within the limit
	echoed      bool                   // the block's form was printed, not filled in
	differ      []checkpoint.Row
	claims      []checkpoint.Row // the block beside the evidence, what agrees as well
	waiting     int              // queued messages
	violations  int              // that count for the limit of a turn
	gaveUp      string           // why the program said that it gives up
	fault       dialect.Fault    // what it gave up for
	until       time.Time        // when it is to be tried again, after a limit or a fault of the network
	holds       int              // turns in a row before it that ended so: by a limit without an end, or for nothing
	progressed  bool             // it said something or used a tool
	mayRespawn  bool
	person      string // who worked in its place, "" if nobody did
}

// outcome is what follows from an ending.
type outcome struct {
	kind    registry.Kind // CHECKPOINT, COMPLETE or FAILED; MESSAGE: the agent stays RUNNING and gets another turn
	details string
	flags   registry.Flags
	late    string             // a second completion, to be logged and ignored
	asks    string             // the words that it waits with
	request checkpoint.Request // what its block asks for, where it waits with one
	correct bool               // ask once for a block that can be read
	respawn bool               // try once more by itself
	goesOn  bool               // from the head that it had, and not from its base
	hold    time.Time          // when its next turn may begin, with a flag that says so; zero: at once
	spent   bool               // its time or its tokens are used up: messages wait until it has more
}

// fileDecides says whether the completion file is what the turn's end is judged by: a completion block comes before it.
func (e turnFacts) fileDecides() bool {
	return e.file != nil && (e.block == nil || !e.block.Completion())
}

// claim is what the agent said last about its work, by the words that decide.
func (e turnFacts) claim() (checkpoint.Claim, bool) {
	switch {
	case e.fileDecides():
		return e.file.Claim(), true
	case e.block != nil:
		return e.block.Claim(), true
	}
	return checkpoint.Claim{}, false
}

// decide is the rule for a turn's end. An agent's words are one input; what git, the disk and the
// exit status show are the others.
func decide(e turnFacts) outcome {
	v := decideEnd(e)
	if e.block != nil && e.file != nil && e.block.Completion() {
		v.late = fmt.Sprintf("completion.json (%s) beside a completion block, which counts", e.file.Status)
	}
	v = v.withMessages(e.waiting)
	if v.kind == registry.EventComplete || v.kind == registry.EventCheckpoint {
		v.flags = append(v.flags, doubts(e, v.kind)...)
	}
	return v
}

// withMessages lets an agent that is through go on with what it was told while it worked.
func (v outcome) withMessages(waiting int) outcome {
	if v.kind == registry.EventComplete && waiting > 0 && !v.spent {
		v.kind, v.details = registry.EventMessage, "continues with messages received meanwhile, after: "+v.details
	}
	return v
}

func decideEnd(e turnFacts) outcome {
	switch {
	case e.person != "":
		return byPerson(e)
	case e.exit.Cause == keeper.NotStarted:
		return outcome{kind: registry.EventFailed, details: "its program could not be started: " + e.exit.Error}
	case e.exit.Cause == keeper.NodeLost:
		return outcome{kind: registry.EventFailed, details: "node lost: " + e.exit.Error, respawn: e.mayRespawn,
			goesOn: true}
	case e.violations > mostViolations:
		return outcome{kind: registry.EventFailed,
			details: fmt.Sprintf("did what it may not more than %d times in one turn; everything it did is kept",
				mostViolations),
			flags: registry.Flags{registry.FlagViolationLimit.Flag()}}
	case e.exit.Cause == keeper.Stopped, e.exit.Cause == keeper.Restarted,
		e.exit.Cause == keeper.ByItself && e.reason != "":
		return byStop(e)
	case e.exit.Cause == keeper.Interrupted && e.deliver && e.waiting > 0:
		return outcome{kind: registry.EventMessage, details: "interrupted for a message"}
	case e.fileDecides():
		return byFile(e)
	case e.block != nil:
		return byBlock(e)
	case e.exit.Cause == keeper.ByItself && e.fault != dialect.OtherFault:
		return byFault(e)
	case e.exit.Cause == keeper.Interrupted:
		return outcome{
			kind:    registry.EventCheckpoint,
			details: "interrupted by " + cmp.Or(e.interrupted, "somebody"),
			flags:   registry.Flags{registry.FlagInterrupted.Flag()},
		}
	case e.malformed != "" && !e.corrected && e.exit.Code == 0:
		return outcome{kind: registry.EventMessage, correct: true,
			details: "its block does not count (" + e.malformed + "), asked once for a correction"}
	}
	return unanswered(e)
}

// byFault judges an end without a block for which the provider or the network is to blame. What passes is waited for.
func byFault(e turnFacts) outcome {
	reason, failed := transcript.FirstLine(e.gaveUp), ""
	at := e.until.UTC().Format(time.RFC3339)
	switch {
	case e.fault == dialect.EmptyAccount, e.fault == dialect.NoLogin, e.fault == dialect.NoModel:
		return outcome{kind: registry.EventFailed, details: reason}
	case e.fault == dialect.ProviderLimit && e.holds >= mostHolds:
		failed = fmt.Sprintf("its provider refused it in %d turns in a row and names no end", e.holds+1)
	case e.fault == dialect.Passing && e.holds >= mostFaults:
		failed = fmt.Sprintf("network fault, tried again %d times in vain", mostFaults)
	case e.fault == dialect.ProviderLimit:
		return outcome{kind: registry.EventMessage, hold: e.until, flags: registry.Flags{limitFlag(e.until)},
			details: fmt.Sprintf("rate limit until %s, continues then: %s", at, reason)}
	default:
		again := status.AgainAt(e.until, e.holds+1, mostFaults)
		return outcome{kind: registry.EventMessage, hold: e.until, details: again.Words() + ": " + reason,
			flags: registry.Flags{again}}
	}
	return outcome{kind: registry.EventFailed, details: failed + "; everything it did is kept: " + reason}
}

// unanswered judges an end without a block that counts: what was said with words, or in a block that cannot be read,
// is for a person to read.
func unanswered(e turnFacts) outcome {
	v := outcome{kind: registry.EventCheckpoint, asks: shorten.Front(e.closing.Summary, mostAsked),
		flags: registry.Flags{registry.FlagResponseLost.Flag()}}
	switch {
	case e.exit.Code != 0 || e.gaveUp != "":
		return silent(e)
	case e.malformed != "":
		v.details = "its block does not count, " + e.malformed + "; its words wait for review"
		v.asks = shorten.Runes(e.closing.Unread, mostAsked)
		v.flags = registry.Flags{{Kind: registry.FlagUnreadBlock, Text: e.malformed}}
	case e.closing.Question != "":
		v.details, v.asks = "asked by its program's own tool and ended without a block", e.closing.Question
	case e.closing.Asks:
		v.details = "ended with a question and without a block"
	case !e.newWork && e.changes == 0 && !e.echoed && v.asks != "":
		v.details = "changed nothing and ended with words, without a block"
		v.flags = append(v.flags, registry.FlagNoChanges.Flag())
	default:
		return silent(e)
	}
	return v
}

// mostAsked is how many characters of its words an agent waits with.
const mostAsked = 1500

// byStop judges a turn that did not end by itself, whoever ended it. One that had said that it was
// finished is COMPLETE, with a flag that says what stopped it; one that stalled had its say in any
// case.
func byStop(e turnFacts) outcome {
	v, flag := unfinished(e)
	said := v
	switch {
	case e.fileDecides():
		said = byFile(e)
	case e.block != nil:
		said = byBlock(e)
	}
	if said.kind != registry.EventComplete && e.reason != stoppedStalled {
		return v
	}
	if said.kind != registry.EventFailed {
		said.flags = append(said.flags, flag)
	}
	said.spent = v.spent
	return said
}

// unfinished is the verdict on a turn that was stopped in the middle of its work, and the flag for what stopped it.
func unfinished(e turnFacts) (v outcome, flag registry.Flag) {
	v = outcome{kind: registry.EventFailed, flags: registry.Flags{registry.FlagInterrupted.Flag()}}
	switch e.reason {
	case stoppedTimeout:
		v.details, v.flags, v.spent = "time limit reached; stopped, everything it did is kept",
			registry.Flags{registry.FlagTimeout.Flag()},
			true
	case stoppedTokens, stoppedCost, stoppedSession:
		kind := map[string]registry.FlagKind{stoppedTokens: registry.FlagTokenLimit,
			stoppedCost: registry.FlagCostLimit, stoppedSession: registry.FlagSessionBudget}[e.reason]
		v.details, v.flags, v.spent = string(kind)+" reached ("+e.why+"); stopped, everything it did is kept",
			registry.Flags{kind.Flag()}, true
	case stoppedHopeless:
		v.details, v.flags = e.why, nil
		return v, registry.FlagInterrupted.Flag()
	case stoppedStalled:
		return outcome{kind: registry.EventFailed, details: e.why + "; stopped, everything it did is kept",
			respawn: e.mayRespawn}, registry.FlagDidNotEnd.Flag()
	default:
		v.details = "interrupted: " + cmp.Or(e.exit.Error, "stopped from outside")
		if e.exit.Cause == keeper.Restarted {
			v.details = "interrupted by restart; everything it did is kept"
		}
	}
	return v, v.flags[0]
}

// byFile: the file is a completion, and a block that is none does not take it back. Nobody can tell
// for certain which came first, so a block that may have come later is shown to the reviewer.
func byFile(e turnFacts) outcome {
	v := outcome{
		kind:    registry.EventComplete,
		details: "completion.json: " + cmp.Or(strings.TrimSpace(e.file.Summary), "no summary"),
	}
	if e.file.Status == checkpoint.Failed {
		v = outcome{kind: registry.EventFailed,
			details: "completion.json says failed: " + cmp.Or(strings.TrimSpace(e.file.Summary), "no summary")}
	}
	if e.block != nil && !e.fileLater {
		v.flags = append(v.flags,
			registry.Flag{Kind: registry.FlagContradictsBlock, Text: transcript.BlockText(*e.block)})
	}
	return v
}

func byBlock(e turnFacts) outcome {
	after := shorten.Front(e.closing.After, mostAsked)
	wentOn := e.closing.Asks || e.closing.Tool || e.malformed != ""
	if e.block.Completion() && !wentOn {
		return outcome{kind: registry.EventComplete, details: transcript.BlockText(*e.block)}
	}
	if e.block.Completion() {
		return outcome{kind: registry.EventCheckpoint, asks: after, flags: registry.Flags{registry.FlagWentOn.Flag()},
			details: "went on after its last block (" + transcript.BlockText(*e.block) + "), waits for review"}
	}
	v := outcome{kind: registry.EventCheckpoint, asks: e.block.Questions, request: requestOf(*e.block),
		details: "turn ended, waits for review: " + transcript.BlockText(*e.block)}
	if v.request == checkpoint.Help || v.request == checkpoint.Abort {
		v.asks = cmp.Or(v.asks, e.block.Blockers)
	}
	if e.closing.Asks {
		v.asks = strings.TrimSpace(v.asks + "\n" + after)
		v.flags = registry.Flags{registry.FlagWentOn.Flag()}
	}
	if e.block.Contradictory() {
		v.flags = append(v.flags, registry.FlagContradictory.Flag())
	}
	return v
}

// requestOf is what a block that is no completion asks for, also where it does not say so. Who is blocked cannot go on.
func requestOf(b checkpoint.Block) checkpoint.Request {
	switch {
	case b.Status == checkpoint.Blocked && (b.Request == checkpoint.NoRequest || b.Request == checkpoint.Continue):
		return checkpoint.Help
	case b.Request == checkpoint.NoRequest:
		return checkpoint.Continue
	}
	return b.Request
}

// silent judges an end without a usable response by evidence.
func silent(e turnFacts) outcome {
	switch {
	case e.gaveUp != "" && (e.exit.Code != 0 || !e.newWork):
		return outcome{kind: registry.EventFailed, details: "its program gave up: " + transcript.FirstLine(e.gaveUp)}
	case e.exit.Code != 0:
		return outcome{kind: registry.EventFailed,
			details: fmt.Sprintf("%s: %s", exitFlag(e.exit), cmp.Or(strings.TrimSpace(e.tail), "no output"))}
	case e.newWork:
		return outcome{kind: registry.EventComplete,
			details: "ended without a report; its changes are there: " +
				session.FilesText(e.files),
			flags: registry.Flags{registry.FlagResponseLost.Flag()}}
	case e.lacks:
		return outcome{kind: registry.EventComplete,
			details: "ended without a usable response; what it changed is in its worktree and not in its head",
			flags:   registry.Flags{registry.FlagResponseLost.Flag()}}
	case e.changes > 0:
		return outcome{kind: registry.EventComplete,
			details: "ended without a report and without new work; its earlier changes are there",
			flags:   registry.Flags{registry.FlagResponseLost.Flag()}}
	}
	text := "ended without a report and without work"
	if e.echoed {
		text += "; it printed the block's form with placeholders left in it"
	}
	if e.fileFault != "" {
		text += "; completion.json: " + e.fileFault
	}
	return outcome{kind: registry.EventFailed, details: text, respawn: e.mayRespawn}
}

// doubts are what a reviewer should know about an end that looks fine.
func doubts(e turnFacts, kind registry.Kind) (flags registry.Flags) {
	if e.exit.Code != 0 && e.exit.Cause == keeper.ByItself && e.person == "" {
		flags = append(flags, exitFlag(e.exit))
	}
	if e.fileFault != "" {
		flags = append(flags, registry.Flag{Kind: registry.FlagUnreadCompletion, Text: e.fileFault})
	}
	if len(e.differ) > 0 {
		flags = append(flags, registry.FlagContradicted.Flag())
	}
	if claim, ok := e.claim(); ok && claim.Tests.Result == checkpoint.Fail {
		flags = append(flags, registry.FlagOwnTestsFail.Flag())
	}
	if e.overLimit != "" {
		flags = append(flags, registry.Flag{Kind: registry.FlagManyFiles, Text: e.overLimit})
	}
	if kind == registry.EventComplete {
		switch {
		case e.changes == 0 && !e.lacks:
			flags = append(flags, registry.FlagNoChanges.Flag())
		case !e.newWork && !e.lacks && (e.sentBack || e.block == nil && e.file == nil):
			flags = append(flags, registry.FlagNoNewWork.Flag())
		}
		if len(e.missing) > 0 {
			flags = append(flags, registry.Flag{Kind: registry.FlagMissingOutputs, Text: strings.Join(e.missing, " ")})
		}
	}
	return flags
}

func exitFlag(x keeper.Exit) registry.Flag {
	if x.Signal != "" {
		return registry.Flag{Kind: registry.FlagEndedBy, Text: x.Signal}
	}
	return registry.Flag{Kind: registry.FlagExitStatus, Text: strconv.Itoa(x.Code)}
}
