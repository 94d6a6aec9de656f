package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"delegate/internal/fence/resource"
	"delegate/internal/fence/sandbox"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/sys/run"
	"delegate/internal/turn/dialect"
)

// Spec is what a keeper runs: written to the turn's folder before the keeper starts.
type Spec struct {
	Args      []string       `json:"args"`
	Stdin     string         `json:"stdin,omitempty"`
	Dir       string         `json:"dir"`
	Env       []string       `json:"env"`
	Mark      string         `json:"mark"` // environment entry that all processes of the agent carry
	StopGrace time.Duration  `json:"stop_grace_ns"`
	Messages  []int          `json:"messages,omitempty"` // queue numbers delivered with this turn's prompt
	Attempt   int            `json:"attempt"`            // that the turn belongs to
	Said      string         `json:"said,omitempty"`     // what the agent was told with it, beside the brief
	Output    dialect.Output `json:"output,omitempty"`   // form of the transcript; "" is text
	Fence     *Fence         `json:"fence,omitempty"`    // what holds the program in, nil for nothing
	// Terminal says that a person works with the program: its keeper runs in the foreground of their terminal.
	Terminal bool `json:"terminal,omitempty"`
	// Conversation is the program's own name for what it is to begin or to go on with, "" where it chooses.
	Conversation string `json:"conversation,omitempty"`
	// On is the engine that the turn runs on, "" for here. Then Args and what goes with them are not known here.
	On string `json:"on,omitempty"`
}

// Fence is how a turn's program is held in by the kernel.
type Fence struct {
	Policy   string              `json:"policy"` // file
	AgentDir string              `json:"desk,omitempty"`
	Network  sandbox.NetworkMode `json:"network,omitempty"`
	// loopback port inside, a colon, and the socket of the proxy; "" without one
	Proxy string   `json:"door,omitempty"`
	Hosts []string `json:"hosts,omitempty"` // that the proxy lets through
	// Local are those of Hosts that are found at their own port of the loopback interface inside as well.
	Local   []string        `json:"local,omitempty"`
	Support sandbox.Support `json:"support"`
	// Limits are what the processes inside may use together.
	Limits resource.Limits `json:"limits,omitzero"`
}

// Record is who runs a turn.
type Record struct {
	Keeper  run.Identity `json:"keeper"`
	Agent   run.Identity `json:"agent"`
	Started time.Time    `json:"started_at"`
	// Fence are the layers of the kernel as they stand around the program, nil if none does.
	Fence *sandbox.Support `json:"fence,omitempty"`
	// Resources is how its limits are held, nil without a fence.
	Resources *resource.Held `json:"resources,omitempty"`
}

// Cause says why a turn ended.
type Cause string

// The causes: the program ended by itself, was interrupted or stopped by a request, could not be
// started, or went down with the machine or the node.
const (
	ByItself    Cause = ""
	Interrupted Cause = "interrupted"
	Stopped     Cause = "stopped"
	NotStarted  Cause = "not started"
	Restarted   Cause = "restarted" // the machine was, and the turn's processes are gone
	NodeLost    Cause = "node lost" // an engine took or lost the machine that it ran on
)

// Exit is how a turn ended.
type Exit struct {
	Code   int       `json:"exit_code"`
	Signal string    `json:"signal,omitempty"`
	Cause  Cause     `json:"cause,omitempty"`
	Error  string    `json:"error,omitempty"` // why it could not be started
	Ended  time.Time `json:"ended_at"`
	// Met is how often limits of Fence.Limits were met.
	Met resource.Met `json:"met,omitzero"`
}

// State is what the turn's folder and the process table show together.
type State int

// The states of a turn.
const (
	Prepared State = iota // no keeper has taken it up
	Running               // its keeper holds it
	Ended                 // its exit is on disk
	Lost                  // a keeper had it and is gone without a word
	Detached              // the same, of one that runs on an engine: it goes on there, and can be kept again
)

// Turn is one run of an agent's program.
type Turn struct {
	Dir string
}

