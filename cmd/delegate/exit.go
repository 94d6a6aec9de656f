package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"delegate/internal/agent"
	"delegate/internal/atomicfile"
	"delegate/internal/config"
	"delegate/internal/git"
	"delegate/internal/merge"
	"delegate/internal/plan"
	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/internal/takeover"
	"delegate/internal/ui"
	"delegate/registry"
)

// The exit codes. They are an interface: docs/formats.md has the table, a script test each.
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

// errBlocked, errAgentFailed and errTimedOut end commands whose output has said everything already.
var (
	errBlocked     = errors.New("conflicts or findings block")
	errAgentFailed = errors.New("an agent failed")
	errTimedOut    = errors.New("the wait timed out")
	errUnapproved  = errors.New("the plan waits for a person")
)

// shownError is an error whose text stands in the output already.
type shownError struct{ err error }

func (e *shownError) Error() string { return e.err.Error() }
func (e *shownError) Unwrap() error { return e.err }

// report prints an error with what to type next, and answers with the exit code.
func (a *app) report(err error) int {
	code := exitCode(err)
	var through *exitError
	if errors.As(err, &through) {
		return through.code
	}
	var shown *shownError
	switch {
	case err == nil, errors.As(err, &shown), errors.Is(err, errBlocked), errors.Is(err, errUnreadable),
		errors.Is(err, errAgentFailed), errors.Is(err, errTimedOut), errors.Is(err, errUnapproved):
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
	var faults *plan.Faults
	if errors.As(err, &faults) {
		fmt.Fprintln(a.err, "delegate: the plan has faults:")
		for _, f := range faults.List {
			fmt.Fprintf(a.err, "  line %d: %s\n", f.Line, ui.Clean(f.Reason))
		}
	} else {
		fmt.Fprintln(a.err, "delegate:", ui.Clean(err.Error()))
		var planner *session.PlannerError
		if errors.As(err, &planner) {
			for _, fault := range planner.Faults {
				fmt.Fprintf(a.err, "  %s\n", text(fault))
			}
		}
	}
	if next := orElse(screenHint(err), hint(err)); next != "" {
		fmt.Fprintln(a.err, "hint:", next)
	}
	return code
}

func exitCode(err error) int {
	var (
		usage      *usageError
		blocked    *merge.BlockedError
		inWay      *git.BlockedError
		active     *registry.ActiveSessionError
		notOver    *merge.NotOverError
		planFaults *plan.Faults
		badConfig  *config.Error
		badFile    *registry.SyntaxError
		newer      *registry.VersionError
		refused    *registry.SessionError
		sayYes     *needsYesError
		noTask     *session.NoTaskError
		planner    *session.PlannerError
		answered   *session.AnsweredError
		other      *session.OtherSessionError
		lost       *merge.LostError
	)
	switch {
	case err == nil, errors.Is(err, errDeclined):
		return exitDone
	case errors.Is(err, ui.ErrInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &usage), errors.As(err, &noTask):
		return exitUsage
	case errors.Is(err, errBlocked), errors.As(err, &blocked), errors.As(err, &inWay), errors.As(err, &lost),
		errors.Is(err, merge.ErrRefused):
		return exitBlocked
	case errors.Is(err, ui.ErrNotTerminal), errors.Is(err, ui.ErrClosed), errors.As(err, &sayYes),
		errors.Is(err, errUnapproved):
		return exitPerson
	case errors.Is(err, project.ErrNoSession), errors.Is(err, registry.ErrNoSession), errors.As(err, &active),
		errors.As(err, &refused), errors.As(err, &notOver), errors.As(err, &answered), errors.As(err, &other):
		return exitSession
	case errors.Is(err, errUnreadable), errors.As(err, &planFaults), errors.As(err, &badConfig),
		errors.As(err, &badFile), errors.As(err, &newer):
		return exitUnreadable
	case errors.As(err, &planner):
		if planner.Reason == "" {
			return exitUnreadable
		}
		return exitFailed
	case errors.Is(err, errAgentFailed):
		return exitFailed
	case errors.Is(err, errTimedOut):
		return exitTimeout
	}
	return exitFault
}

// hint is what to type next after an error.
func hint(err error) string {
	var (
		usage   *usageError
		active  *registry.ActiveSessionError
		profile *agent.UnknownProfileError
		exists  *takeover.ExistsError
		badFile *registry.SyntaxError
		unknown *registry.UnknownAgentError
		sayYes  *needsYesError
		bare    *session.UnfencedError
		lost    *merge.TargetLostError
	)
	switch {
	case errors.As(err, &usage):
		return usage.command + " --help"
	case errors.Is(err, project.ErrNoSession), errors.Is(err, registry.ErrNoSession):
		return `start one with: delegate "what to do", or delegate -f PLAN.md`
	case errors.As(err, &active):
		return "look at it with delegate status; end it with delegate sync complete or delegate sync abort"
	case errors.As(err, &bare):
		return "see delegate doctor; to start them with all your rights, held in by nothing of the kernel, add " +
			"--unfenced (recorded), or write sandbox: {level: off} into .delegate.yaml"
	case errors.As(err, &sayYes):
		return "add --yes, or type the same command at a terminal"
	case errors.Is(err, ui.ErrNotTerminal):
		return "type the same command at a terminal; nobody else can answer for you"
	case errors.As(err, &profile):
		return profileHint(profile.Name)
	case errors.As(err, &exists):
		return "move it away or rename it, then: delegate retry AGT"
	case errors.As(err, &badFile):
		return "see every fault with delegate registry check, and mend the file by hand (it is left as it is), or " +
			"see what delegate registry restore would take back"
	case errors.As(err, &lost):
		return fmt.Sprintf("delete .git/%s if it is there (an empty file names nothing), then: git update-ref %[1]s "+
			"%s, and delegate sync merge --continue", lost.Target, lost.Old)
	case errors.Is(err, merge.ErrUnfinished):
		return "finish it with delegate sync merge --continue, or undo it with delegate sync merge --abort"
	case errors.As(err, &unknown):
		return "delegate list"
	case errors.Is(err, session.ErrPlanChanged):
		return "delegate approve"
	case errors.Is(err, errInsideAgent):
		return "an agent asks by printing a checkpoint block; a person answers at a terminal"
	}
	return orElse(orElse(orElse(gitHint(err), fileHint(err)), supervisorHint(err)), orElse(recordHint(err), taskHint(err)))
}

// recordHint is what to type where the repository is not as the record or a session needs it.
func recordHint(err error) string {
	var (
		broken *project.TargetBrokenError
		taken  *project.ScratchTakenError
		place  *project.PlaceError
		noTip  *project.TargetGoneError
	)
	switch {
	case errors.As(err, &noTip):
		return fmt.Sprintf("bring it back, at its newest commit (git branch %s COMMIT; the session began at %.12s), "+
			"or end the session with delegate sync abort", noTip.Branch, noTip.Base)
	case errors.As(err, &broken):
		return "delegate status (it names the commit to put the branch back to)"
	case errors.As(err, &place):
		return place.Next
	case errors.As(err, &taken):
		return "move it away, or delete it if nothing in it is yours, then type the same again"
	case errors.Is(err, errLeftOver):
		return "delegate sync complete (goes on with what is left)"
	case errors.Is(err, registry.ErrNothingKept):
		return "take a committed one: git log --all -- " + project.RegistryPath
	}
	return ""
}

// fileHint is what to type where somebody else has a file, or wrote to it.
func fileHint(err error) string {
	var (
		locked  *git.IndexLockedError
		inWay   *git.BlockedError
		changed *atomicfile.ChangedError
		held    *atomicfile.HeldError
	)
	switch {
	case errors.As(err, &locked):
		return "wait for the other git command; if none is running, delete the file and try again"
	case errors.As(err, &inWay):
		return "commit, stash or move those files, then try again"
	case errors.As(err, &changed):
		return "look at what is there now, then type the same command again"
	case errors.As(err, &held):
		return "wait for that process to end, or end it, then type the same command again"
	}
	return ""
}

// supervisorHint is what to type where agents do not get on.
func supervisorHint(err error) string {
	var (
		silent *session.SilentError
		stuck  *session.StuckError
	)
	switch {
	case errors.As(err, &silent):
		return silent.Next()
	case errors.As(err, &stuck):
		return stuck.Failure.Next
	case errors.Is(err, syscall.ENOSPC):
		return "make room on the disk; what the supervisor does it tries again by itself"
	}
	return ""
}

// gitHint is what to type where git has no place to work in, or does not know who works.
func gitHint(err error) string {
	switch {
	case errors.Is(err, git.ErrNotRepository):
		return "go to a git repository, or make one with: git init"
	case errors.Is(err, git.ErrBare):
		return "go to one of its worktrees (git worktree list), or make one with: git worktree add"
	case errors.Is(err, git.ErrBroken):
		return "put it back at its newest commit (git update-ref REF COMMIT): " +
			"the registry names the commits of agents, git reflog and git fsck others"
	case errors.Is(err, git.ErrUnborn):
		return "make a first commit: agents start from a commit"
	case errors.Is(err, git.ErrDetached):
		return "switch to the branch that the work shall land on: git switch BRANCH"
	case errors.Is(err, git.ErrNoIdentity):
		return `tell git who you are: git config user.name "NAME" and git config user.email ADDRESS`
	}
	return ""
}

// profileHint is what to type where a profile is not known, or where there is none at all.
func profileHint(name string) string {
	if name == "" {
		return `install one (delegate doctor lists them), or name yours in .delegate.yaml, for example  agent: mine  and  profiles: {mine: {command: [PROGRAM, "{prompt}"]}}`
	}
	return "add it under profiles: in .delegate.yaml, for example  profiles: {" + name +
		": {command: [PROGRAM, \"{prompt}\"]}}"
}
