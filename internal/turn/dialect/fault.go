package dialect

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"delegate/internal/text/lazyregexp"
)

// Fault says what a failure is about, where its words tell. No program has a code for it in what it prints.
type Fault int

// The faults.
const (
	// OtherFault is any that is none of the others.
	OtherFault Fault = iota
	// ProviderLimit is a pause that the provider wants.
	ProviderLimit
	// EmptyAccount has nothing left, and no pause mends that.
	EmptyAccount
	// NoLogin is a login or a key that is missing or refused.
	NoLogin
	// NoModel is a model that the provider does not have, or not for this account.
	NoModel
	// Passing is a fault of the network or of the provider's servers.
	Passing
)

// FaultOf is what the words of a failure are about.
func FaultOf(reason string) Fault {
	words := strings.ToLower(reason)
	has := func(list ...string) bool {
		return slices.ContainsFunc(list, func(one string) bool { return strings.Contains(words, one) })
	}
	switch {
	// Providers answer so with the status of a limit; one that names when to try again means a limit, whatever its
	// words.
	case has("insufficient_quota", "check your plan and billing", "credit balance", "insufficient credits",
		"insufficient balance", "insufficient funds", "out of credits", "no credits", "payment required",
		"billing_hard_limit", "billing hard limit", "billing_not_active", "spending limit", "credits are depleted") &&
		!retryAfter.MatchString(reason):
		return EmptyAccount
	case has("rate limit", "rate_limit", "usage limit", "too many requests", "429", "resource_exhausted", "quota"):
		return ProviderLimit
	case has("log in", "login", "logged in", "unauthorized", "authenticat", "api key", "api-key", "api_key",
		"permission_denied") || refusedStatus.MatchString(reason):
		return NoLogin
	case missingModel.MatchString(reason):
		return NoModel
	case has("econn", "etimedout", "epipe", "enotfound", "eai_again", "enetunreach", "ehostunreach", "getaddrinfo",
		"name resolution", "dns", "connection error", "connection lost", "connection was lost", "connection reset",
		"connection refused", "connectionrefused", "connection closed", "connection was closed",
		"connection terminated", "connection to the api", "cannot connect", "unable to connect", "could not connect",
		"fetch failed", "socket hang up", "socket connection", "error sending request",
		"stream disconnected", "stream closed", "stream error", "stream ended without", "premature close",
		"request timed out", "timed out", "timeout", "network error", "transport error", "overloaded",
		"internal server error", "internal_server_error", "server_error", "bad gateway", "service unavailable",
		"an error occurred while processing your request") || serverStatus.MatchString(reason) ||
		cutAnswer.MatchString(reason):
		return Passing
	}
	return OtherFault
}

var (
	// retryAfter is a pause that the words of a failure name, in seconds.
	retryAfter    = lazyregexp.New(`(?i)\b(?:re)?try (?:again )?(?:after|in) (\d{1,7}(?:\.\d+)?)\s*s`)
	refusedStatus = lazyregexp.New(`\b(401|403)\b`)
	serverStatus  = lazyregexp.New(`\b(500|502|503|504|52\d)\b`)
	cutAnswer     = lazyregexp.New(`(?:^|: )terminated(?:\W*$| \(cause)`) // of programs on node
	missingModel  = lazyregexp.New(`(?i)\bmodel_not_found\b|\bselected model\b.*\bmay not exist\b|` +
		`\bmodels?\b.{0,80}\b(?:(?:does|do) not exist|not found)\b|\bnot_found_error\b.*\bmodel:`)
	// inner are the words in an answer of a provider that a program tells as it came.
	inner = lazyregexp.New(`\{.*"message"\s*:\s*"((?:[^"\\]|\\.)+)"`)
)

// gaveUp is a failure, and a limit if the words say that it is one.
func (d *Decoder) gaveUp(reason string) []Event {
	failed := Event{Kind: Failed, Text: innerWords(reason), Fault: FaultOf(reason)}
	if failed.Fault != ProviderLimit {
		return []Event{failed}
	}
	limited := Event{Kind: Limited, Text: failed.Text, Fault: ProviderLimit}
	if m := retryAfter.FindStringSubmatch(reason); m != nil {
		if seconds, err := strconv.ParseFloat(m[1], 64); err == nil {
			limited.Until = d.now().Add(time.Duration(seconds * float64(time.Second)))
		}
	}
	return []Event{limited, failed}
}

// innerWords are the words in a provider's answer that a program tells as it came, else all of them.
func innerWords(reason string) string {
	if m := inner.FindStringSubmatch(reason); m != nil {
		return m[1]
	}
	return reason
}

// triesAgain is what a program says while it tries again by itself. A refused login will be refused again, and an empty
// account stays so.
func triesAgain(reason string, fault Fault, until time.Time) []Event {
	switch fault {
	case ProviderLimit, Passing:
		return []Event{{Kind: Limited, Text: reason, Fault: fault, Until: until}}
	case NoLogin, EmptyAccount:
		return []Event{{Kind: Failed, Text: innerWords(reason), Fault: fault}}
	}
	return nil
}

// codexError reads a line that codex prints while it tries again, or before it gives up.
func (d *Decoder) codexError(reason string) []Event {
	if !strings.HasPrefix(reason, "Reconnecting") {
		return d.gaveUp(reason)
	}
	if m := reconnecting.FindStringSubmatch(reason); m != nil {
		reason = m[1]
	}
	return triesAgain(reason, FaultOf(reason), time.Time{})
}

// reconnecting has what codex says of its reason.
var reconnecting = lazyregexp.New(`^Reconnecting\W+\d+/\d+ \((.+)\)$`)
