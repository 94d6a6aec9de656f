package scope

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Reason says why a path is allowed or not.
type Reason int

// The values of Verdict.Reason. The zero Reason is none of them.
const (
	// Allowed: an allowed pattern matches, and no rule forbids the path.
	Allowed Reason = iota + 1
	// Forbidden: one of the scope's forbidden patterns matches.
	Forbidden
	// ForbiddenAlways: a pattern of AlwaysForbidden or of Config.Manager matches.
	ForbiddenAlways
	// OutsideScope: no allowed pattern matches.
	OutsideScope
	// OutsideRoots: an allowed pattern matches, but no root does.
	OutsideRoots
	// BadPath: CleanPath refuses the path.
	BadPath
)

var reasonNames = [...]string{
	Allowed:         "allowed",
	Forbidden:       "forbidden",
	ForbiddenAlways: "always forbidden",
	OutsideScope:    "outside the scope",
	OutsideRoots:    "outside the allowed roots",
	BadPath:         "bad path",
}

// String returns the reason in lower-case words, "undecided" for the zero Reason.
func (r Reason) String() string {
	if r < Allowed || r > BadPath {
		return "undecided"
	}
	return reasonNames[r]
}

// MarshalText returns the same words as String. The error is always nil.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Verdict is the result of Scope.Check for one path. The zero Verdict does not allow it.
type Verdict struct {
	// Allowed says whether the path may be written. The other fields say why.
	Allowed bool
	// Pattern is the pattern that decided, as written: the forbidden one, or else the allowed one, also if the path is
	// then outside of the roots. It is empty if no pattern matched.
	Pattern string
	// Reason is the rule that decided.
	Reason Reason

	detail string // the patterns that did not match, or what is wrong with the path
}

// String returns the verdict as a predicate about the path, such as
//
//	forbidden by "src/legacy/**"
//	outside the scope (allowed: src/limit/**, tests/limit/**)
func (v Verdict) String() string {
	switch v.Reason {
	case Allowed, Forbidden, ForbiddenAlways:
		return fmt.Sprintf("%v by %q", v.Reason, v.Pattern)
	case OutsideScope:
		return fmt.Sprintf("%v (allowed: %s)", v.Reason, v.detail)
	case OutsideRoots:
		return fmt.Sprintf("%v (%s)", v.Reason, v.detail)
	case BadPath:
		return fmt.Sprintf("%v (%s)", v.Reason, v.detail)
	}
	return v.Reason.String()
}

// WarningKind says what a warning is about.
type WarningKind int

// The values of Warning.Kind.
const (
	// TooBroad: the scope allows a whole top-level folder and nothing else.
	TooBroad WarningKind = iota + 1
	// UselessForbidden: a forbidden pattern matches no path that an allowed pattern matches.
	UselessForbidden
	// WhollyForbidden: every path that an allowed pattern matches is forbidden or outside of the roots.
	WhollyForbidden
)

// Warning describes something in a valid scope that its author probably did not intend.
type Warning struct {
	Kind WarningKind // what the warning is about
	// Pattern is the pattern as written. For TooBroad it is all allowed patterns, separated by ", ".
	Pattern string
	// Message is a predicate about the pattern, without a full stop.
	Message string
}

// String returns the quoted pattern and the message.
func (w Warning) String() string { return fmt.Sprintf("%q %s", w.Pattern, w.Message) }

// Warnings returns what its author probably did not intend, sorted by kind, then in the order of the patterns.
// Where the search for a matching path exceeds its limit of steps, there is no warning.
func (s *Scope) Warnings() []Warning {
	var out []Warning
	if s.isWholeFolder() {
		out = append(out, Warning{
			Kind: TooBroad, Pattern: list(s.allowed),
			Message: "is a whole top-level folder; name the parts of it that the task needs",
		})
	}
	allowed := globsOf(s.allowed)
	for _, p := range s.forbidden {
		if _, answer := newFinder([][]*glob{p.globs, allowed}, nil).find(); answer == absent {
			out = append(out, Warning{
				Kind: UselessForbidden, Pattern: p.written,
				Message: "forbids nothing, since no allowed pattern can match there",
			})
		}
	}
	for _, p := range s.allowed {
		if message := s.wasted(p); message != "" {
			out = append(out, Warning{Kind: WhollyForbidden, Pattern: p.written, Message: message})
		}
	}
	return out
}

// isWholeFolder reports whether everything allowed lies in one top-level folder, or in the folders of one glob,
// and everything below there is allowed.
func (s *Scope) isWholeFolder() bool {
	allowed := globsOf(s.allowed)
	top := allowed[0].segments[0]
	if slices.ContainsFunc(allowed, func(g *glob) bool { return g.segments[0].source != top.source }) || top.deep {
		return false
	}
	whole := newGlob([]segment{top, deepSegment()})
	_, out := newFinder([][]*glob{{whole}}, allowed).find()
	return out == absent
}

