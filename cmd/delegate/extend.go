package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"delegate/internal/control"
	"delegate/internal/ui"

	"github.com/spf13/cobra"
)

func (a *app) extendCommand() *cobra.Command {
	return a.onAgent("extend AGENT DURATION", "give an agent more time; an agent that timed out goes on",
		cobra.ExactArgs(2),
		func(ctx context.Context, c control.Control, args []string) (outcome, error) {
			by, err := parseDuration(args[1])
			if err != nil {
				return outcome{}, &usageError{err, "delegate extend"}
			}
			return said(hasMore(ui.Elapsed(by)))(c.Extend(ctx, args[0], by))
		})
}

// parseDuration reads a duration above 0 as people type it.
func parseDuration(text string) (time.Duration, error) {
	if _, err := strconv.Atoi(text); err == nil {
		return 0, fmt.Errorf("%q needs a unit, e.g. %sm", text, text)
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is not a duration above 0, e.g. 90s, 25m or 1h30m", text)
	}
	return d, nil
}

// durationFlag is a flag with a duration above 0.
type durationFlag struct{ at *time.Duration }

func (f durationFlag) String() string {
	if f.at == nil {
		return ""
	}
	return f.at.String()
}

func (f durationFlag) Type() string { return "duration" }

// Set reads what was typed.
func (f durationFlag) Set(text string) (err error) {
	d, err := parseDuration(text)
	if err == nil {
		*f.at = d
	}
	return err
}
