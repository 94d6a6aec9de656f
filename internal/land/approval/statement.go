// Package approval is a person's yes as a signature: what is signed, by which key, and whether a signature holds.
//
// The keys are those with which git signs: user.signingkey, gpg.ssh.allowedSignersFile and gpg.ssh.program, read from
// the person's and the system's configuration only, since a repository's own can be written by whoever works in it.
package approval

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Operation is what a person says yes to.
type Operation string

// The operations.
const (
	Landing     Operation = "landing"
	Rollback    Operation = "rollback"
	PullRequest Operation = "pull-request"
)

// Statement is what a person signs.
type Statement struct {
	Operation Operation
	Session   string
	Agents    []string // ids, in the order in which they are merged
	Target    string   // the branch, in short
	Commit    string   // the target's before it
	Tree      string   // that the target is to have, "" where nothing but the record changes
	Digest    string   // of the candidate
	Time      time.Time
}

// names are the words of a statement, in their order.
func names() []string {
	return []string{"operation", "session", "agents", "target", "commit", "tree", "digest", "time"}
}

// timeForm is how the time is written, in UTC.
const timeForm = "2006-01-02T15:04:05Z"

// String is the one line that is signed, with a line break behind it. No value has a blank: references, ids and
// names of objects have none.
func (s Statement) String() string {
	values := []string{string(s.Operation), s.Session, strings.Join(s.Agents, ","), s.Target, s.Commit, s.Tree,
		s.Digest, s.Time.UTC().Format(timeForm)}
	words := make([]string, len(values))
	for i, name := range names() {
		words[i] = name + "=" + values[i]
	}
	return strings.Join(words, " ")
}

// Same reports whether two statements say the same, whenever that was.
func (s Statement) Same(other Statement) bool {
	s.Time = other.Time
	return s.String() == other.String()
}

// parse takes a signed statement apart. What it answers prints as the very text again.
func parse(signed string) (s Statement, signature string, err error) {
	words := strings.Split(signed, " ")
	if len(words) != len(names())+1 {
		return s, "", fmt.Errorf("%.80q is no signed statement", signed)
	}
	values := make([]string, len(names()))
	for i, name := range names() {
		value, found := strings.CutPrefix(words[i], name+"=")
		if !found {
			return s, "", fmt.Errorf("a signed statement has %q where its %s belongs", words[i], name)
		}
		values[i] = value
	}
	s = Statement{Operation: Operation(values[0]), Session: values[1], Agents: strings.Split(values[2], ","),
		Target: values[3], Commit: values[4], Tree: values[5], Digest: values[6]}
	if s.Time, err = time.Parse(timeForm, values[7]); err != nil {
		return s, "", fmt.Errorf("the time of a signed statement: %w", err)
	}
	text := strings.Join(words[:len(names())], " ")
	if s.String() != text || !slices.Contains([]Operation{Landing, Rollback, PullRequest}, s.Operation) {
		return s, "", fmt.Errorf("%.80q is no statement as it is written", text)
	}
	return s, words[len(names())], nil
}
