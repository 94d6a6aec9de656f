package main

import (
	"cmp"
	"errors"
	"fmt"
	"syscall"

	"delegate/internal/control"
	"delegate/internal/control/planner"
	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/intake/takeover"
	"delegate/internal/land"
	"delegate/internal/land/candidate"
	"delegate/internal/land/checkout"
	"delegate/internal/land/journal"
	"delegate/internal/land/pullrequest"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/record"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/turnsetup"
	"delegate/internal/view/status"
	"delegate/registry"
)

// hint is what to type next after an error.
func hint(err error) string {
	var (
		usage   *usageError
		faults  *registry.SyntaxError
		profile *agent.UnknownProfileError
		lost    *land.TargetLostError
		over    *overError
	)
	switch {
	case errors.As(err, &usage):
		return usage.command + " --help"
	case isA[*noTipsError](err):
		return "name what to compare: delegate conflicts BRANCH BRANCH; agents are compared in a worktree, while a " +
			"session runs"
	case errors.As(err, &over):
		return fmt.Sprintf("git revert %[1]s (a merge commit: git revert -m 1 %[1]s)", over.commit[:12])
	case errors.Is(err, project.ErrNoSession), errors.Is(err, registry.ErrNoSession):
		return `start one with: delegate "what to do", or delegate -f PLAN.md`
	case isA[*registry.ActiveSessionError](err):
		return `to have an agent join it: delegate add "what to do", or delegate add -f PLAN.md; to see it: delegate ` +
			"status; to end it: delegate sync complete, or delegate sync abort"
	case isA[*turnsetup.UnfencedError](err):
		return "see delegate doctor; to start agents without a sandbox, with all your rights, add " +
			"--unfenced (recorded), or write sandbox: {level: off} into .delegate.yaml"
	case isA[*needsYesError](err):
		return "add --yes, or type the same command at a terminal"
	case isA[*storedError](err):
		return "type at a terminal: delegate approve"
	case isA[*underAgentError](err):
		return "" // it says so itself
	case errors.Is(err, ui.ErrNotTerminal):
		return "type the same command at a terminal; nobody else can answer for you"
	case errors.As(err, &profile):
		return profileHint(profile.Name)
	case isA[*control.ForbiddenGlobError](err):
		return "delegate scope AGT lists what it may not write; a forbidden file is changed by a person"
	case errors.As(err, &faults) && faults.Conflicted():
		return "delegate registry merge joins the two versions between which git could not decide; nothing of either " +
			"is lost"
	case isA[*registry.SyntaxError](err):
		return "see every fault with delegate registry check, and fix the file by hand (it is left as it is), or " +
			"see what delegate registry restore would restore"
	case errors.As(err, &lost):
		return fmt.Sprintf("delete .git/%s if it is there (an empty file names nothing), then: git update-ref %[1]s "+
			"%s, and delegate sync merge --continue", lost.Target, lost.Old)
	case errors.Is(err, journal.ErrUnfinished):
		return "finish the merge with delegate sync merge --continue, or undo it with delegate sync merge --abort"
	case isA[*registry.UnknownAgentError](err):
		return "delegate list"
	case errors.Is(err, control.ErrPlanChanged):
		return "delegate approve"
	case errors.Is(err, errInsideAgent):
		return "an agent asks by printing a checkpoint block; a person answers at a terminal"
	}
	return cmp.Or(requestHint(err), keyHint(err),
		gitHint(err), fileHint(err), supervisorHint(err), recordHint(err), taskHint(err), takeoverHint(err),
		answerHint(err))
}

// requestHint is what to type where work cannot go out as a pull request.
func requestHint(err error) string {
	var (
		ahead  *candidate.AheadError
		behind *candidate.BehindError
		other  *pullrequest.OtherPlaceError
		pushed *pullrequest.PushedError
		two    *git.TwoAddressesError
	)
	switch {
	case errors.As(err, &other):
		return fmt.Sprintf("put it back (git remote set-url %s ADDRESS), or give it up with delegate sync pr --abort",
			other.Remote)
	case errors.As(err, &two):
		return "name a remote that is both as the target's upstream: git branch --set-upstream-to REMOTE/BRANCH"
	case errors.As(err, &behind):
		return behind.Next()
	case errors.As(err, &pushed):
		return pushed.Next()
	case errors.As(err, &ahead):
		if ahead.Upstream.Branch() != ahead.Target {
			return fmt.Sprintf("push the branch and follow it there: git push --set-upstream %s %s",
				ahead.Upstream.Remote, ahead.Target)
		}
		return fmt.Sprintf("push them first: git push %s %s", ahead.Upstream.Remote, ahead.Target)
	case errors.Is(err, journal.ErrUnpublished):
		return "finish it with delegate sync pr --continue, or give it up with delegate sync pr --abort"
	case isA[*pullrequest.NoRequestError](err):
		return "open one with delegate sync pr AGENT"
	case errors.Is(err, git.ErrNoRemote):
		return "name one with: git remote add origin ADDRESS"
	case isA[*git.PushError](err):
		return "look at what the remote says, then type the same again; nothing of it is pushed"
	}
	return ""
}

