package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"delegate/internal/atomicfile"
	"delegate/internal/git"
	"delegate/internal/run"
	"delegate/worktree"
)

// Result is what the verify commands said.
type Result string

// The results. NoCommands: none are configured, so nothing was tested.
const (
	Pass       Result = "pass"
	Fail       Result = "fail"
	NoCommands Result = "none"
)

// Outcome is one verification of one tree.
type Outcome struct {
	Result  Result        `json:"result"`
	Command string        `json:"command,omitempty"` // the one that failed
	Reason  string        `json:"reason,omitempty"`
	Output  string        `json:"output,omitempty"` // file with everything the commands printed
	Took    time.Duration `json:"took_ns"`
	Cached  bool          `json:"-"` // this tree was verified with these commands before
}

// Scratch is the checkout in which commits are verified: never a person's, never an agent's.
func (p *Project) Scratch() string { return filepath.Join(p.WorktreeRoot(), "scratch") }

// scratchHome is what commands in the scratch checkout have for themselves.
func (p *Project) scratchHome() string { return filepath.Join(p.WorktreeRoot(), "scratch-home") }

// DropScratch takes the scratch checkout away, and the folder of all checkouts with it if nothing else is in there.
func (p *Project) DropScratch(ctx context.Context) error {
	if !exists(p.Scratch()) {
		return nil
	}
	if err := p.Repo.RemoveWorktree(ctx, p.Scratch()); err != nil {
		return err
	}
	if err := atomicfile.RemoveTree(p.scratchHome()); err != nil {
		return fmt.Errorf("remove folder of verify commands: %w", err)
	}
	_ = os.Remove(p.WorktreeRoot()) // only an empty folder goes
	return nil
}

// Verify runs the configured commands on a commit in the scratch checkout, one caller at a time.
// What passed for the same tree and the same commands is not run again. A failing command is an Outcome, not an error.
func (p *Project) Verify(ctx context.Context, commit string) (Outcome, error) {
	if len(p.Config.Verify) == 0 {
		return Outcome{Result: NoCommands}, nil
	}
	tree, err := p.Repo.TreeOf(ctx, commit)
	if err != nil {
		return Outcome{}, err
	}
	note := filepath.Join(p.Private, "verified", p.verifyKey(tree))
	if outcome, err := readOutcome(note); err == nil && outcome.Result == Pass {
		outcome.Cached = true
		return outcome, nil
	}
	outcome, err := p.RunOn(ctx, commit, p.Config.Verify, note+".log")
	if err != nil {
		return Outcome{}, err
	}
	data, err := json.Marshal(outcome)
	if err != nil {
		return Outcome{}, fmt.Errorf("verify: %w", err)
	}
	return outcome, atomicfile.WriteFile(note, data, 0o600)
}

// RunOn runs command lines on a commit in the scratch checkout, one caller at a time, within the time limit of verify commands.
// Everything they print is kept in the file log. The first that fails ends it.
func (p *Project) RunOn(ctx context.Context, commit string, lines []string, log string) (Outcome, error) {
	if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
		return Outcome{}, fmt.Errorf("run commands on %.12s: %w", commit, err)
	}
	lock, err := atomicfile.Lock(ctx, filepath.Join(p.Private, "scratch.lock"))
	if err != nil {
		return Outcome{}, err
	}
	defer lock.Unlock()
	// What ran here for one commit must not decide about another.
	if err := atomicfile.RemoveTree(p.scratchHome()); err != nil {
		return Outcome{}, fmt.Errorf("make room for commands on %.12s: %w", commit, err)
	}
	scratch, err := p.scratchAt(ctx, commit)
	if err != nil {
		return Outcome{}, err
	}
	return p.runLines(ctx, scratch, lines, log)
}

func (p *Project) verifyKey(tree string) string {
	sum := sha256.Sum256([]byte(tree + "\x00" + strings.Join(p.Config.Verify, "\x00")))
	return hex.EncodeToString(sum[:16])
}

func readOutcome(path string) (Outcome, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Outcome{}, err
	}
	var o Outcome
	return o, json.Unmarshal(data, &o)
}

// scratchAt brings the scratch checkout to the commit, making it the first time. Files of the copy list are put in as agents get them.
func (p *Project) scratchAt(ctx context.Context, commit string) (*git.Repo, error) {
	path := p.Scratch()
	repo, err := p.Unfiltered(ctx)
	if err != nil {
		return nil, err
	}
	scratch, err := repo.OpenWorktree(path)
	if err != nil || !exists(path) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, fmt.Errorf("make scratch checkout: %w", err)
		}
		if err == nil && !exists(path) { // its folder was deleted by hand; git still lists it
			if err := repo.RemoveWorktree(ctx, path); err != nil {
				return nil, err
			}
		}
		if err := repo.AddDetachedWorktree(ctx, path, commit); err != nil {
			return nil, err
		}
		if scratch, err = repo.OpenWorktree(path); err != nil {
			return nil, err
		}
	}
	if err := scratch.SwitchDetached(ctx, commit); err != nil {
		return nil, err
	}
	checkout := worktree.Checkout{Path: path, Repo: scratch}
	if _, err := checkout.CopyInto(ctx, p.Main, p.Config.Copy); err != nil {
		return nil, err
	}
	return scratch, nil
}

func (p *Project) runLines(ctx context.Context, scratch *git.Repo, lines []string, log string) (Outcome, error) {
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
	fence, env, err := p.fenceScratch(ctx)
	if err != nil {
		return Outcome{}, err
	}
	for _, line := range lines {
		fmt.Fprintf(output, "$ %s\n", line)
		command := run.Shell(line)
		command.Dir, command.Stdout, command.Stderr, command.Env = scratch.Worktree, output, output, env
		err := run.Group(limited, fence.Around(command))
		outcome.Took = time.Since(started)
		var exit *run.ExitError
		switch {
		case err == nil:
			continue
		case ctx.Err() != nil: // the caller's own end, which says nothing of the commit
			return Outcome{}, ctx.Err()
		case errors.Is(err, run.ErrTimeLimit):
			outcome.Reason = fmt.Sprintf("over the time limit of %s", p.Config.VerifyTimeout.Value())
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

// Environ is the person's environment without what points git or this program elsewhere.
func Environ() []string {
	var env []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "GIT_") && !strings.HasPrefix(entry, "DELEGATE_") {
			env = append(env, entry)
		}
	}
	return env
}

// Tail is the end of a kept output, at most the given number of lines.
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
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	return strings.Join(all, "\n")
}
