package main

import (
	"context"
	"errors"

	"delegate/internal/project"
	"delegate/internal/tidy/doctor"

	"github.com/spf13/cobra"
)

// doctorCommand is `delegate doctor`: what is here, what is missing, and what to type.
func (a *app) doctorCommand() *cobra.Command {
	of, try := "", false
	c := a.jsonFlag(command("doctor", "check git, the repository, the agent programs and what old sessions left, and "+
		"say what to type", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		p, err := a.open(ctx)
		switch {
		case of != "":
			return a.examineEngine(ctx, p, err, of, try)
		case try:
			return &usageError{errors.New("--try is for an engine: name it with --engine"), "delegate doctor"}
		}
		v := doctor.Examine(ctx, p, err, version, hint)
		if err := context.Cause(ctx); err != nil {
			return err
		}
		return a.answer(v, func() { a.printDoctor(v) })
	}))
	c.Long = "Checks git, the repository, its configuration and registry, the session, the sandbox, the agent\n" +
		"programs, the disk, and what old sessions left, and prints how to fix each problem. This command\n" +
		"changes nothing and uses no network. Its exit code is always 0.\n" +
		"With --engine it checks an engine of the configuration instead: whether it answers, what you may do\n" +
		"there, whether it would accept a job, and jobs left there. --try submits a job, inspects the node\n" +
		"from inside it, and removes it."
	c.Flags().StringVar(&of, "engine", "", "check this engine of the configuration (engines) instead of this machine")
	c.Flags().BoolVar(&try, "try", false, "with --engine: submit a job, inspect the node from inside it, and remove it")
	return c
}

// examineEngine looks at an engine in place of this machine.
func (a *app) examineEngine(ctx context.Context, p *project.Project, opening error, of string, try bool) error {
	if opening != nil {
		return opening
	}
	how := doctor.AskOnly
	if try {
		if err := refuseInside(); err != nil {
			return err
		}
		how = doctor.WithJob
		a.note("a job is submitted to %s and removed again", text(of))
	}
	v, err := doctor.ExamineEngine(ctx, p, of, how, version, hint)
	if err != nil {
		return err
	}
	return a.answer(v, func() { a.printEngine(v) })
}
