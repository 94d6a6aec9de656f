package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"delegate/internal/control"
	"delegate/internal/text/budget"
	"delegate/internal/text/ui"

	"github.com/spf13/cobra"
)

func (a *app) extendCommand() *cobra.Command {
	whole := false
	c := a.onAgent("extend AGENT DURATION|BUDGET", "give an agent more time or budget; a stopped one continues",
		cobra.MinimumNArgs(1),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			if err := a.ofPerson(); err != nil {
				return outcome{}, err
			}
			if whole {
				return extendSession(ctx, c, strings.Join(args, " "))
			}
			typed := strings.Join(args[1:], " ")
			if more, err := budget.Parse(typed); err == nil && !more.Off() && !isNumber(typed) {
				return said(hasMore(more.String()))(c.ExtendBudget(ctx, args[0], more))
			}
			by, err := parseDuration("delegate extend "+args[0], typed, "m")
			if err != nil {
				return outcome{}, &usageError{fmt.Errorf("%w; or a budget, e.g. 2US$ or \"500k tokens\"", err),
					"delegate extend"}
			}
			return said(hasMore(ui.Elapsed(by)))(c.Extend(ctx, args[0], by))
		})
	c.Long = "Gives an agent more time (30m) or a larger budget (2US$, \"500k tokens\"). An agent that was stopped\n" +
		"at its limit continues. With --session it raises the session's budget, and agents waiting for that\n" +
		"start by themselves."
	c.Flags().BoolVar(&whole, "session", false, "give the session a larger budget: delegate extend --session 5US$")
	return c
}

func extendSession(ctx context.Context, c control.Control, typed string) (outcome, error) {
	more, err := budget.Parse(typed)
	if err != nil || more.Off() {
		return outcome{}, &usageError{fmt.Errorf("%q is no budget; %s", typed, budget.Form), "delegate extend"}
	}
	return outcome{said: fmt.Sprintf("The session has %s more.", more)}, c.ExtendSession(ctx, more)
}

// isNumber reports whether a text is a number without a unit, which may mean anything.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// mostDays is a hundred years, which a duration can hold.
const mostDays = 36500

// parseDuration reads a duration above 0 as people type it behind the words before it. The unit is what a number
// without one most likely means.
func parseDuration(before, text, unit string) (time.Duration, error) {
	if _, err := strconv.Atoi(text); err == nil {
		return 0, fmt.Errorf("%q needs a unit: %s %s%s", text, before, text, unit)
	}
	d, err := time.ParseDuration(text)
	if number, inDays := strings.CutSuffix(text, "d"); inDays {
		var days int
		days, err = strconv.Atoi(number)
		d = time.Duration(min(max(days, 0), mostDays)) * 24 * time.Hour
	}
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is not a duration above 0, e.g. 90s, 25m, 1h30m or 7d", text)
	}
	return d, nil
}

// durationFlag is a flag with a duration above 0.
type durationFlag struct {
	at         *time.Duration
	flag, unit string // as parseDuration takes them
}

func (f durationFlag) String() string {
	if f.at == nil {
		return ""
	}
	return f.at.String()
}

func (f durationFlag) Type() string { return "duration" }

// Set reads what was typed.
func (f durationFlag) Set(text string) (err error) {
	d, err := parseDuration(f.flag, text, f.unit)
	if err == nil {
		*f.at = d
	}
	return err
}
