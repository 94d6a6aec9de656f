package main

import (
	"context"

	"delegate/internal/doctor"

	"github.com/spf13/cobra"
)

// doctorCommand is `delegate doctor`: what is here, what is missing, and what to type.
func (a *app) doctorCommand() *cobra.Command {
	c := a.jsonFlag(command("doctor", "check git, the repository, the agent programs and what old sessions left, and "+
		"say what to type", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		p, err := a.open(ctx)
		v := doctor.Examine(ctx, p, err, version, hint)
		if err := context.Cause(ctx); err != nil {
			return err
		}
		return a.answer(v, func() { a.printDoctor(v) })
	}))
	c.Long = "Checks git, the repository, its configuration and registry, the session, the sandbox, the agent " +
		"programs, the disk, and what old\n" +
		"sessions left, and says for each what to type. This command changes nothing and uses no network; its exit " +
		"code is 0 whatever it finds."
	return c
}
