package cleanup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"delegate/internal/control/session"
	"delegate/internal/git"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/text/ui"
	"delegate/internal/turn/agentdir"
)

// refuse is why a branch and its worktree stay whatever was asked for: something uses them, or has what no commit can
// keep. It is nil if they may go. It fills in the ignored files.
func (l *search) refuse(ctx context.Context, w work, it *Item) (*Refusal, error) {
	switch {
	case w.session == l.cut:
		return &Refusal{Reason: "the end of its session was interrupted", Next: "delegate sync complete"}, nil
	case w.elsewhere != "":
		return &Refusal{Reason: "its branch is checked out in " + w.elsewhere,
			Next: "switch to another branch there, then delegate clean"}, nil
	case w.astray:
		return &Refusal{Reason: "its worktree is not on its branch", Next: fmt.Sprintf("if its commits are wanted: "+
			"git -C %[1]s branch NAME; then git -C %[1]s switch %[2]s, then delegate clean", run.Quote(w.tree),
			w.branch)}, nil
	case w.tree == "":
		return nil, nil
	}
	tree, err := l.repo.OpenWorktree(w.tree)
	if errors.Is(err, git.ErrNoWorktree) {
		return &Refusal{Reason: "git does not know its worktree any more", Next: "look at it first: ls -A " +
			run.Quote(w.tree)}, nil
	}
	if err != nil {
		return nil, err
	}
	if refusal := l.inUse(w, tree); refusal != nil {
		return refusal, nil
	}
	inside, err := l.p.Submodule(ctx, w.head, w.tree)
	if err != nil {
		return nil, err
	}
	if inside != "" {
		return &Refusal{Reason: fmt.Sprintf("the submodule %q is checked out in it, whose files and commits are "+
			"nowhere else", inside), Next: "look into that; " + byHand(w.tree)}, nil
	}
	if it.Ignored, err = Ignored(ctx, l.p, w.registered()); err != nil || len(it.Ignored) == 0 || l.spend {
		return nil, err
	}
	return &Refusal{Reason: "git ignores files in it, and no commit has them: " + ui.Some(it.Ignored, mostNames),
		Next: "look at them; " + byHand(w.tree)}, nil
}

// inUse is why nobody may take a worktree away now, nil if nobody is in it.
func (l *search) inUse(w work, tree *git.Repo) *Refusal {
	marked := run.Marked(agentdir.Dir(l.p.AgentDir(w.session, w.agent)).Mark())
	for _, p := range append(marked, run.Inside(w.tree)...) {
		return &Refusal{Reason: fmt.Sprintf("a process works in it: %s", processName(p)),
			Next: "end it, or leave the folder, then delegate clean"}
	}
	if at := session.FindSupervisor(l.p); at != nil && l.state.Session == nil && !l.ending {
		return &Refusal{Reason: fmt.Sprintf("the supervisor (process %d) still ends the session", at.PID),
			Next: "wait a moment, then delegate clean"}
	}
	if why, locked := tree.Locked(); locked {
		reason := "git has it locked"
		if why != "" {
			reason += ": " + why
		}
		return &Refusal{Reason: reason, Next: "git worktree unlock " + run.Quote(w.tree) + ", then delegate clean"}
	}
	lock := filepath.Join(tree.GitDir, "index.lock")
	if _, err := os.Lstat(lock); !errors.Is(err, fs.ErrNotExist) {
		return &Refusal{Reason: "another git command has its index locked",
			Next: "wait for it; if none is running: rm " + run.Quote(lock) + ", then delegate clean"}
	}
	if under := tree.InProgress(); under != "" {
		return &Refusal{Reason: "a " + under + " is under way in it",
			Next: fmt.Sprintf("end it there (git %s --abort or --continue), then delegate clean", under)}
	}
	return nil
}

func processName(p run.Process) string {
	name := fmt.Sprint(p.PID)
	if args := p.Arguments(); len(args) > 0 {
		name += " (" + ui.Clean(filepath.Base(args[0])) + ")"
	}
	return name
}

// idle reports whether a checkout for verification is unused: no session is active, and no command holds its lock.
func (l *search) idle(name string) bool {
	held, err := atomicfile.Held(filepath.Join(l.p.Private, name+".lock"))
	return l.state.Session == nil && err == nil && !held
}

// changed is why an item stays that is not as a person was shown it.
func changed() *Refusal {
	return &Refusal{Reason: "it changed since it was shown", Next: "delegate clean"}
}

// byHand is how a person takes a worktree away with what this program does not take.
func byHand(path string) string {
	return "if nothing in it is wanted: git worktree remove --force " + run.Quote(path) + ", then delegate clean"
}
