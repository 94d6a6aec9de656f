package main

import (
	"context"
	"errors"

	"delegate/internal/ui"
)

// confirm asks before something is given up; without a terminal only --yes goes on.
func (a *app) confirm(ctx context.Context, question string, yes bool) error {
	if !a.term.Interactive() {
		if yes {
			return nil
		}
		return &needsYesError{question}
	}
	if yes {
		return nil
	}
	answer, err := a.term.Choose(ctx, question, []ui.Answer{{Word: "yes"}, {Word: "no", Help: "change nothing"}}, "no")
	if err != nil {
		return err
	}
	if answer != "yes" {
		return errDeclined
	}
	return nil
}

// needsYesError says that a question could not be asked, and that its answer has a flag.
type needsYesError struct{ question string }

func (e *needsYesError) Error() string { return "not asked, for this is no terminal: " + e.question }

// errDeclined ends a command whose question was answered no.
var errDeclined = errors.New("nothing was changed")