// wasted says why nothing that an allowed pattern matches may be written, "" if something may.
func (s *Scope) wasted(p Pattern) string {
	own := [][]*glob{p.globs}
	if _, out := newFinder(own, globsOf(s.always, s.forbidden)).find(); out == absent {
		return "allows nothing, since everything it matches is forbidden"
	}
	if len(s.roots) == 0 {
		return ""
	}
	own = append(own, globsOf(s.roots))
	if _, out := newFinder(own, globsOf(s.always, s.forbidden)).find(); out == absent {
		return "allows nothing, since everything it matches is forbidden or outside the allowed roots"
	}
	return ""
}

const (
	// maxGlobs bounds the alternatives of all patterns in one list of a scope.
	maxGlobs = 2048
	// maxPlaces bounds the characters, classes and stars that they have together.
	maxPlaces = 1 << 16
)

// Config is the argument of New. The package comment has the grammar of the patterns.
type Config struct {
	// Allowed are the globs of the paths that may be written. At least one is required. The single glob Everything
	// allows the whole repository, except what is forbidden.
	Allowed []string
	// Forbidden are the globs of the paths that may not be written, even if Allowed matches them.
	Forbidden []string
	// Roots limit the scope: a path must match one of them as well to be allowed. With no roots there is no limit.
	// A root without wildcards matches its path and everything below it.
	Roots []string
	// Manager are additional globs that are treated as those of AlwaysForbidden.
	Manager []string
}

// Everything is the glob that matches every path. As the only allowed glob it makes a scope of the whole repository;
// together with others New refuses it.
const Everything = "**"

// IsEverything reports whether allowed is the single glob Everything.
func IsEverything(allowed []string) bool { return len(allowed) == 1 && allowed[0] == Everything }

// Scope is a parsed Config. It is immutable and safe for concurrent use.
type Scope struct {
	allowed   []Pattern
	forbidden []Pattern
	roots     []Pattern
	always    []Pattern

	allowedText string // the lists as a verdict shows them
	rootsText   string
}

// FaultsError lists everything that is wrong with a Config.
type FaultsError struct {
	// Faults has at least one element, in the order of the fields and of their patterns.
	Faults []*PatternError
}

// Error returns one line for each fault.
func (e *FaultsError) Error() string { return errors.Join(e.Unwrap()...).Error() }

// Unwrap returns the faults, so that errors.As finds a *PatternError.
func (e *FaultsError) Unwrap() []error {
	out := make([]error, len(e.Faults))
	for i, f := range e.Faults {
		out[i] = f
	}
	return out
}

// AlwaysForbidden returns the globs that every scope forbids: the project's own records, the settings of agent
// programs, git's data and the configuration of delegate. Unlike all other globs they ignore case, because ".Git" is
// ".git" on a file system that ignores case. The slice is a new one for each call.
func AlwaysForbidden() []string {
	return []string{
		"docs/01_progress.md",
		"docs/00_MASTER_INDEX.md",
		"docs/logs",
		"docs/logs/**",
		".claude",
		".claude/**",
		".git",
		".git/**",
		"**/.git",
		"**/.git/**",
		".delegate.yaml",
	}
}

// AlwaysForbiddenInShort returns the globs of AlwaysForbidden for display: without "docs/logs", for example, where
// "docs/logs/**" is in the list too.
func AlwaysForbiddenInShort() []string {
	all := AlwaysForbidden()
	return slices.DeleteFunc(slices.Clone(all), func(glob string) bool {
		return slices.Contains(all, glob+"/**") || slices.Contains(all, "**/"+glob)
	})
}

// New parses a Config. The error is a *FaultsError with everything that is wrong.
//
// Besides invalid patterns, New refuses allowed patterns that together match every path, or every path at the root of
// the repository, because that is usually a mistake. Everything as the only allowed pattern is accepted.
func New(c Config) (*Scope, error) {
	var faults []*PatternError
	s := &Scope{
		allowed:   parseList("allowed", c.Allowed, &faults),
		forbidden: parseList("forbidden", c.Forbidden, &faults),
		roots:     parseList("allowed root", c.Roots, &faults),
	}
	manager := parseList("manager", c.Manager, &faults)
	if len(c.Allowed) == 0 {
		faults = append(faults, &PatternError{Field: "allowed", Reason: "is missing; a scope needs at least one"})
	}
	if !IsEverything(c.Allowed) {
		faults = append(faults, tooWide(s.allowed)...)
	}
	if len(faults) > 0 {
		return nil, &FaultsError{Faults: faults}
	}
	s.allowedText, s.rootsText = list(s.allowed), list(s.roots)
	for i, p := range s.roots {
		s.roots[i] = p.withBelow()
	}
	s.always = append(s.always, alwaysForbidden()...)
	for _, p := range manager {
		s.always = append(s.always, p.folded())
	}
	return s, nil
}

