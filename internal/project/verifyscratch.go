package project

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"delegate/internal/git"
	"delegate/internal/intake/takeover"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
)

// scratch is a scratch checkout with what belongs to it: never a person's, never an agent's, and used
// by one caller at a time.
type scratch struct {
	path  string // the checkout
	home  string // what its commands have for themselves
	fence string // file with the policy of their fence
	lock  string
}

// mostScratches bounds how many verifications go on at once: a build uses several processors by itself.
const mostScratches = 4

// someScratches are the first scratch checkouts of this repository.
func (p *Project) someScratches(count int) []scratch {
	var all []scratch
	for n := 1; n <= count; n++ {
		all = append(all, scratch{
			path:  filepath.Join(p.WorktreeRoot(), numbered("scratch", n)),
			home:  filepath.Join(p.WorktreeRoot(), numbered("scratch-home", n)),
			fence: filepath.Join(p.Private, numbered("verify-fence", n)+".json"),
			lock:  filepath.Join(p.Private, numbered("scratch", n)+".lock"),
		})
	}
	return all
}

// Scratch is the first of the checkouts in which commits are verified.
func (p *Project) Scratch() string { return p.someScratches(1)[0].path }

// scratchPause is how long a caller waits before it looks again for a free one.
const scratchPause = 50 * time.Millisecond

// take waits for a free checkout and locks it.
func take(ctx context.Context, all []scratch) (scratch, *atomicfile.Guard, error) {
	for {
		for _, r := range all {
			guard, err := atomicfile.TryLock(r.lock)
			if err == nil {
				return r, guard, nil
			}
			if !errors.Is(err, atomicfile.ErrLocked) {
				return scratch{}, nil, err
			}
		}
		select {
		case <-ctx.Done():
			return scratch{}, nil, fmt.Errorf("wait for a checkout to verify in: %w", ctx.Err())
		case <-time.After(scratchPause):
		}
	}
}

// DropScratch takes the scratch checkouts away that nobody uses, and the folder of all checkouts
// with them if nothing else is in there.
func (p *Project) DropScratch(ctx context.Context) error {
	for _, r := range p.someScratches(mostScratches) { // a machine may have had more processors
		if !exists(r.path) {
			continue
		}
		guard, err := atomicfile.TryLock(r.lock)
		if errors.Is(err, atomicfile.ErrLocked) {
			continue
		}
		if err == nil {
			err = errors.Join(p.dropScratch(ctx, r), guard.Unlock())
		}
		if err != nil {
			return err
		}
	}
	_ = os.Remove(p.WorktreeRoot()) // only an empty folder goes
	return nil
}

func (p *Project) dropScratch(ctx context.Context, r scratch) error {
	if err := p.repairScratch(r); err != nil {
		return err
	}
	if err := p.Repo.RemoveWorktree(ctx, r.path); err != nil {
		return err
	}
	if err := atomicfile.RemoveTree(r.home); err != nil {
		return fmt.Errorf("remove folder of verify commands: %w", err)
	}
	return nil
}

// RunOn runs command lines on a commit in a scratch checkout of its own, within the time limit of verify commands.
// Everything they print is kept in the file log. The first that fails ends it.
func (p *Project) RunOn(ctx context.Context, commit string, lines []string, log string) (Outcome, error) {
	if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
		return Outcome{}, fmt.Errorf("run commands on %.12s: %w", commit, err)
	}
	// the first one is taken while it is free
	r, guard, err := take(ctx, p.someScratches(max(1, min(mostScratches, runtime.NumCPU()/2))))
	if err != nil {
		return Outcome{}, err
	}
	defer guard.Unlock()
	// What ran here for one commit must not decide about another.
	if err := atomicfile.RemoveTree(r.home); err != nil {
		return Outcome{}, fmt.Errorf("make room for commands on %.12s: %w", commit, err)
	}
	if err := p.scratchAt(ctx, r, commit); err != nil {
		return Outcome{}, err
	}
	o, err := p.runLines(ctx, r, lines, log)
	return o, errors.Join(err, p.repairScratch(r))
}

// repairScratch ties a scratch checkout to the repository again, for people and programs that come by.
func (p *Project) repairScratch(r scratch) error {
	checkout, err := p.Repo.OpenWorktree(r.path)
	if errors.Is(err, git.ErrNoWorktree) { // whoever removes it is told
		return nil
	}
	if err != nil {
		return err
	}
	return checkout.RepairPointer()
}

