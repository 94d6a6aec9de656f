package main

import (
	"context"
	"errors"

	"delegate/internal/text/ui"

	"github.com/spf13/cobra"
)

// yesFlag gives a command the flag that answers its confirmation.
func yesFlag(c *cobra.Command, yes *bool) {
	c.Flags().BoolVar(yes, "yes", false, "do not ask (needed without a terminal)")
}

// confirm asks before something is given up, and says what a yes means; without a terminal only --yes goes on, and
// below an agent program neither.
func (a *app) confirm(ctx context.Context, question, means string, yes bool) error {
	switch {
	case a.term.Nobody != nil:
		return a.term.Nobody
	case yes:
		return nil
	case !a.term.IsTerminal():
		return &needsYesError{question}
	}
	return a.toldUnchanged(a.askYes(ctx, question, means, "change nothing"))
}

// toldUnchanged says of a question that was interrupted what a no to it says.
func (a *app) toldUnchanged(err error) error {
	if errors.Is(err, ui.ErrInterrupted) {
		a.note("%v", errDeclined)
	}
	return err
}

// ofPerson refuses below an agent program what widens what an agent may do, or has it pass without a check: that is a
// person's to decide, as a yes is.
func (a *app) ofPerson() error { return a.term.Nobody }

// askYes asks a question of two answers and says what each means; a no ends with errDeclined.
func (a *app) askYes(ctx context.Context, question, yes, no string) error {
	answer, err := a.term.Choose(ctx, question, []ui.Answer{{Word: "yes", Help: yes}, {Word: "no", Help: no}}, "no")
	if err == nil && answer != "yes" {
		err = errDeclined
	}
	return err
}

// needsYesError says that a question could not be asked, and that its answer has a flag.
type needsYesError struct{ question string }

func (e *needsYesError) Error() string {
	return "this is no terminal, so nobody could be asked: " + e.question
}

// errDeclined ends a command whose question was answered no.
var errDeclined = errors.New("nothing was changed")