// recordHint is what to type where the repository is not as the record or a session needs it.
func recordHint(err error) string {
	var (
		place *project.PlaceError
		base  *session.BaseError
		noTip *project.TargetGoneError
	)
	switch {
	case errors.As(err, &noTip) && noTip.Branch == "":
		return "write a line such as **Target**: main below the session's id in " + project.RegistryPath +
			", or end the session with delegate sync abort"
	case errors.As(err, &noTip):
		return fmt.Sprintf("bring it back, at its newest commit (git branch %s COMMIT; the session began at %.12s), "+
			"or end the session with delegate sync abort", noTip.Branch, noTip.Base)
	case isA[*project.TargetBrokenError](err):
		return "delegate status (it names the commit to put the branch back to)"
	case errors.As(err, &place):
		return place.Next
	case errors.As(err, &base):
		return fmt.Sprintf("in %s, name a commit that %s contains, or leave the key out", config.FileName, base.Target)
	case isA[*project.ScratchTakenError](err):
		return "move it away, or delete it if nothing in it is yours, then type the same again"
	case errors.Is(err, errNotRemoved):
		return "delegate sync complete (continues with what is left)"
	case errors.Is(err, errNotCleaned):
		return "delegate clean (continues with what is left)"
	case errors.Is(err, record.ErrNothingKept):
		return "take a committed one: git log --all -- " + project.RegistryPath
	}
	return ""
}

