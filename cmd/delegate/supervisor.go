package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"delegate/internal/control"
	"delegate/internal/project"
	"delegate/internal/supervise"
)

// runSupervisor is the life of a supervisor, which no person types.
func runSupervisor(ctx context.Context, args []string, env environment) int {
	if len(args) != 2 {
		return exitUsage
	}
	ignoreHangup()
	p, err := project.Open(ctx, args[1], env.options())
	if err == nil {
		err = supervise.Supervise(ctx, p,
			supervise.Options{Log: os.Stderr, Obey: control.Obey, Conflicts: conflictsInBackground(p),
				Integrate: integrateInBackground(p), End: endInBackground(p), Hint: hint})
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s %s: %v\n", time.Now().UTC().Format(time.RFC3339), args[0], err)
		return exitFault
	}
	return exitDone
}
