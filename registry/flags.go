package registry

import (
	"slices"
	"strings"
)

// FlagKind is the text with which a flag begins. A kind that ends in a space is followed by more text in Flag.Text; any
// other kind is the whole flag.
type FlagKind string

// The flags that delegate sets. FlagKind.Flag and Flag.Words have the meaning of each in words.
const (
	FlagOther FlagKind = "" // any other text, which a person wrote

	// Limits that a turn reached, and what the supervisor did.
	FlagTimeout        FlagKind = "timeout"
	FlagTimeoutNear    FlagKind = "timeout near"
	FlagTurnLimit      FlagKind = "turn limit"
	FlagTokenLimit     FlagKind = "token limit"
	FlagCostLimit      FlagKind = "cost limit"
	FlagBudgetNear     FlagKind = "budget near"
	FlagSessionBudget  FlagKind = "session budget"
	FlagViolationLimit FlagKind = "violation limit"
	FlagMemoryLimit    FlagKind = "memory limit: "                // number of processes killed, and the limit
	FlagProcessLimit   FlagKind = "process limit: "               // number of processes refused, and the limit
	FlagRateLimited    FlagKind = "rate limited until "           // a time, RFC 3339
	FlagWaits          FlagKind = "waits for its provider since " // a time, RFC 3339
	// Network faults: the time of the next turn, as in "TIME (2 of 3)"; and since when the program itself retries.
	FlagTriesAgainAt    FlagKind = "network fault, tries again at "
	FlagTriesAgainSince FlagKind = "network fault, its program tries again since "
	FlagNudged          FlagKind = "nudged"
	FlagStalled         FlagKind = "stalled"
	FlagUnwatched       FlagKind = "unwatched: " // why the supervisor could not read its worktree
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

	// Differences between what the agent claims and what git and the transcript show.
	FlagContradictory      FlagKind = "contradictory block"
	FlagContradictsBlock   FlagKind = "contradicts its last block: "
	FlagContradicted       FlagKind = "contradicts evidence"
	FlagOwnTestsFail       FlagKind = "its own tests fail"
	FlagUnreadCompletion   FlagKind = "completion.json could not be read: "
	FlagNoNewWork          FlagKind = "no new work"
	FlagNoChanges          FlagKind = "no changes"
	FlagManyFiles          FlagKind = "more files than its limit: " // the number of files, and the limit
	FlagMissingOutputs     FlagKind = "missing outputs: "
	FlagSnapshotIncomplete FlagKind = "snapshot incomplete: "
	FlagHistoryRewritten   FlagKind = "history rewritten"
	FlagHistoryUnread      FlagKind = "history not looked at: "

	// Decisions of people, and merges.
	FlagFocus      FlagKind = "focus"          // it starts before other agents
	FlagForced     FlagKind = "forced"         // a person set it to COMPLETE
	FlagIntegrated FlagKind = "integrated"     // its work is on the session's integration branch
	FlagTakenOver  FlagKind = "taken over by " // name of the person who works in its conversation instead of a turn
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
		FlagViolationLimit:  {true, "stopped: too many violations in one turn"},
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

// Flag is a remark about an agent and its work for a reviewer.
type Flag struct {
	Kind FlagKind // FlagOther for a text of a person
	Text string   // the text after Kind; the whole flag if Kind is FlagOther
}

// ParseFlag parses a flag of the registry. A text that begins with no known kind gives a Flag of kind FlagOther.
func ParseFlag(text string) Flag {
	for kind := range flagKinds() {
		if rest, ok := strings.CutPrefix(text, string(kind)); ok &&
			strings.HasSuffix(string(kind), " ") == (rest != "") {
			return Flag{kind, rest}
		}
	}
	return Flag{Text: text}
}

// Flag returns the flag of a kind without further text.
func (k FlagKind) Flag() Flag { return Flag{Kind: k} }

// String returns the flag as it is written in the registry and in JSON.
func (f Flag) String() string { return string(f.Kind) + f.Text }

// Words returns the flag as the command line prints it for people.
func (f Flag) Words() string { return flagKinds()[f.Kind].words + f.Text }

// MarshalText returns the same as String. The error is always nil.
func (f Flag) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText sets f to ParseFlag of the text. The error is always nil.
func (f *Flag) UnmarshalText(text []byte) error {
	*f = ParseFlag(string(text))
	return nil
}

// Flags are the flags of one agent, in the order in which they were set.
type Flags []Flag

// Has reports whether one of the flags is of the kind.
func (f Flags) Has(kind FlagKind) bool {
	return slices.ContainsFunc(f, func(flag Flag) bool { return flag.Kind == kind })
}

// Text returns the text of the first flag of the kind, "" if there is none.
func (f Flags) Text(kind FlagKind) string {
	for _, flag := range f {
		if flag.Kind == kind {
			return flag.Text
		}
	}
	return ""
}

// With returns a copy with the given flags appended, except those that are there already.
func (f Flags) With(added ...Flag) Flags {
	all := slices.Clone(f)
	for _, flag := range added {
		if !slices.Contains(all, flag) {
			all = append(all, flag)
		}
	}
	return all
}

// Waiting returns the kinds of flags that say that an agent's program waits for its provider or for the network.
func Waiting() []FlagKind {
	return []FlagKind{FlagRateLimited, FlagWaits, FlagTriesAgainAt, FlagTriesAgainSince}
}

// Waits reports whether one of the flags is of a kind of Waiting.
func (f Flags) Waits() bool {
	return slices.ContainsFunc(f, func(flag Flag) bool { return slices.Contains(Waiting(), flag.Kind) })
}

// Without returns a copy without the flags of the given kinds.
func (f Flags) Without(kinds ...FlagKind) Flags {
	return slices.DeleteFunc(slices.Clone(f), func(flag Flag) bool { return slices.Contains(kinds, flag.Kind) })
}

// AfterTurn returns a copy without the flags that are about one turn only and so do not apply to the next one.
func (f Flags) AfterTurn() Flags {
	return slices.DeleteFunc(slices.Clone(f), func(flag Flag) bool { return flagKinds()[flag.Kind].ofTurn })
}

// Texts returns the String of each flag. The result is never nil, so that it is [] in JSON.
func (f Flags) Texts() []string {
	texts := make([]string, len(f))
	for i, flag := range f {
		texts[i] = flag.String()
	}
	return texts
}

// String returns the Texts, joined with "; ".
func (f Flags) String() string { return strings.Join(f.Texts(), "; ") }

// Words returns the Words of each flag.
func (f Flags) Words() []string {
	words := make([]string, len(f))
	for i, flag := range f {
		words[i] = flag.Words()
	}
	return words
}
