package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"

	"delegate/internal/control"
	"delegate/internal/control/planner"
	"delegate/internal/git"
	"delegate/internal/land"
	"delegate/internal/land/candidate"
	"delegate/internal/land/pullrequest"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"
	"delegate/internal/tidy/completion"
	"delegate/registry"
)

// exitError hands the exit code of a run of this program through; its output has said everything.
type exitError struct{ code int }

func asCode(err error) error {
	if code := run.ExitCode(err); code > 0 {
		return &exitError{code}
	}
	return err
}

// The exit codes. They are an interface: docs/commands.md has the table, a script test each.
const (
	exitDone        = 0
	exitFault       = 1
	exitUsage       = 2
	exitBlocked     = 3   // conflicts or findings block
	exitPerson      = 4   // a person is needed
	exitSession     = 5   // no session is active, or one is
	exitUnreadable  = 6   // registry, plan or configuration does not parse
	exitFailed      = 7   // an agent failed
	exitTimeout     = 124 // a wait timed out, where that was asked to count
	exitInterrupted = 130
)

// Errors that end commands whose output has said everything already.
var (
	errBlocked     = &shownError{errors.New("conflicts or findings block")}
	errAgentFailed = &shownError{errors.New("an agent failed")}
	errTimedOut    = &shownError{errors.New("the wait timed out")}
	errUnapproved  = &shownError{errors.New("the plan waits for a person")}
	errUnreadable  = &shownError{errors.New("the registry has faults")}
)

// shownError is an error whose text stands in the output already.
type shownError struct{ err error }

func (e *shownError) Error() string { return e.err.Error() }

func (e *shownError) Unwrap() error { return e.err }

// isA says whether an error is one of the type, or wraps one.
func isA[E error](err error) bool {
	_, is := errors.AsType[E](err)
	return is
}

// isAny says whether an error is one of the others, or wraps one.
func isAny(err error, others ...error) bool {
	return slices.ContainsFunc(others, func(other error) bool { return errors.Is(err, other) })
}

// report prints an error with what to type next, and answers with the exit code.
func (a *app) report(err error) int {
	code := exitCode(err)
	if e, is := errors.AsType[*exitError](err); is {
		return e.code
	}
	if err == nil || isA[*shownError](err) {
		return code
	}
	if code == exitInterrupted {
		fmt.Fprintln(a.err, "delegate: interrupted")
		return code
	}
	if errors.Is(err, errDeclined) {
		a.printf("Nothing was changed.\n")
		return code
	}
	if faults, ok := errors.AsType[*plan.Faults](err); ok {
		fmt.Fprintln(a.err, "delegate: the plan has faults:")
		for _, f := range faults.List {
			fmt.Fprintf(a.err, "  line %d: %s\n", f.Line, ui.Clean(f.Reason))
		}
	} else {
		said := ui.ErrorText(err)
		if !isA[*registry.UnknownAgentError](err) { // it quotes what was typed
			said = a.state.WithNames(said)
		}
		fmt.Fprintln(a.err, "delegate:", ui.Clean(said))
		if asked, ok := errors.AsType[*planner.PlannerError](err); ok {
			for _, fault := range asked.Faults {
				fmt.Fprintf(a.err, "  %s\n", text(fault))
			}
		}
	}
	if next := cmp.Or(screenHint(err), a.stateHint(err), hint(err)); next != "" {
		fmt.Fprintln(a.err, "hint:", a.state.WithNames(next))
	}
	return code
}

func exitCode(err error) int {
	child, ofChild := errors.AsType[*run.ExitError](err)
	switch {
	case err == nil, errors.Is(err, errDeclined):
		return exitDone
	case isAny(err, ui.ErrInterrupted, context.Canceled), // Ctrl-C reaches a child as well, which may end first
		ofChild && child.Signal == syscall.SIGINT.String():
		return exitInterrupted
	case isA[*usageError](err), isA[*noBranchError](err), isA[*planner.NoTaskError](err),
		isA[*control.ForbiddenGlobError](err), isA[*registry.NameError](err):
		return exitUsage
	case isAny(err, errBlocked, land.ErrRefused), isA[*candidate.BlockedError](err), isA[*git.BlockedError](err),
		isA[*completion.LostError](err), isA[*candidate.BehindError](err), isA[*pullrequest.PushedError](err):
		return exitBlocked
	case isAny(err, ui.ErrNotTerminal, ui.ErrClosed, errUnapproved), isA[*needsYesError](err),
		isA[*underAgentError](err), isA[*unfilledError](err):
		return exitPerson
	case isAny(err, project.ErrNoSession, registry.ErrNoSession), isA[*registry.ActiveSessionError](err),
		isA[*registry.SessionError](err), isA[*completion.NotOverError](err), isA[*control.AnsweredError](err),
		isA[*control.OtherSessionError](err), isA[*control.GoneError](err),
		isA[*control.QuestionGoneError](err), isA[*control.GoneOnError](err), isA[*otherTargetError](err):
		return exitSession
	case errors.Is(err, errUnreadable), isA[*plan.Faults](err), isA[*config.Error](err),
		isA[*registry.SyntaxError](err), isA[*registry.VersionError](err):
		return exitUnreadable
	case errors.Is(err, errTimedOut):
		return exitTimeout
	}
	asked, ofPlanner := errors.AsType[*planner.PlannerError](err)
	switch {
	case ofPlanner && asked.Reason == "":
		return exitUnreadable
	case ofPlanner, errors.Is(err, errAgentFailed):
		return exitFailed
	}
	return exitFault
}
