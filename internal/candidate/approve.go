package candidate

import (
	"fmt"
	"strings"

	"delegate/internal/git"
)

// Approved is a candidate that a person said yes to. Only Approve makes one, and landing takes nothing else.
type Approved struct {
	candidate Candidate
	who       git.Person
	override  bool
}

// Candidate is what was approved.
func (ok Approved) Candidate() Candidate { return ok.candidate }

// Who approved it; the zero Person where nobody did (Unsigned).
func (ok Approved) Who() git.Person { return ok.who }

// Override reports whether failing tests were accepted.
func (ok Approved) Override() bool { return ok.override }

// Unsigned is a candidate that is gathered on an integration branch, which nobody has approved. It cannot land.
func Unsigned(c Candidate) Approved { return Approved{candidate: c} }

// Consent is what a person answered at the terminal.
type Consent struct {
	Digest   string     // of the candidate that was shown
	Who      git.Person // who sat there
	Override bool       // they accepted failing tests, explicitly
}

// Approve binds a person's yes to a candidate; it is refused for a candidate that may not land or
// whose tests fail without an override.
func Approve(c Candidate, yes Consent) (Approved, error) {
	if yes.Digest != c.Digest {
		return Approved{}, &VoidError{Shown: yes.Digest, Now: c.Digest}
	}
	if blocks := c.Blocks(); len(blocks) > 0 {
		return Approved{}, &BlockedError{Agent: c.Title(), Reasons: blocks}
	}
	if c.Failing() && !yes.Override {
		return Approved{}, &BlockedError{Agent: c.Title(), Reasons: []string{"its tests fail and were not overridden"}}
	}
	return Approved{candidate: c, who: yes.Who, override: yes.Override}, nil
}

// VoidError says that a yes was for a candidate that is not the one there is now.
type VoidError struct{ Shown, Now string }

func (e *VoidError) Error() string {
	return fmt.Sprintf("the answer was for %.7s, but the candidate is %.7s now: something it depends on changed",
		e.Shown, e.Now)
}

// BlockedError says why a candidate must not land.
type BlockedError struct {
	Agent   string
	Reasons []string
}

func (e *BlockedError) Error() string {
	return fmt.Sprintf("%s cannot land:\n  - %s", e.Agent, strings.Join(e.Reasons, "\n  - "))
}
