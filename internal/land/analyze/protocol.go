package analyze

import (
	"encoding/gob"
	"errors"
	"io"
	"time"

	"delegate/change"
	"delegate/conflict"
)

// The protocol. Both ends are this very program, so it has no versions. Values follow each other as
// encoding/gob writes them, since paths are bytes and no text.
//
//	parent → child   request    pairs to compare, or two trees to search for cycles
//	child → parent   message    any number of these, each with one field but for At:
//	                   At alone     the child begins with a file or a package; nothing is answered
//	                   Read         ids of objects; an answer with the first of them, at least one, in that order
//	                   Ask          what a program that checks code is to look at; an answer with Report
//	                   Pair         what was found in the next pair, in the order of the request
//	                   Cycles       what was found in the two trees
//	                   Error        the request ends: something could not be read
//	parent → child   answer     with Error in place of all else if there is none
//
// A request is over with as many messages of Pair as it has pairs, with one of Cycles, or with
// Error. Then the next one can follow. The child ends when its standard input does.

// request is what the child is to do. Commits and trees are ids; the child reads all objects from
// the parent.
type request struct {
	Limit    time.Duration // of processor time for one step, 0 for none
	Memory   uint64        // bytes, which the first request sets
	Go       *conflict.GoOptions
	Programs []program // that the parent lets check, where something is suspected
	Sets     []set
	Pairs    []pair
	Cycles   *cycles
	// Ahead is how many pairs parsers and rules may be ahead of checkers.
	Ahead int
}

// silent requests are carried out without telling what comes next, which costs both processes a message for each file:
// where a child dies of one of many pairs, another is asked about the next pair by itself.
func (r request) silent() bool { return r.Ahead > 0 || len(r.Pairs) > 1 }

// program is a checker that the parent runs.
type program struct {
	Name    string
	Endings []string
	Untyped bool
}

// set is a side of pairs.
type set struct {
	Name, Base, Head string
	Known            bool // what it changed
	Files            []change.File
}

// pair is two of the sets and what git makes of them.
type pair struct {
	A, B      int
	Clean     bool
	Conflicts []conflict.PathConflict
	Fault     string // why git could not merge them
	Tree      string // "" for none
	Look      map[string][]string
	Landing   string // the tree that the merge becomes a part of, "" for none
}

// cycles are two trees and what differs between them.
type cycles struct {
	Before, After string
	Changes       []change.File
}

// message is what the child says.
type message struct {
	At     string // the file, or the folder of a package, that it is at
	Read   []string
	Ask    *question
	Pair   *Result
	Cycles *cycleList
	Error  string
}

// cycleList are cycles in a struct of their own, since gob sends no empty list.
type cycleList struct{ Found []conflict.Cycle }

// question is about one of the trees of the pair at hand.
type question struct {
	Program int
	Tree    treeOf
	Paths   []string
}

// treeOf tells the trees of a pair.
type treeOf int

const (
	ofMerge treeOf = iota
	ofA
	ofB
	ofLanding
)

// answer is what the parent says to Read and Ask.
type answer struct {
	Objects []object
	Report  conflict.Report
	Error   string
}

// object is one as git stores it.
type object struct {
	Data  []byte
	Kind  string
	Error string
}

// What is read in one go: so many objects, and as many of these as come to so many bytes.
const (
	mostAtOnce = 96
	bytesAhead = 4 << 20
)

// bytesKept is how many bytes of objects the child keeps that it has read.
const bytesKept = 16 << 20

// largestMessage bounds what the parent takes in one piece from a child, which what it reads may
// have in its power.
const largestMessage = 64 << 20

// errTooMuch says that a child sent more.
var errTooMuch = errors.New("it sent too much")

// listener decodes what a child sends.
type listener struct {
	from io.LimitedReader
	*gob.Decoder
}

func newListener(from io.Reader) *listener {
	l := &listener{from: io.LimitedReader{R: from}}
	l.Decoder = gob.NewDecoder(&l.from)
	return l
}

func (l *listener) next() (message, error) {
	var m message
	l.from.N = largestMessage
	err := l.Decode(&m)
	if err != nil && l.from.N <= 0 {
		err = errTooMuch
	}
	return m, err
}
