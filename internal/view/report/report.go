// Package report writes a session as one HTML page for people who review in a browser.
//
// The page needs nothing but itself: no script, no font, no picture from anywhere, and its own
// policy forbids all of them. What agents wrote is text in it and never markup, and characters that
// act instead of appearing are written by their names. The package reads no repository and no
// registry: the caller fills a Data.
package report

import (
	"time"

	"delegate/checkpoint"
	"delegate/conflict"
	"delegate/registry"
)

// Data is everything that a page says. Times are shown in UTC.
type Data struct {
	Made       time.Time // when all of this was looked up
	Repository string    // its name, for the head of the page
	Session    registry.Session
	Agents     []Agent // in the order of their ids
	Used       string  // by all agents, tokens and cost in words
	Events     []registry.Event
	Waiting    []Waiting
	// Compared are the names of those whose work was compared, each with each; the target is one of
	// them while the session continues.
	Compared []string
	Findings []conflict.Finding
	Tests    []Test
	// Gaps say in words what could not be read, and why.
	Gaps []string
}

// Agent is one agent: what the registry says of it, and what else there is to see.
type Agent struct {
	registry.Agent
	Elapsed time.Duration // working time
	Used    string        // tokens and cost in words, "" for none known
	Next    string        // what a person can type about it, "" for nothing
	Files   []File
	// Patch is the command that prints all of its changes.
	Patch    string
	Landings []Landing
	Block    string   // its last checkpoint block
	Summary  string   // what it said beside the block
	Differ   []string // claims that the evidence does not bear out
	Claims   []checkpoint.Row
	Breaches []string // changes outside of its scope
	Tail     string   // the end of what it printed
	Layers   []Layer  // what held it in
}

// Layer is one of the layers that hold an agent in.
type Layer struct{ Name, State, Detail string }

// Landing is one commit by which an agent's work came to the target, as the commit itself tells.
type Landing struct {
	Commit   string
	Digest   string // of what the yes was for
	Approved string // who said yes
	Override string // what was accepted with it, "" for nothing
}

// Waiting is one thing that a person has to decide.
type Waiting struct {
	Agent string // "": the whole session
	Since time.Time
	Text  string
	Next  string // what to type
}

// Test is one run of the verify commands whose result is known.
type Test struct {
	Of     string // what was tested, in words
	Result string // pass, fail, none or not_run
	Took   time.Duration
	Output string   // the end of what was printed
	Flaky  []string // sentences about commands that failed and then passed on the same tree
}
