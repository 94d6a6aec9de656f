package scope

import "fmt"

// Reason is what decided about a path.
type Reason int

// The reasons of a verdict. The zero Reason is none of them.
const (
	// Allowed: an allowed pattern matches and nothing speaks against it.
	Allowed Reason = iota + 1
	// Forbidden: one of the scope's forbidden patterns matches.
	Forbidden
	// ForbiddenAlways: a pattern of AlwaysForbidden or of Config.Manager matches.
	ForbiddenAlways
	// OutsideScope: no allowed pattern matches.
	OutsideScope
	// OutsideRoots: an allowed pattern matches, but no root does.
	OutsideRoots
	// BadPath: the path is none below the root of the repository.
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

// MarshalText writes the reason as String does.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Verdict is the answer about one path. The zero Verdict allows nothing.
type Verdict struct {
	// Allowed says whether the path may be written, and everything else why.
	Allowed bool
	// Pattern is the pattern that decided, as written:
	// the forbidden one, or the allowed one (also where the roots then refused the path).
	// It is empty if no pattern matched.
	Pattern string
	// Reason says what decided.
	Reason Reason

	detail string // the patterns that did not match, or what is wrong with the path
}

// String returns the verdict as a clause about the path, such as
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