func (t Turn) specFile() string   { return filepath.Join(t.Dir, "spec.json") }
func (t Turn) recordFile() string { return filepath.Join(t.Dir, "keeper.json") }
func (t Turn) exitFile() string   { return filepath.Join(t.Dir, "exit.json") }
func (t Turn) lockFile() string   { return filepath.Join(t.Dir, "keeper.lock") }

// Output is the transcript: everything the program wrote, both streams in order.
func (t Turn) Output() string { return filepath.Join(t.Dir, "output") }

// Readable is the transcript as people read it: the same file, or of a program that prints events
// what the supervisor makes of it, which need not be there yet.
func (t Turn) Readable() string {
	if _, err := os.Stat(t.readableFile()); err == nil {
		return t.readableFile()
	}
	if spec, err := t.Spec(); err == nil && spec.Output == dialect.EventLines {
		return t.readableFile()
	}
	return t.Output()
}

func (t Turn) readableFile() string { return filepath.Join(t.Dir, "readable") }

// BeginReadable writes its beginning, in place of what an earlier supervisor made.
func (t Turn) BeginReadable(text string) error {
	return os.WriteFile(t.readableFile(), []byte(text), 0o600)
}

// AddReadable appends to it.
func (t Turn) AddReadable(text string) error {
	file, err := os.OpenFile(t.readableFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write readable transcript: %w", err)
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Close())
}

func (t Turn) sessionFile() string { return filepath.Join(t.Dir, "session-id") }

// SessionID is the program's own name for its conversation, "" if it named none in this turn.
func (t Turn) SessionID() string {
	data, err := os.ReadFile(t.sessionFile())
	if err != nil {
		return ""
	}
	return string(data)
}

// KeepSessionID remembers it.
func (t Turn) KeepSessionID(id string) error {
	return atomicfile.WriteFile(t.sessionFile(), []byte(id), 0o600)
}

// ForgetSessionID takes it away.
func (t Turn) ForgetSessionID() error {
	if err := os.Remove(t.sessionFile()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (t Turn) modelFile() string { return filepath.Join(t.Dir, "model") }

// Model is the model that the program said it asks, "" if it named none in this turn.
func (t Turn) Model() string {
	data, err := os.ReadFile(t.modelFile())
	if err != nil {
		return ""
	}
	return string(data)
}

// KeepModel remembers it.
func (t Turn) KeepModel(name string) error {
	return atomicfile.WriteFile(t.modelFile(), []byte(name), 0o600)
}

// PromptFile holds the prompt as it was handed over.
func (t Turn) PromptFile() string { return filepath.Join(t.Dir, "prompt.md") }

// Shown is what the processes of a turn find of its folder, where the rest of the private state is
// hidden from them.
func (t Turn) Shown() []string { return []string{t.PromptFile(), filepath.Join(t.Dir, proxySocket)} }

// Prepare writes the turn's folder; the spec comes last, so that a folder with a spec is whole. What others have put
// there, such as hooks, need not have waited for the disk: all of it is there before the spec.
func Prepare(dir, prompt string, spec Spec) (Turn, error) {
	t := Turn{Dir: dir}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return t, fmt.Errorf("prepare turn: %w", err)
	}
	if err := atomicfile.WriteUnsynced(t.PromptFile(), []byte(prompt), 0o600); err != nil {
		return t, err
	}
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, strings.TrimPrefix(path, dir+string(filepath.Separator)))
		}
		return err
	})
	if err = errors.Join(err, atomicfile.SyncAll(dir, files...)); err != nil {
		return t, fmt.Errorf("prepare turn: %w", err)
	}
	return t, writeJSON(t.specFile(), spec)
}

// Whole says whether Prepare got to its end.
func (t Turn) Whole() bool {
	_, err := t.Ready()
	return err == nil
}

