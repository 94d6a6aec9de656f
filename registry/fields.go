package registry

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"delegate/scope"
)

// field is one value of T as it is printed: how it is named, written and read.
type field[T any] struct {
	name   string
	nested bool   // an item below the Scope line
	always bool   // printed even when it is zero
	zero   string // how a zero value that is always printed looks
	text   func(*T) string
	parse  func(*T, string) error
}

func (f field[T]) key() string {
	if f.nested {
		return "Scope." + f.name
	}
	return f.name
}

// byKey are the fields by their keys.
func byKey[T any](fields []field[T]) map[string]field[T] {
	known := make(map[string]field[T], len(fields))
	for _, f := range fields {
		known[f.key()] = f
	}
	return known
}

// print returns the value as written, and whether there is a line for it at all.
func (f field[T]) print(v *T) (string, bool) {
	text := f.text(v)
	if text == "" {
		return f.zero, f.always
	}
	if f.zero != "" && strings.EqualFold(text, f.zero) {
		text = fmt.Sprintf(`\u{%X}`, text[0]) + text[1:] // the word itself, not the zero value
	}
	return text, true
}

func (f field[T]) read(v *T, text string) error {
	if text == "" || f.zero != "" && strings.EqualFold(text, f.zero) {
		return nil
	}
	return f.parse(v, text)
}

func (f field[T]) shown(zero string) field[T] {
	f.always, f.zero = true, zero
	return f
}

func (f field[T]) below() field[T] {
	f.nested = true
	return f
}

// value is a field of type V with its way to print and to read it.
func value[T, V any](name string, at func(*T) *V, show func(V) string, parse func(string) (V, error)) field[T] {
	return field[T]{
		name: name,
		text: func(v *T) string { return show(*at(v)) },
		parse: func(v *T, s string) (err error) {
			*at(v), err = parse(s)
			return err
		},
	}
}

func text[T any](name string, at func(*T) *string) field[T] {
	return value(name, at, func(s string) string { return encode(s, "") },
		func(s string) (string, error) { return decode(s), nil })
}

func list[T any](name string, at func(*T) *[]string) field[T] {
	return value(name, at, encodeList, func(s string) ([]string, error) { return decodeList(s), nil })
}

// code is a list of globs, paths or commands, each printed as code, since Markdown would read their
// stars and underscores as emphasis. Items without backticks are read as well.
func code[T any](name string, at func(*T) *[]string) field[T] {
	return value(name, at, encodeCode, func(s string) ([]string, error) { return decodeList(s), nil })
}

// forbidden are globs of an agent, printed with those that every scope forbids. These are not read back
// where all of them are there: a person who lists some writes them as the agent's own.
func forbidden[T any](name string, at func(*T) *[]string) field[T] {
	always := scope.AlwaysForbiddenInShort()
	return value(name, at, func(own []string) string { return encodeCode(append(Without(own, always), always...)) },
		func(s string) ([]string, error) {
			globs := decodeList(s)
			if own := Without(globs, always); len(own) <= len(globs)-len(always) {
				return own, nil
			}
			return globs, nil
		})
}

func flags[T any](name string, at func(*T) *Flags) field[T] {
	return value(name, at, func(f Flags) string { return encodeList(f.Texts()) },
		func(s string) (all Flags, err error) {
			for _, item := range decodeList(s) {
				all = append(all, ParseFlag(item))
			}
			return all, nil
		})
}

// worktree is printed from the folder of all worktrees on, so that the record names no folder of one machine:
// by the agent's name, with a number for a later attempt, or as DEL-…/AGT-001/work, as it was before agents had names.
func worktree(name string) field[Agent] {
	f := text(name, func(a *Agent) *string { return &a.Worktree })
	f.text = func(a *Agent) string {
		parts := strings.Split(filepath.ToSlash(a.Worktree), "/")
		from := len(parts) - 1
		attempt, ofName := strings.CutPrefix(parts[from], a.Name+".")
		_, err := strconv.Atoi(attempt)
		switch {
		case parts[from] == a.Name || ofName && err == nil:
			return parts[from]
		case from > 2 && ValidSessionID(parts[from-2]) && validAgentID(parts[from-1]):
			return encode(strings.Join(parts[from-2:], "/"), "")
		}
		return encode(a.Worktree, "")
	}
	return f
}

func number[T any](name string, at func(*T) *int) field[T] {
	show := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	return value(name, at, show, func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return 0, fmt.Errorf("%q is not a count", s)
		}
		return n, nil
	})
}

