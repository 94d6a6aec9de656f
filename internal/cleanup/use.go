package cleanup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"delegate/internal/agentdir"
	"delegate/internal/atomicfile"
	"delegate/internal/git"
	"delegate/internal/run"
	"delegate/internal/session"
	"delegate/internal/ui"
)

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

// holdsFiles is why a worktree stays for what is in it and in no commit, nil if there is nothing. It fills in what that
// is.
func (l *search) holdsFiles(ctx context.Context, w work, it *Item) (*Refusal, error) {
	inside, err := l.p.Submodule(ctx, w.head, w.tree)
	if err != nil {
		return nil, err
	}
	if inside != "" {
		return &Refusal{Reason: fmt.Sprintf("the submodule %q is checked out in it, whose files and commits are "+
			"nowhere else", inside), Next: "look into that; " + byHand(w.tree)}, nil
	}
	edits, compared, err := l.edits(ctx, w)
	if err != nil {
		return nil, err
	}
	if it.Edits = edits; !compared {
		return &Refusal{Reason: "files in it may have changed since, and could not be compared",
			Next: "df -h, then delegate clean; " + byHand(w.tree)}, nil
	}
	if it.Ignored, err = Ignored(ctx, l.p, w.registered()); err != nil {
		return nil, err
	}
	if len(it.Ignored) > 0 {
		return &Refusal{Reason: "git ignores files in it, and no commit has them: " + ui.Some(it.Ignored, mostNames),
			Next: "look at them; " + byHand(w.tree)}, nil
	}
	return nil, nil
}

// edits are the files of a worktree that are not as its head has them, without those that were put there for the agent
// and are as they were. It needs an index for that, which it makes elsewhere and takes away. They were not compared
// where that is impossible, as on a full disk. The error is that ctx ended.
func (l *search) edits(ctx context.Context, w work) (edits []string, compared bool, err error) {
	tree, err := l.repo.OpenWorktree(w.tree)
	if err != nil {
		return nil, false, context.Cause(ctx)
	}
	folder, err := os.MkdirTemp("", "delegate-look-")
	if err != nil {
		return nil, false, context.Cause(ctx)
	}
	defer os.RemoveAll(folder)
	all, err := tree.Differing(ctx, filepath.Join(folder, "index"), w.head)
	if err != nil {
		return nil, false, context.Cause(ctx)
	}
	copied, err := l.p.Copied(w.session, w.registered())
	if err != nil || len(all) == 0 {
		return all, err == nil, context.Cause(ctx)
	}
	put := map[string]string{}
	for _, c := range copied {
		put[c.Path] = c.ID
	}
	ids, err := tree.HashFiles(ctx, all)
	if err != nil {
		return nil, false, context.Cause(ctx)
	}
	for i, path := range all {
		if ids[i] == "" || ids[i] != put[path] {
			edits = append(edits, path)
		}
	}
	return edits, true, nil
}

// idle says whether a checkout for verification is unused: no session is active, and no command holds its lock.
func (l *search) idle(name string) bool {
	held, err := atomicfile.Held(filepath.Join(l.p.Private, name+".lock"))
	return l.state.Session == nil && err == nil && !held
}