// alwaysForbidden are the patterns of AlwaysForbidden, which hold in every case of their letters.
var alwaysForbidden = sync.OnceValue(func() []Pattern {
	all := parseList("manager", AlwaysForbidden(), new([]*PatternError)) // a test parses them
	for i, p := range all {
		all[i] = p.folded()
	}
	return all
})

func parseList(field string, patterns []string, faults *[]*PatternError) []Pattern {
	var out []Pattern
	globs, size := 0, 0
	for _, text := range patterns {
		parsed, reason := parse(text)
		globs += len(parsed)
		for _, g := range parsed {
			size += g.places()
		}
		if reason == "" && (globs > maxGlobs || size > maxPlaces) {
			reason = fmt.Sprintf("makes the list too long, the limit is %d alternatives of %d characters together",
				maxGlobs, maxPlaces)
		}
		if reason != "" {
			*faults = append(*faults, &PatternError{Field: field, Pattern: text, Reason: reason})
			continue
		}
		out = append(out, Pattern{written: text, globs: parsed})
	}
	return out
}

// withBelow returns the pattern with everything below it, if it has no wildcards.
func (p Pattern) withBelow() Pattern {
	if !p.isLiteral() {
		return p
	}
	below := newGlob(append(slices.Clone(p.globs[0].segments), deepSegment()))
	return Pattern{written: p.written, globs: []*glob{p.globs[0], below}}
}

// tooWide returns the patterns that allow everything each for itself, or else the list that does it together.
func tooWide(allowed []Pattern) []*PatternError {
	var faults []*PatternError
	for _, p := range allowed {
		if reason := wideness(p.globs); reason != "" {
			faults = append(faults, &PatternError{Field: "allowed", Pattern: p.written, Reason: reason})
		}
	}
	if len(faults) > 0 || len(allowed) < 2 {
		return faults
	}
	if reason := wideness(globsOf(allowed)); reason != "" {
		faults = append(faults, &PatternError{Field: "allowed", Pattern: list(allowed),
			Reason: reason + " (the patterns together)"})
	}
	return faults
}

// wideness says how the globs match too much for a scope, "" if they do not.
func wideness(globs []*glob) string {
	root := []*glob{newGlob([]segment{starSegment()})}
	if _, out := newFinder([][]*glob{root}, globs).find(); out == found {
		return ""
	}
	switch _, out := newFinder(nil, globs).find(); out {
	case found:
		return "matches every path at the root of the repository; name the folders or files of the task"
	case gaveUp:
		return "is too intricate to tell whether it matches every path; write it with fewer alternatives"
	}
	return "matches every path; name the folders or files of the task"
}

// list joins patterns as written.
func list(patterns []Pattern) string { return strings.Join(written(patterns), ", ") }

func written(patterns []Pattern) []string {
	out := make([]string, len(patterns))
	for i, p := range patterns {
		out[i] = p.written
	}
	return out
}

// Allowed returns the allowed patterns as written.
func (s *Scope) Allowed() []string { return written(s.allowed) }

// Forbidden returns the forbidden patterns as written, without those that are always forbidden.
func (s *Scope) Forbidden() []string { return written(s.forbidden) }

// Check decides whether one path may be written; no file needs to exist there. The first of these rules that applies
// decides: the path is one that [CleanPath] refuses, it is always forbidden, it is forbidden, no allowed pattern
// matches it, it is outside of the roots.
func (s *Scope) Check(path string) Verdict {
	clean, err := CleanPath(path)
	if err != nil {
		var bad *PathError
		errors.As(err, &bad)
		return Verdict{Reason: BadPath, detail: bad.Error()}
	}
	if p, ok := first(s.always, clean); ok {
		return Verdict{Pattern: p, Reason: ForbiddenAlways}
	}
	if p, ok := first(s.forbidden, clean); ok {
		return Verdict{Pattern: p, Reason: Forbidden}
	}
	p, ok := first(s.allowed, clean)
	if !ok {
		return Verdict{Reason: OutsideScope, detail: s.allowedText}
	}
	if _, ok := first(s.roots, clean); !ok && len(s.roots) > 0 {
		return Verdict{Pattern: p, Reason: OutsideRoots, detail: s.rootsText}
	}
	return Verdict{Allowed: true, Pattern: p, Reason: Allowed}
}

// first returns the first pattern that matches, as written.
func first(patterns []Pattern, clean string) (string, bool) {
	for _, p := range patterns {
		if p.match(clean) {
			return p.written, true
		}
	}
	return "", false
}

// Select returns those files that the scope allows, in their order and as they are spelled.
func (s *Scope) Select(files []string) []string {
	var out []string
	for _, f := range files {
		if s.Check(f).Allowed {
			out = append(out, f)
		}
	}
	return out
}

// Forbids reports whether the path is forbidden, always forbidden or invalid, so that no allowed pattern could allow
// it.
func (s *Scope) Forbids(path string) bool {
	reason := s.Check(path).Reason
	return reason == Forbidden || reason == ForbiddenAlways || reason == BadPath
}