func percent[T any](name string, at func(*T) **int) field[T] {
	show := func(n *int) string {
		if n == nil {
			return ""
		}
		return strconv.Itoa(*n) + "%"
	}
	return value(name, at, show, func(s string) (*int, error) {
		n, err := strconv.Atoi(strings.TrimSuffix(s, "%"))
		if err != nil || n < 0 || n > 100 {
			return nil, fmt.Errorf("%q is not a percentage", s)
		}
		return &n, nil
	})
}

func recorded[T any](name string, at func(*T) *Recorded) field[T] {
	const form = "%d of turn %d"
	show := func(r Recorded) string {
		if r == (Recorded{}) {
			return ""
		}
		return fmt.Sprintf(form, r.Count, r.Turn)
	}
	return value(name, at, show, func(s string) (r Recorded, err error) {
		if _, err := fmt.Sscanf(s, form, &r.Count, &r.Turn); err != nil || r.Count < 0 || r.Turn < 0 {
			return r, fmt.Errorf("%q is not a count like %q", s, "3 of turn 2")
		}
		return r, nil
	})
}

// cost reads what is no number as an unknown cost.
func cost[T any](name string, at func(*T) *Cost) field[T] {
	const estimated = "≈"
	show := func(c Cost) string {
		if c.USD <= 0 {
			return ""
		}
		text := strconv.FormatFloat(c.USD, 'f', 4, 64)
		if c.Estimated {
			text = estimated + text
		}
		return text
	}
	return value(name, at, show, func(s string) (c Cost, _ error) {
		number, is := strings.CutPrefix(s, estimated)
		if usd, err := strconv.ParseFloat(number, 64); err == nil {
			c = Cost{USD: usd, Estimated: is}
		}
		return c, nil
	})
}

func moment[T any](name string, at func(*T) *time.Time) field[T] {
	return value(name, at, formatTime, parseTime)
}

func span[T any](name string, at func(*T) *time.Duration) field[T] {
	return value(name, at, formatSpan, parseSpan)
}

func word[T any, S ~string](name string, at func(*T) *S, allowed ...S) field[T] {
	return field[T]{
		name: name,
		text: func(v *T) string { return string(*at(v)) },
		parse: func(v *T, s string) error {
			if !slices.Contains(allowed, S(s)) {
				return fmt.Errorf("%q is none of %v", s, allowed)
			}
			*at(v) = S(s)
			return nil
		},
	}
}

func yesNo[T any](name string, at func(*T) *bool) field[T] {
	return field[T]{
		name: name,
		text: func(v *T) string {
			if *at(v) {
				return "Yes"
			}
			return ""
		},
		parse: func(v *T, s string) error {
			*at(v) = strings.EqualFold(s, "yes")
			if !*at(v) {
				return fmt.Errorf("%q is neither Yes nor No", s)
			}
			return nil
		},
	}
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func parseTime(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is not a time like 2026-01-02T15:04:05Z", s)
	}
	return t.UTC().Truncate(time.Second), nil
}

// Whole seconds print as 3600s, whatever their number.
func formatSpan(d time.Duration) string {
	switch {
	case d == 0:
		return ""
	case d%time.Second == 0:
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	}
	return d.String()
}

func parseSpan(s string) (time.Duration, error) {
	if _, err := strconv.Atoi(s); err == nil {
		s += "s"
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration like 3600s or 1h30m", s)
	}
	return d, nil
}

// pendingSince begins the approval of an agent that nobody said yes to.
const pendingSince = "pending since "

// approval is printed as "NAME, TIME" or "pending since TIME"; a time has no comma.
func approval[T any](name string, at func(*T) *Approval) field[T] {
	show := func(a Approval) string {
		switch {
		case a.At.IsZero():
			return ""
		case a.Pending():
			return pendingSince + formatTime(a.At)
		}
		return encode(a.By+", "+formatTime(a.At), "")
	}
	return value(name, at, show, func(s string) (a Approval, err error) {
		when, waits := strings.CutPrefix(s, pendingSince)
		if comma := strings.LastIndex(s, ", "); comma > 0 {
			a.By, when = decode(s[:comma]), s[comma+2:]
		} else if !waits {
			return a, fmt.Errorf("%q is neither a name and a time nor %q and a time", s, pendingSince)
		}
		a.At, err = parseTime(when)
		return a, err
	})
}

// The fields of all that a registry holds, in the order in which they are printed, and the same by their keys. They are
// made once: a registry is parsed several times in each write.
var (
	sessionKeys = sync.OnceValue(func() map[string]field[Session] { return byKey(sessionFields()) })
	configKeys  = sync.OnceValue(func() map[string]field[Session] { return byKey(configFields()) })
	agentKeys   = sync.OnceValue(func() map[string]field[Agent] { return byKey(agentFields()) })
	statsKeys   = sync.OnceValue(func() map[string]field[Statistics] { return byKey(statsFields()) })
)

