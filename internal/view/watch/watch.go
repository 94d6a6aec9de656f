// Package watch is the full-screen view of a session: what waits for the person, the agents, and one agent's work.
//
// It shows what a Source tells and decides nothing. What a person does with a key is a command of this program,
// run at the terminal in place of the screen, so that every question is asked in one place.
// The model is pure: data and keys go in, lines of text come out; Run connects it with a terminal.
// Whatever agents wrote is cleaned before it is shown.
package watch

import (
	"context"
	"os"
	"time"

	"delegate/internal/text/ui"
	"delegate/registry"
)

// Source tells what is to be seen. Its calls come from several goroutines.
// What takes long is remembered by it: each call that finds nothing moved is cheap.
type Source interface {
	// Snapshot is the session now. An error is shown, and what was seen before stays.
	Snapshot(ctx context.Context) (Snapshot, error)
	// Pane is the text about one agent that is shown below.
	Pane(ctx context.Context, agent string, tab Tab) (Pane, error)
	// Refresh makes the next calls look at everything anew.
	Refresh()
}

// Snapshot is a session at one moment.
type Snapshot struct {
	Session *Session // nil: none is active, and none was
	Agents  []Agent
	Waiting []Waiting // oldest first
	Notes   []string  // what a person should know first
}

// Session is the head of the screen.
type Session struct {
	ID, Title, Status, Target string
	Elapsed                   time.Duration
	Used                      string // by all agents, "" if no program says
	Over                      bool   // it ended while it was watched
}

// Agent is one row of the table.
type Agent struct {
	ID, Name, Subtask string // shown is the name
	Status            registry.Status
	Word              string        // for the status
	Now               string        // what it does: its last words or its tool, its question, how it closed
	Cost              string        // so far, "" if its program does not say
	Progress          int           // in percent, as the agent says; below 0: it did not say
	Idle              time.Duration // since its last activity; below 0: there was none
	Elapsed           time.Duration // RUNNING
	Left              time.Duration // of its time; below 0: no limit, or it does not run
	Files             int
	Added             int
	Removed           int
	Tests             string
	Notes             []string // checkpoints, violations, messages, flags
	Without           []string // keys that are not offered for it, whatever its state
}

// Waiting is one thing that a person has to decide.
type Waiting struct {
	Agent string // "": the whole session
	Text  string
	Keys  []string // that answer it, the first one is what its number does
}

// Tab is what the pane shows of an agent.
type Tab int

// The tabs, in their order.
const (
	Output Tab = iota
	Diff
	Checkpoint
	Findings
)

// Pane is the text of a tab. The stamp differs when the text does.
type Pane struct {
	Stamp string
	Text  string // lines, in which only colours are escape sequences
}

// Options say where the screen is and what it may do.
type Options struct {
	In, Out *os.File
	Style   ui.Style
	// Do runs a command of this program at the terminal, which is an ordinary one meanwhile, and
	// returns when the person wants the screen back.
	Do func(args []string)
	// Suspends says that a shell can continue this process when it is stopped.
	Suspends bool
}