// Ready is when Prepare got to its end; an error wrapping fs.ErrNotExist if it has not.
func (t Turn) Ready() (time.Time, error) {
	info, err := os.Stat(t.specFile())
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// Spec is what the turn runs.
func (t Turn) Spec() (Spec, error) { return readJSON[Spec](t.specFile()) }

// Record is who runs it; an error wrapping fs.ErrNotExist before a keeper took it up.
func (t Turn) Record() (Record, error) { return readJSON[Record](t.recordFile()) }

// Exit is how it ended; an error wrapping fs.ErrNotExist while it has not.
func (t Turn) Exit() (Exit, error) { return readJSON[Exit](t.exitFile()) }

// State looks at the disk and at the keeper's lock. The order matters: a keeper writes the exit
// before it gives up its lock.
func (t Turn) State() (State, error) {
	held, err := atomicfile.Held(t.lockFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Lost, err
	}
	if _, err := os.Stat(t.exitFile()); err == nil {
		return Ended, nil
	}
	if held {
		return Running, nil
	}
	if _, err := os.Stat(t.recordFile()); err == nil {
		if t.isRemote() {
			return Detached, nil
		}
		return Lost, nil
	}
	return Prepared, nil
}

// Start starts a keeper for a prepared turn: program is this same executable.
// Of several keepers for one turn only the first runs it. When that process is gone, ended is called, where it is not
// nil and this process still lives.
func (t Turn) Start(program string, ended func()) error {
	started, err := run.Detach(run.Command{Path: program, Args: []string{t.keeperVerb(), t.Dir}, Dir: "/"},
		filepath.Join(t.Dir, "keeper.log"))
	if err != nil {
		return err
	}
	go func() { // ends with the keeper; its owner is this process, which must not collect zombies
		started.Wait()
		if ended != nil {
			ended()
		}
	}()
	return nil
}

// Foreground runs the keeper of a turn that a person works in, at their terminal, and returns with its end.
// program is this same executable. The keeper ends with ctx, and with this process.
func (t Turn) Foreground(ctx context.Context, program string) error {
	return run.Foreground(ctx, run.Command{Path: program, Args: []string{KeeperVerb, t.Dir}, Dir: "/", Bound: true})
}

// startPause is short beside what a start takes: a look is a file stat.
const startPause = 2 * time.Millisecond

// AwaitStart waits until the keeper has started the program or has said why it could not.
func (t Turn) AwaitStart(ctx context.Context) error {
	for {
		if _, err := os.Stat(t.recordFile()); err == nil {
			return nil
		}
		if exit, err := t.Exit(); err == nil {
			if _, err := os.Stat(t.recordFile()); err == nil {
				return nil // it started and ended between the two looks
			}
			return fmt.Errorf("start agent program: %s", exit.Error)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("start agent program: its keeper in %q did not answer: %w", t.Dir, ctx.Err())
		case <-time.After(startPause):
		}
	}
}

// AwaitKept waits until somebody keeps the turn, or it is over.
func (t Turn) AwaitKept(ctx context.Context) error {
	for {
		if state, err := t.State(); err != nil || state == Running || state == Ended {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("keep the turn in %q again: %w", t.Dir, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// StartLimit is how long a keeper may take to start its program.
const StartLimit = 30 * time.Second

// Forget writes an exit for a turn whose folder is gone and whose processes are ended.
func (t Turn) Forget(now time.Time) error {
	if err := os.MkdirAll(t.Dir, 0o700); err != nil {
		return fmt.Errorf("make folder of turn: %w", err)
	}
	return writeJSON(t.exitFile(), Exit{Code: -1, Cause: Stopped,
		Error: "what was known of its turn is gone; its work is kept", Ended: now})
}

// awaitKeeper is who runs the turn. A keeper that holds it and has not started its program yet is waited
// for; false: nobody runs it.
func (t Turn) awaitKeeper() (Record, bool, error) {
	for deadline := time.Now().Add(StartLimit); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		record, err := t.Record()
		if !errors.Is(err, fs.ErrNotExist) {
			return record, err == nil, err
		}
		if state, err := t.State(); err != nil || state == Prepared || state == Ended {
			return Record{}, false, err
		}
	}
	return Record{}, false, fmt.Errorf("the keeper in %q has not started its program for %s", t.Dir, StartLimit)
}

// endUnstarted ends a turn that no keeper has taken up: one that comes later finds it ended. The error
// wraps atomicfile.ErrLocked if one has it.
func (t Turn) endUnstarted() error {
	if !t.Whole() {
		return nil
	}
	lock, err := atomicfile.TryLock(t.lockFile())
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if _, err := t.Exit(); err == nil {
		return nil
	}
	return writeJSON(t.exitFile(), Exit{Code: -1, Cause: Stopped, Error: "stopped before it began",
		Ended: time.Now().UTC()})
}

// Stop ends the turn and its whole process tree: through its keeper where it lives, else directly.
// It returns when none is left and none will come.
func (t Turn) Stop(grace time.Duration) error {
	record, found, err := t.awaitKeeper()
	for err == nil && !found {
		if err := t.endUnstarted(); !errors.Is(err, atomicfile.ErrLocked) {
			return err
		}
		record, found, err = t.awaitKeeper()
	}
	if err != nil {
		return err
	}
	spec, err := t.Spec()
	if err != nil {
		return err
	}
	if record.Keeper.Alive() {
		if err := t.askKeeper(record, grace); err == nil || spec.On != "" {
			return err
		}
	}
	if spec.On != "" {
		return t.stopDetached(grace)
	}
	return endMarked(record, spec.Mark, grace)
}

// askKeeper has the keeper stop its agent, and waits a little longer than the keeper itself would.
func (t Turn) askKeeper(record Record, grace time.Duration) error {
	run.Terminate(record.Keeper)
	for deadline := time.Now().Add(2*grace +
		15*time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if !record.Keeper.Alive() {
			_, err := t.Exit()
			return err
		}
	}
	return fmt.Errorf("keeper %d does not end", record.Keeper.PID)
}

// endMarked is for a tree whose keeper is gone: found by descent from the agent's process
// and by the mark in the environment.
func endMarked(record Record, mark string, grace time.Duration) error {
	return run.EndAll(func() []run.Process {
		left := run.Marked(mark)
		if record.Agent.Alive() {
			left = append(left, run.Descendants(record.Agent.PID)...)
			left = append(left, run.Process{PID: record.Agent.PID, Start: record.Agent.Start})
		}
		if record.Keeper.Alive() {
			left = append(left, run.Process{PID: record.Keeper.PID, Start: record.Keeper.Start})
		}
		return left
	}, grace)
}

// FinalizeLost ends what a lost turn left running and writes an exit for it, so that it is judged once.
func (t Turn) FinalizeLost(grace time.Duration, now time.Time) error {
	if err := t.Stop(grace); err != nil {
		return err
	}
	exit := Exit{Code: -1, Cause: Stopped, Error: "its keeper was gone", Ended: now}
	if record, err := t.Record(); err == nil && record.Keeper.EarlierBoot() {
		exit.Cause, exit.Error = Restarted, "the machine was restarted"
	}
	return writeJSON(t.exitFile(), exit)
}

// Interrupt stops the turn as a person's Ctrl-C would. A keeper that has not started its program
// yet is waited for. False: nothing was running.
func (t Turn) Interrupt() (bool, error) {
	record, found, err := t.awaitKeeper()
	if err != nil || !found || !record.Keeper.Alive() {
		return false, err
	}
	return true, run.InterruptProcess(record.Keeper)
}

func writeJSON(path string, value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	return atomicfile.WriteFile(path, append(data, '\n'), 0o600)
}

func readJSON[T any](path string) (T, error) {
	var value T
	data, err := os.ReadFile(path)
	if err != nil {
		return value, err
	}
	if err := json.Unmarshal(data, &value); err != nil {
		return value, fmt.Errorf("read %q: %w", path, err)
	}
	return value, nil
}