// fileHint is what to type where a file cannot be read, or where somebody else has it or wrote to it.
func fileHint(err error) string {
	var (
		hidden    *git.HiddenEditError
		refused   *land.MessageError
		underWay  *land.UnderWayError
		only      *control.OnlyCopyError
		unwritten *checkout.UnwrittenError
		locked    *git.LockedError
		noIndex   *git.NoIndexError
		blocked   *control.BlockedRestoreError
	)
	switch {
	case errors.As(err, &blocked):
		return blocked.Next()
	case isA[*takeover.ExistsError](err):
		return "move it away or rename it, then: delegate retry AGT"
	case errors.As(err, &underWay):
		return underWay.Next()
	case errors.As(err, &refused):
		return refused.Next()
	case isA[*planFileError](err):
		return `write a plan with: delegate plan "what to do" -o PLAN.md`
	case isA[*config.Error](err):
		return "delegate config lists every key with an example"
	case errors.As(err, &only):
		return only.Next()
	case errors.As(err, &hidden):
		return "have git read them again, then commit, stash or move them: " + hidden.Next()
	case errors.As(err, &unwritten):
		return "when that filter works again: " + unwritten.Next()
	case isA[*git.FilterError](err):
		return "when that filter works again, type the same command again"
	case errors.As(err, &locked):
		return locked.Next()
	case errors.As(err, &noIndex):
		return noIndex.Next()
	case isA[*git.BlockedError](err):
		return "commit, stash or move those files, then try again"
	case isA[*atomicfile.ChangedError](err):
		return "check the current state, then run the same command again"
	case isA[*atomicfile.HeldError](err):
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
	var (
		unknown *noTipError
		shared  *git.SharedPlaceError
		moved   *takeover.MovedError
	)
	switch {
	case errors.As(err, &shared):
		return shared.Next()
	case errors.As(err, &moved):
		return fmt.Sprintf("git worktree move %s %s", run.Quote(moved.Path), run.Quote(moved.Want))
	case errors.As(err, &unknown) && unknown.remote != "":
		return "name the remote's: " + unknown.remote
	case unknown != nil:
		return "git branch --all lists the branches that are there, delegate list the agents"
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
		return "switch to the branch that the work is to be merged into: git switch BRANCH, " +
			"or name it with --onto BRANCH"
	case errors.Is(err, git.ErrNoIdentity):
		return `tell git who you are: git config user.name "NAME" and git config user.email ADDRESS`
	}
	return ""
}

// profileHint is what to type where a profile is not known, or where there is none at all.
func profileHint(name string) string {
	if name == "" {
		return "install one (delegate doctor lists them), or name yours in .delegate.yaml, for example  agent: mine  " +
			`and  profiles: {mine: {command: [PROGRAM, "{prompt}"]}}`
	}
	return "add it under profiles: in .delegate.yaml, for example  profiles: {" + name +
		": {command: [PROGRAM, \"{prompt}\"]}}"
}

// taskHint is what to type next after an error on the way from a task to a plan and to its session.
func taskHint(err error) string {
	var (
		asked    *plannerFault
		failed   *baseError
		branch   *branchError
		noBranch *noBranchError
	)
	switch {
	case isA[*otherTargetError](err):
		return "end it with delegate sync complete, when its work is merged"
	case isA[*control.AnsweredError](err), isA[*control.OtherSessionError](err), isA[*control.GoneOnError](err):
		return "delegate status"
	case errors.As(err, &noBranch):
		return fmt.Sprintf("git branch lists those that are here; git branch %s makes it",
			run.AsTyped([]string{noBranch.name}))
	case errors.As(err, &branch):
		return "switch to the branch that the work is to be merged into (git switch BRANCH), and start again"
	case errors.As(err, &failed) && failed.submodule != "":
		return fmt.Sprintf("this repository has submodules, which are empty in that checkout: name their folders "+
			"in %s, and each worktree gets what yours have: copy: [%s]", config.FileName,
			text(run.Quote(failed.submodule)))
	case failed != nil:
		return "verify commands run on what is committed, without ignored and untracked files, and see only listed " +
			"variables and folders of yours: commit or install what is missing by a command before them in verify, " +
			"or name it in copy, verify_env or sandbox.readable"
	case isA[*planner.NoTaskError](err):
		return noTaskHint
	case errors.As(err, &asked):
		return asked.next()
	case errors.Is(err, planner.ErrPlannerBusy):
		return "wait for it, or end it with Ctrl-C where it was started"
	case isA[*takenError](err):
		return "name another one with -o FILE, or type the same command at a terminal, where it can be asked"
	}
	return ""
}

// noTaskHint is what to type where there is no task.
const noTaskHint = `say what to do:  delegate "what to do"   or start from a plan file:  delegate -f plan.md
      or write it into docs/01_progress.md, in this form, and type:  delegate

        **Active Task**: What to do

        ## I. Active Task
        ### What to do
        - [ ] A first objective
        - [ ] A second one`

// stateHint is what to type where the state of an agent, or of the session, does not allow what was typed.
func (a *app) stateHint(err error) string {
	if isA[*registry.ActiveSessionError](err) && session.Unapproved(a.state) {
		return "to see its plan and start its agents: delegate approve; to end it: delegate sync abort"
	}
	for _, ag := range a.state.Agents {
		if gone, is := errors.AsType[*takeover.GoneError](err); is && gone.Path == ag.Worktree {
			return "delegate restore " + ag.Name + " makes it again with what its last turn left"
		}
	}
	refused, is := errors.AsType[*registry.TransitionError](err)
	if !is {
		return ""
	}
	ag, err := a.state.Agent(refused.Agent)
	if err != nil {
		return ""
	}
	next := cmp.Or(status.Next(a.opened, ag, nil), "delegate show "+ag.Name)
	if ag.Status == registry.Complete {
		next += ", or give it another turn: delegate message " + ag.Name + ` "WHAT TO DO"`
	}
	return next
}

// screenHint is what to type where no screen can be filled, "" after any other error.
func screenHint(err error) string {
	if away, is := errors.AsType[*awayError](err); is && errors.Is(err, ui.ErrNotTerminal) {
		return fmt.Sprintf(`type the same command at a terminal; from here: delegate message %s "TEXT"`, away.agent)
	}
	if !isA[*noScreenError](err) {
		return ""
	}
	return "delegate status, with --json for programs; delegate wait waits"
}

// answerHint is what to type where an agent waits for words.
func answerHint(err error) string {
	if unanswered, is := errors.AsType[*control.UnansweredError](err); is {
		return "delegate continue " + unanswered.Agent.Name + ` "ANSWER"`
	}
	return ""
}

// takeoverHint is what to type where nobody can take an agent over.
func takeoverHint(err error) string {
	if refused, is := errors.AsType[*control.NoTakeoverError](err); is {
		return refused.Next
	}
	return ""
}