var sessionFields = sync.OnceValue(func() []field[Session] {
	type S = Session
	return []field[S]{
		text("Session ID", func(s *S) *string { return &s.ID }).shown(""),
		moment("Created", func(s *S) *time.Time { return &s.Created }).shown("-"),
		text("Parent Task", func(s *S) *string { return &s.ParentTask }).shown(""),
		text("Parent Agent", func(s *S) *string { return &s.ParentAgent }).shown(""),
		word("Status", func(s *S) *SessionStatus { return &s.Status },
			SessionActive, SessionMerging, SessionComplete, SessionAborted).shown(string(sessionNone)),
		text("Target", func(s *S) *string { return &s.Target }),
		text("Base", func(s *S) *string { return &s.Base }),
		text("Integration", func(s *S) *string { return &s.Integration }),
		text("Plan Approved", func(s *S) *string { return &s.PlanApproved }).shown("pending"),
		text("Paused", func(s *S) *string { return &s.Paused }),
		yesNo("Budget Used Up", func(s *S) *bool { return &s.BudgetUsedUp }),
		text("Final Tests", func(s *S) *string { return &s.FinalTests }),
	}
})

var configFields = sync.OnceValue(func() []field[Session] {
	type S = Session
	return []field[S]{
		number("Max Parallel Agents", func(s *S) *int { return &s.MaxParallel }).shown("0"),
		span("Agent Timeout", func(s *S) *time.Duration { return &s.AgentTimeout }).shown("0s"),
		yesNo("Human Approval Required", func(s *S) *bool { return &s.HumanApproval }).shown("No"),
		span("Checkpoint Interval", func(s *S) *time.Duration { return &s.CheckpointInterval }).shown("0s"),
		text("Supervision", func(s *S) *string { return &s.Supervision }),
		text("Dependencies", func(s *S) *string { return &s.Dependencies }),
		code("Verify", func(s *S) *[]string { return &s.Verify }),
		text("Budget Added", func(s *S) *string { return &s.BudgetAdded }),
		text("Sandbox", func(s *S) *string { return &s.Sandbox }),
		text("Approval", func(s *S) *string { return &s.Approval }),
	}
})

var agentFields = sync.OnceValue(func() []field[Agent] {
	type A = Agent
	return append([]field[A]{
		text("Subtask", func(a *A) *string { return &a.Subtask }).shown(""),
		word("Status", func(a *A) *Status { return &a.Status }, statuses()...).shown(""),
		{name: "Scope", always: true, text: func(*A) string { return "" },
			parse: func(*A, string) error { return nil }},
		code("Allowed", func(a *A) *[]string { return &a.Allowed }).below().shown("None"),
		forbidden("Forbidden", func(a *A) *[]string { return &a.Forbidden }).below().shown("None"),
		moment("Spawned", func(a *A) *time.Time { return &a.Spawned }).shown("-"),
		moment("Last Activity", func(a *A) *time.Time { return &a.LastActivity }).shown("-"),
		number("Checkpoints", func(a *A) *int { return &a.Checkpoints }).shown("0"),
		text("Output", func(a *A) *string { return &a.Output }).shown("pending"),
		value("Name", func(a *A) *string { return &a.Name }, strings.Clone, readName),
		moment("Last Checkpoint", func(a *A) *time.Time { return &a.LastCheckpoint }),
		percent("Progress", func(a *A) **int { return &a.Progress }),
		text("Question", func(a *A) *string { return &a.Question }),
		text("Summary", func(a *A) *string { return &a.Summary }),
		text("Commit Subject", func(a *A) *string { return &a.CommitSubject }),
		code("Refused", func(a *A) *[]string { return &a.Refused }),
		code("Refused Calls", func(a *A) *[]string { return &a.RefusedCalls }),
		recorded("Blocks Recorded", func(a *A) *Recorded { return &a.Blocks }),
		number("Attempt", func(a *A) *int { return &a.Attempt }),
		number("Turns", func(a *A) *int { return &a.Turns }),
		number("Respawns", func(a *A) *int { return &a.Respawns }),
		text("Agent Program", func(a *A) *string { return &a.Profile }),
		text("Type", func(a *A) *string { return &a.Type }),
		text("Complexity", func(a *A) *string { return &a.Complexity }),
		text("Description", func(a *A) *string { return &a.Description }),
		text("Context", func(a *A) *string { return &a.Context }),
		list("Dependencies", func(a *A) *[]string { return &a.Dependencies }),
		code("Expected Outputs", func(a *A) *[]string { return &a.ExpectedOutputs }),
		text("Task", func(a *A) *string { return &a.Task }),
		text("Branch", func(a *A) *string { return &a.Branch }),
		text("Base", func(a *A) *string { return &a.Base }),
		text("Head", func(a *A) *string { return &a.Head }),
		worktree("Worktree"),
		code("Files Modified", func(a *A) *[]string { return &a.FilesModified }),
		code("Renamed From", func(a *A) *[]string { return &a.RenamedFrom }),
		number("Insertions", func(a *A) *int { return &a.Insertions }),
		number("Deletions", func(a *A) *int { return &a.Deletions }),
		text("Tests", func(a *A) *string { return &a.Tests }),
		number("Violations", func(a *A) *int { return &a.Violations }),
		recorded("Turn Violations", func(a *A) *Recorded { return &a.TurnViolations }),
		number("Errors", func(a *A) *int { return &a.Errors }),
		flags("Flags", func(a *A) *Flags { return &a.Flags }),
		text("Last Error", func(a *A) *string { return &a.LastError }),
		span("Run Time", func(a *A) *time.Duration { return &a.RunTime }),
		span("Extended", func(a *A) *time.Duration { return &a.Extended }),
		moment("Running Since", func(a *A) *time.Time { return &a.RunningSince }),
		number("Tokens", func(a *A) *int { return &a.Tokens }),
		number("Cached Tokens", func(a *A) *int { return &a.CachedTokens }),
		number("Output Tokens", func(a *A) *int { return &a.OutputTokens }),
		cost("Cost", func(a *A) *Cost { return &a.Cost }),
		text("Merge Commit", func(a *A) *string { return &a.MergeCommit }),
		text("Merged Onto", func(a *A) *string { return &a.MergedOnto }),
		text("Rolled Back", func(a *A) *string { return &a.RolledBack }),
		text("Signed", func(a *A) *string { return &a.Signed }),
		text("Supervision", func(a *A) *string { return &a.Supervision }),
		list("Accepted Violations", func(a *A) *[]string { return &a.AcceptedViolations }),
	}, slices.Concat(choiceFields(), addedFields(), requestFields())...)
})

