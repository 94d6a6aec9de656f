package project

import (
	"strings"

	"delegate/internal/text/lazyregexp"
)

// Overridden stands in the trailer of a landing whose failing tests a person accepted.
const Overridden = "failing tests accepted"

// Said is what the trailers of a landing's commit say of it.
type Said struct {
	Digest   string // of what was approved, or how it begins
	Approved string // who approved it
	Override string // what was accepted with it, "" for nothing
}

// ofLandings are lines in the form of a landing's trailers, those before version 0.2 among them.
var ofLandings = lazyregexp.New(`(?im)^[ \t]*(approved-by|delegate-[a-z]+)[ \t]*:.*\n?`)

// WithoutTrailers is an agent's message of a commit without what says, in a landing's form, who approved it.
func WithoutTrailers(message string) string {
	return ofLandings.ReplaceAllString(message, "")
}

// ReadTrailers reads the block that ends a message, so that an agent's words above it count for nothing. It knows
// the trailers of landings before version 0.2 too, each of which had one for every fact.
func ReadTrailers(message string) Said {
	message = strings.TrimSpace(message)
	last := map[string]string{}
	for line := range strings.SplitSeq(message[strings.LastIndex(message, "\n\n")+1:], "\n") {
		name, value, _ := strings.Cut(line, ": ")
		last[name] = strings.TrimSpace(value)
	}
	said := Said{Digest: last["Delegate-Digest"], Approved: last["Approved-by"], Override: last["Delegate-Override"]}
	_, facts, _ := strings.Cut(last["Delegate-Agent"], " (")
	for fact := range strings.SplitSeq(strings.TrimSuffix(facts, ")"), ", ") {
		if digest, is := strings.CutPrefix(fact, "digest "); is {
			said.Digest = digest
		}
		if fact == Overridden {
			said.Override = fact
		}
	}
	return said
}
