package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"delegate/internal/sys/run"
)

// Inspect tries the commands that turns need, and has the engine say where a job with these options would run.
func (e slurm) Inspect(ctx context.Context) []Answer {
	version, err := e.ask(ctx, "sinfo", "--version")
	if err == nil {
		err = e.answers(ctx)
	}
	if err != nil {
		return []Answer{{About: Reach, Err: err, Next: "try it by hand: " + e.typed("sinfo")}}
	}
	return []Answer{{About: Reach, Text: version + ", by its commands " + e.place()}, e.tools(ctx), e.dryRun(ctx)}
}

// place is where the engine's commands are.
func (e slurm) place() string {
	if e.Login == "" {
		return "on this machine"
	}
	return "at " + e.Login
}

// typed is a command line of the engine as a person types it here.
func (e slurm) typed(words string) string {
	if e.Login == "" {
		return words
	}
	return "ssh " + run.Quote(e.Login) + " " + words
}

// tools tries the commands by which jobs are handled, and one question about jobs.
func (e slurm) tools(ctx context.Context) Answer {
	needed := []string{"sbatch", "squeue", "scontrol", "scancel", "srun"}
	var missing []error
	for _, tool := range needed {
		if _, err := e.ask(ctx, tool, "--version"); err != nil {
			missing = append(missing, err)
		}
	}
	if _, err := e.Jobs(ctx); err != nil {
		missing = append(missing, err)
	}
	return Answer{About: Permissions, Text: strings.Join(needed, ", ") + " are there, and list your jobs",
		Err: errors.Join(missing...), Next: "install them " + e.place() + ", or name another host: login"}
}

// dryRun has the engine say when and where a job would start, which it refuses for what it would refuse of a job.
func (e slurm) dryRun(ctx context.Context) Answer {
	var said bytes.Buffer
	command := e.command(slices.Concat([]string{"sbatch", "--test-only", "--job-name=" + Prefix + "doctor",
		"--output=/dev/null", "--chdir=/"}, e.Options, []string{"--no-requeue", "--wrap=exit"}))
	command.Limit, command.Stdout, command.Stderr = callLimit, &said, &said
	err := run.Do(ctx, command)
	words := strings.TrimSpace(said.String())
	if err != nil {
		err = errors.New(cmp.Or(words, err.Error()))
	}
	options := cmp.Or(strings.Join(e.Options, " "), "none")
	return Answer{About: Template, Text: "options " + options + ": " + words, Err: err,
		Next: "fix  options  of this engine: they are arguments of sbatch"}
}

// Jobs are the person's own.
func (e slurm) Jobs(ctx context.Context) (all []Named, err error) {
	answer, err := e.ask(ctx, "squeue", "--noheader", "--me", "--format=%i %j")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(answer) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(name, Prefix) {
			all = append(all, Named{Name: name, Away: e.typed("scancel " + id)})
		}
	}
	return all, nil
}