// choiceFields are what its subtask chooses for an agent's program.
func choiceFields() []field[Agent] {
	type A = Agent
	return []field[A]{
		text("Model", func(a *A) *string { return &a.Model }),
		text("Effort", func(a *A) *string { return &a.Effort }),
		text("On", func(a *A) *string { return &a.On }),
		text("Budget", func(a *A) *string { return &a.Budget }),
		text("Budget Added", func(a *A) *string { return &a.BudgetAdded }),
	}
}

// addedFields are those of an agent that joined a session.
func addedFields() []field[Agent] {
	type A = Agent
	return []field[A]{
		moment("Added", func(a *A) *time.Time { return &a.Added }),
		approval("Approval", func(a *A) *Approval { return &a.Approval }),
		text("Best Of", func(a *A) *string { return &a.BestOf }),
	}
}

// requestFields are those of an agent's pull request.
func requestFields() []field[Agent] {
	type A = Agent
	return []field[A]{
		text("Pull Request", func(a *A) *string { return &a.PullRequest.URL }),
		text("Pull Request Remote", func(a *A) *string { return &a.PullRequest.Remote }),
		text("Pull Request Branch", func(a *A) *string { return &a.PullRequest.Branch }),
		text("Pull Request Base", func(a *A) *string { return &a.PullRequest.Base }),
		word("Pull Request State", func(a *A) *PullRequestState { return &a.PullRequest.State }, PullRequestOpen,
			PullRequestMerged, PullRequestClosed),
		text("Pull Request Head", func(a *A) *string { return &a.PullRequest.Head }),
		text("Pull Request Of", func(a *A) *string { return &a.PullRequest.Of }),
	}
}

var statsFields = sync.OnceValue(func() []field[Statistics] {
	type S = Statistics
	return []field[S]{
		number("Sessions", func(s *S) *int { return &s.Sessions }).shown("0"),
		number("Agents", func(s *S) *int { return &s.Agents }).shown("0"),
		number("Merged", func(s *S) *int { return &s.Merged }).shown("0"),
		number("Failed", func(s *S) *int { return &s.Failed }).shown("0"),
		number("Aborted", func(s *S) *int { return &s.Aborted }).shown("0"),
		number("Rolled Back", func(s *S) *int { return &s.RolledBack }).shown("0"),
		number("Conflicts", func(s *S) *int { return &s.Conflicts }).shown("0"),
		number("Violations", func(s *S) *int { return &s.Violations }).shown("0"),
	}
})