// scratchAt brings a scratch checkout to the commit, making it the first time. Files of the copy
// list are put in as agents get them.
func (p *Project) scratchAt(ctx context.Context, r scratch, commit string) error {
	repo, err := p.Unfiltered(ctx)
	if err != nil {
		return err
	}
	scratch, err := repo.OpenWorktree(r.path)
	if err != nil || !exists(r.path) {
		if scratch, err = p.makeScratch(ctx, repo, r, commit, err == nil); err != nil {
			return err
		}
	}
	if scratch.GitDir == scratch.CommonDir { // git has no entry for it, and its `.git` leads to the repository itself
		return &ScratchTakenError{Path: r.path}
	}
	if err := scratch.RepairPointer(); err != nil { // what ran here with Landlock alone could write it
		return err
	}
	if err := scratch.SwitchDetached(ctx, commit); err != nil {
		return err
	}
	checkout := takeover.Checkout{Path: r.path, Repo: scratch}
	list, err := p.CopyList(ctx)
	if err != nil {
		return err
	}
	_, err = checkout.CopyInto(ctx, p.Main, list)
	return err
}

func (p *Project) makeScratch(ctx context.Context, repo *git.Repo, r scratch, commit string, listed bool) (*git.Repo,
	error) {
	if err := os.MkdirAll(filepath.Dir(r.path), 0o755); err != nil {
		return nil, fmt.Errorf("make scratch checkout: %w", err)
	}
	switch {
	case listed: // its folder was deleted by hand; git still lists it
		if err := repo.RemoveWorktree(ctx, r.path); err != nil {
			return nil, err
		}
	case !exists(r.path):
	case exists(r.fence) && git.IsOrphaned(r.path, numbered("scratch", 1)): // the other way round, or both were moved
		if err := atomicfile.RemoveTree(r.path); err != nil {
			return nil, fmt.Errorf("make scratch checkout anew: %w", err)
		}
	default: // nothing says that it is ours
		return nil, &ScratchTakenError{Path: r.path}
	}
	if err := repo.AddDetachedWorktree(ctx, r.path, commit); err != nil {
		return nil, err
	}
	return repo.OpenWorktree(r.path)
}

// ScratchTakenError says that something lies where commits are verified that this program may not
// have made. It is left alone.
type ScratchTakenError struct{ Path string }

func (e *ScratchTakenError) Error() string {
	return fmt.Sprintf("make scratch checkout: %q is there, and git does not know it", e.Path)
}

func (p *Project) runLines(ctx context.Context, r scratch, lines []string, log string) (Outcome, error) {
	output, err := os.Create(log) // the last run of this tree is the one to read
	if err != nil {
		return Outcome{}, fmt.Errorf("keep output of verify commands: %w", err)
	}
	defer output.Close()
	started := time.Now()
	outcome := Outcome{Result: Pass, Output: log}
	limited := ctx
	if limit := p.Config.VerifyTimeout; !limit.Off() {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, limit.Value())
		defer cancel()
	}
	fence, env, err := p.fenceScratch(ctx, r)
	if err != nil {
		return Outcome{}, err
	}
	for _, line := range lines {
		fmt.Fprintf(output, "$ %s\n", line)
		command := run.Shell(line)
		command.Dir, command.Stdout, command.Stderr, command.Env = r.path, output, output, env
		before := outcome.Took
		err := fence.Group(limited, command)
		outcome.Took = time.Since(started)
		var exit *run.ExitError
		switch {
		case err == nil:
			outcome.passed = append(outcome.passed, passing{line, outcome.Took - before})
			continue
		case ctx.Err() != nil: // the caller's own end, which says nothing of the commit
			return Outcome{}, ctx.Err()
		case errors.Is(err, run.ErrTimeLimit):
			outcome.Reason, outcome.TimedOut = fmt.Sprintf("over the time limit of %s", p.Config.VerifyTimeout.Value()),
				true
		case errors.As(err, &exit):
			outcome.Reason = exit.Ending()
		default:
			return Outcome{}, err
		}
		outcome.Result, outcome.Command = Fail, line
		return outcome, nil
	}
	return outcome, nil
}

// Tail is the end of a kept output, at most the given number of lines. It begins with a whole line
// where it has more than one, since half a control sequence would be shown as text.
func Tail(path string, lines int) string {
	const most = 16 << 10
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	start := max(0, info.Size()-most)
	data := make([]byte, info.Size()-start)
	n, _ := file.ReadAt(data, start) // a shorter file than a moment ago shows what it has
	all := strings.Split(strings.TrimRight(string(data[:n]), "\n"), "\n")
	if start > 0 && len(all) > 1 {
		all = all[1:]
	}
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	return strings.Join(all, "\n")
}
