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
	FlagTimeout        FlagKind = "timeout"
	FlagTimeoutNear    FlagKind = "timeout near"
	FlagTurnLimit      FlagKind = "turn limit"
	FlagTokenLimit     FlagKind = "token limit"
	FlagCostLimit      FlagKind = "cost limit"
	FlagBudgetNear     FlagKind = "budget near"
	FlagSessionBudget  FlagKind = "session budget"
	FlagViolationLimit FlagKind = "violation limit"
	FlagMemoryLimit    FlagKind = "memory limit: "                // how many processes were killed at which memory
	FlagProcessLimit   FlagKind = "process limit: "               // how many were refused at which number
	FlagRateLimited    FlagKind = "rate limited until "           // the time, RFC 3339
	FlagWaits          FlagKind = "waits for its provider since " // the same
	// Faults of the network: when its next turn begins, as in "TIME (2 of 3)"; or since when its program tries again.
	FlagTriesAgainAt    FlagKind = "network fault, tries again at "
	FlagTriesAgainSince FlagKind = "network fault, its program tries again since "
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
	FlagWentOn       FlagKind = "went on after its last block"
	FlagUnreadBlock  FlagKind = "block could not be read: " // line and reason

	// What the agent claims, held against what is there.
	FlagContradictory      FlagKind = "contradictory block"
	FlagContradictsBlock   FlagKind = "contradicts its last block: "
	FlagContradicted       FlagKind = "contradicts evidence"
	FlagOwnTestsFail       FlagKind = "its own tests fail"
	FlagUnreadCompletion   FlagKind = "completion.json could not be read: "
	FlagNoNewWork          FlagKind = "no new work"
	FlagNoChanges          FlagKind = "no changes"
	FlagManyFiles          FlagKind = "more files than its limit: " // how many of how many
	FlagMissingOutputs     FlagKind = "missing outputs: "
	FlagSnapshotIncomplete FlagKind = "snapshot incomplete: "
	FlagHistoryRewritten   FlagKind = "history rewritten"
	FlagHistoryUnread      FlagKind = "history not looked at: "

	// What people and the landing decided.
	FlagFocus      FlagKind = "focus"      // it gets the next free slot
	FlagForced     FlagKind = "forced"     // a person called it complete
	FlagIntegrated FlagKind = "integrated" // its work is on the session's integration branch
	// a person, who is named, works in its conversation, in the place of a turn of its own
	FlagTakenOver FlagKind = "taken over by "
)

// flagKind is what there is to know of a kind.
type flagKind struct {
	ofTurn bool   // flags of the kind speak of one turn and are gone with the next
	words  string // for people; the flag's text follows where the kind has one
}

// flagKinds lists every kind but FlagOther.
func flagKinds() map[FlagKind]flagKind {
	return map[FlagKind]flagKind{
		FlagTimeout:         {true, "stopped: its time is up"},
		FlagTimeoutNear:     {true, "time is nearly up"},
		FlagTurnLimit:       {true, "stopped: turn limit reached"},
		FlagTokenLimit:      {true, "stopped: its budget of tokens is used up"},
		FlagCostLimit:       {true, "stopped: its budget is used up"},
		FlagBudgetNear:      {true, "its budget is nearly used up"},
		FlagSessionBudget:   {true, "stopped: the session's budget is used up"},
		FlagViolationLimit:  {true, "stopped: too many writes outside its scope"},
		FlagMemoryLimit:     {true, "met its limit of memory: "},
		FlagProcessLimit:    {true, "met its limit of processes: "},
		FlagRateLimited:     {true, "waits for its provider until "},
		FlagWaits:           {true, "waits for its provider since "},
		FlagTriesAgainAt:    {true, "network fault, tries again at "},
		FlagTriesAgainSince: {true, "network fault, its program tries again since "},
		FlagNudged:          {true, "quiet; asked for a sign of life"},
		FlagStalled:         {true, "stalled"},
		FlagUnwatched:       {true, "its work cannot be looked at: "},
		FlagUnguarded:       {false, "its program uses tools without asking the hook"},
		FlagOverdue:         {false, "checkpoint overdue"},
		FlagCorrectionAsked: {false, "asked again for its report"},

		FlagDidNotEnd:    {true, "did not end by itself"},
		FlagInterrupted:  {true, "interrupted"},
		FlagExitStatus:   {true, "exited with status "},
		FlagEndedBy:      {true, "killed by signal "},
		FlagResponseLost: {true, "no final report"},
		FlagWentOn:       {true, "went on after its report"},
		FlagUnreadBlock:  {true, "its report could not be read: "},

		FlagContradictory:      {true, "its report contradicts itself"},
		FlagContradictsBlock:   {true, "completion.json and its last report differ: "},
		FlagContradicted:       {true, "claims differ from the diff"},
		FlagOwnTestsFail:       {true, "says that its own tests fail"},
		FlagUnreadCompletion:   {true, "completion.json could not be read: "},
		FlagNoNewWork:          {true, "nothing changed in its last turn"},
		FlagNoChanges:          {true, "no changes"},
		FlagManyFiles:          {true, "changes more files than its limit: "},
		FlagMissingOutputs:     {true, "expected files are missing: "},
		FlagSnapshotIncomplete: {true, "some of its files could not be saved: "},
		FlagHistoryRewritten:   {true, "rewrote its history"},
		FlagHistoryUnread:      {true, "its history could not be read: "},

		FlagFocus:      {false, "goes next"},
		FlagForced:     {false, "marked done by a person"},
		FlagIntegrated: {false, "on the integration branch"},
		FlagTakenOver:  {true, "taken over by "},
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

// Words is the flag as people read it.
func (f Flag) Words() string { return flagKinds()[f.Kind].words + f.Text }

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

// Text returns what follows the kind in the first flag of it, "" if there is none.
func (f Flags) Text(kind FlagKind) string {
	for _, flag := range f {
		if flag.Kind == kind {
			return flag.Text
		}
	}
	return ""
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

// Waiting are the kinds of flags of an agent whose program waits for its provider or for the network.
func Waiting() []FlagKind {
	return []FlagKind{FlagRateLimited, FlagWaits, FlagTriesAgainAt, FlagTriesAgainSince}
}

// Waits reports whether the agent's program waits for its provider or for the network.
func (f Flags) Waits() bool {
	return slices.ContainsFunc(f, func(flag Flag) bool { return slices.Contains(Waiting(), flag.Kind) })
}

// Without returns the flags that are of none of the kinds.
func (f Flags) Without(kinds ...FlagKind) Flags {
	return slices.DeleteFunc(slices.Clone(f), func(flag Flag) bool { return slices.Contains(kinds, flag.Kind) })
}

// AfterTurn returns the flags that outlive the turn in which they were set.
func (f Flags) AfterTurn() Flags {
	return slices.DeleteFunc(slices.Clone(f), func(flag Flag) bool { return flagKinds()[flag.Kind].ofTurn })
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

// Words returns the flags as people read them.
func (f Flags) Words() []string {
	words := make([]string, len(f))
	for i, flag := range f {
		words[i] = flag.Words()
	}
	return words
}
