// Package dialect reads what agent programs print when they are asked for events: one JSON object a
// line, in the forms of claude (which qwen speaks too), codex, opencode, gemini, copilot and pi. A line tells
// its own form, so one Decoder reads them all.
//
// What comes out is what supervision needs: the agent's own words, what its tools do, its session, what it used up,
// what was refused to it, and how it ended. Lines that are no such event, as programs write them to
// standard error, are passed over.
package dialect

import (
	"strings"
	"time"

	"delegate/internal/text/shorten"
)

// Output is the form of what a program prints.
type Output string

// The forms: text as people read it, or one event a line.
const (
	PlainText  Output = "text"
	EventLines Output = "events"
)

// Kind says what an event is.
type Kind int

// The kinds of events.
const (
	// Words is text that the agent itself wrote; Text is to be read on without anything between.
	Words Kind = iota
	// Tool is a tool that begins to be used: Tool is its name, Text the path or command it is about.
	Tool
	// Result is what a tool answered, in Text.
	Result
	// Session is the program's own name for the conversation, in Text.
	Session
	// Model is the model that the program asks, in Text.
	Model
	// Used is what the turn used up so far, in Usage.
	Used
	// Refused is a use of a tool that the program did not allow: Tool, and Text as in Tool.
	Refused
	// Limited says that the model's provider wants a pause, until Until if it says so, or cannot be reached, by Fault.
	// The program may try again by itself.
	Limited
	// Failed is why the program gave up, in Text.
	Failed
	// Ended is the program's word that the turn is over well.
	Ended
	// Unreadable is a line that is too long or of a form that is not known; Text says which.
	Unreadable
)

// BudgetUsedUp is why a program gave up that was given a budget, and stopped at it by itself.
const BudgetUsedUp = "its budget in US$ is used up"

// Event is one thing that a program reported.
type Event struct {
	Kind  Kind
	Text  string
	Tool  string
	Own   bool // of Refused: for certain by the program's own rules, not by a hook that it asked
	Error bool // of Result: the tool did not do what it was asked
	Usage Usage
	Until time.Time // of Limited, zero if it was not said
	Fault Fault     // of Failed and Limited: what it is about
}

// Usage is what a turn used up so far. Tokens read from a cache count as input.
type Usage struct {
	Input, Output int
	Cached        int     // of Input, what was read from a cache
	Cost          float64 // US dollars, 0 if the program does not say
	// Whole says that it is of the whole conversation, the turns before included.
	Whole bool
}

// Readable is the event as a person reads it in a log; "" for what does not matter there.
func (e Event) Readable() string {
	switch e.Kind {
	case Words:
		return e.Text
	case Tool:
		return "· " + strings.TrimSpace(e.Tool+" "+oneLine(e.Text)) + "\n"
	case Refused:
		return "· refused: " + strings.TrimSpace(e.Tool+" "+oneLine(e.Text)) + "\n"
	case Limited:
		what := "rate limit"
		if e.Fault == Passing {
			what = "network fault"
		}
		if e.Until.IsZero() {
			return "· " + what + ": " + oneLine(e.Text) + "\n"
		}
		return "· " + what + " until " + e.Until.UTC().Format(time.RFC3339) + ": " + oneLine(e.Text) + "\n"
	case Failed:
		return "! " + oneLine(e.Text) + "\n"
	}
	return ""
}

// oneLine is text for one line of a log.
func oneLine(text string) string {
	return shorten.Runes(strings.Join(strings.Fields(text), " "), 200)
}
