package registry

import (
	"slices"
	"strings"
)

// FlagKind says what a flag is about, by the words that it begins with.
// A kind that ends in a blank is followed by a text; any other kind is the whole flag.
type FlagKind string

// The flags that the tool sets. Other texts, which people write, have the kind FlagOther.
const (
	FlagOther FlagKind = ""

	// Limits that stopped a turn, and what supervision did about one.
	FlagTimeout         FlagKind = "timeout"
	FlagTimeoutNear     FlagKind = "timeout near"
	FlagTurnLimit       FlagKind = "turn limit"
	FlagTokenLimit      FlagKind = "token limit"
	FlagViolationLimit  FlagKind = "violation limit"
	FlagRateLimited     FlagKind = "rate limited until " // the time, RFC 3339
	FlagNudged          FlagKind = "nudged"
	FlagStalled         FlagKind = "stalled"
	FlagUnwatched       FlagKind = "unwatched: " // why its work could not be looked at
	FlagUnguarded       FlagKind = "unguarded"
	FlagOverdue         FlagKind = "checkpoint overdue"
	FlagCorrectionAsked FlagKind = "correction asked"

	// How the turn ended.
	FlagDidNotEnd    FlagKind = "did not end by itself"
	FlagInterrupted  FlagKind = "interrupted"
	FlagExitStatus   FlagKind = "exit status "     // the number
	FlagEndedBy      FlagKind = "ended by signal " // the signal's name
	FlagResponseLost FlagKind = "response lost"

	// What the agent claims, held against what is there.
	FlagContradictory      FlagKind = "contradictory block"
	FlagContradictsBlock   FlagKind = "contradicts its last block: "
	FlagContradicted       FlagKind = "contradicts evidence"
	FlagUnreadCompletion   FlagKind = "completion.json could not be read: "
	FlagNoNewWork          FlagKind = "no new work"
	FlagNoChanges          FlagKind = "no changes"
	FlagMissingOutputs     FlagKind = "missing outputs: "
	FlagSnapshotIncomplete FlagKind = "snapshot incomplete: "
	FlagHistoryRewritten   FlagKind = "history rewritten"
	FlagHistoryUnread      FlagKind = "history not looked at: "

	// What people and the landing decided.
	FlagFocus      FlagKind = "focus"      // it gets the next free slot
	FlagForced     FlagKind = "forced"     // a person called it complete
	FlagIntegrated FlagKind = "integrated" // its work is on the session's integration branch
)

// flagKinds lists every kind but FlagOther; the value says whether flags of the kind speak of one
// turn and are gone with the next.
func flagKinds() map[FlagKind]bool {
	return map[FlagKind]bool{
		FlagTimeout: true, FlagTimeoutNear: true, FlagTurnLimit: true, FlagTokenLimit: true,
		FlagViolationLimit: true, FlagRateLimited: true, FlagNudged: true, FlagStalled: true,
		FlagUnwatched: true, FlagUnguarded: false, FlagOverdue: false, FlagCorrectionAsked: false,

		FlagDidNotEnd: true, FlagInterrupted: true, FlagExitStatus: true, FlagEndedBy: true, FlagResponseLost: true,

		FlagContradictory: true, FlagContradictsBlock: true, FlagContradicted: true, FlagUnreadCompletion: true,
		FlagNoNewWork: true, FlagNoChanges: true, FlagMissingOutputs: true, FlagSnapshotIncomplete: true,
		FlagHistoryRewritten: true, FlagHistoryUnread: true,

		FlagFocus: false, FlagForced: false, FlagIntegrated: false,
	}
}

// Flag is one thing that a reviewer should know of an agent and its work.
type Flag struct {
	Kind FlagKind
	Text string // what follows the kind's words; the whole flag if the kind is FlagOther
}

// ParseFlag reads a flag as it stands in the registry. A text of no known kind is kept as it is.
func ParseFlag(text string) Flag {
	for kind := range flagKinds() {
		if rest, ok := strings.CutPrefix(text, string(kind)); ok &&
			strings.HasSuffix(string(kind), " ") == (rest != "") {
			return Flag{kind, rest}
		}
	}
	return Flag{Text: text}
}

// Flag is the flag of a kind that is followed by no text.
func (k FlagKind) Flag() Flag { return Flag{Kind: k} }

// String is the flag as it stands in the registry and in answers.
func (f Flag) String() string { return string(f.Kind) + f.Text }

// MarshalText prints the flag in JSON as String does.
func (f Flag) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText reads what MarshalText printed.
func (f *Flag) UnmarshalText(text []byte) error {
	*f = ParseFlag(string(text))
	return nil
}

// Flags are those of one agent, in the order in which they were set.
type Flags []Flag

// Has reports whether one of the flags is of the kind.
func (f Flags) Has(kind FlagKind) bool {
	return slices.ContainsFunc(f, func(flag Flag) bool { return flag.Kind == kind })
}

// With returns the flags and those that are added; what is there already is not repeated.
func (f Flags) With(added ...Flag) Flags {
	all := slices.Clone(f)
	for _, flag := range added {
		if !slices.Contains(all, flag) {
			all = append(all, flag)
		}
	}
	return all
}

// Without returns the flags that are of none of the kinds.
func (f Flags) Without(kinds ...FlagKind) Flags {
	return slices.DeleteFunc(slices.Clone(f), func(flag Flag) bool { return slices.Contains(kinds, flag.Kind) })
}

// AfterTurn returns the flags that outlive the turn in which they were set.
func (f Flags) AfterTurn() Flags {
	return slices.DeleteFunc(slices.Clone(f), func(flag Flag) bool { return flagKinds()[flag.Kind] })
}

// Texts returns the flags as they stand in the registry, never nil.
func (f Flags) Texts() []string {
	texts := make([]string, len(f))
	for i, flag := range f {
		texts[i] = flag.String()
	}
	return texts
}

// String joins the flags for a line of text.
func (f Flags) String() string { return strings.Join(f.Texts(), "; ") }
