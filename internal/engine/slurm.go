package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/config"
	"delegate/internal/run"
)

// slurm is a cluster that is reached by the commands of Slurm, at its login node or here.
type slurm struct{ config.Engine }

// command is a command line of the engine, where its commands are.
func (e slurm) command(args []string) run.Command {
	if e.Login == "" {
		return run.Command{Path: args[0], Args: args[1:], Dir: "/", Bound: true}
	}
	return run.Command{Path: "ssh", Dir: "/", Bound: true,
		Args: []string{"-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=15", "--", e.Login, quoted(args)}}
}

// quoted is a command line as a shell reads it.
func quoted(args []string) string {
	words := make([]string, len(args))
	for i, word := range args {
		words[i] = run.Quote(word)
	}
	return strings.Join(words, " ")
}

// ask runs a command of the engine to its end and answers with what it said.
func (e slurm) ask(ctx context.Context, args ...string) (string, error) {
	command := e.command(args)
	command.Limit = callLimit
	out, err := run.Output(ctx, command)
	return strings.TrimSpace(string(out)), err
}

// Submit has the engine take the job, which is told not to repeat it.
func (e slurm) Submit(ctx context.Context, name string, args []string) (string, error) {
	if id, err := e.named(ctx, name); err != nil || id != "" {
		return id, err
	}
	words := []string{"sbatch", "--parsable", "--job-name=" + name, "--output=/dev/null", "--chdir=/"}
	words = slices.Concat(words, e.Options, []string{"--no-requeue", "--wrap=exec " + quoted(args)})
	answer, err := e.ask(ctx, words...)
	if err != nil && e.answers(ctx) == nil {
		return "", &RefusedError{err}
	}
	id, _, _ := strings.Cut(answer, ";")
	return id, err
}

// named is the id of a job of that name, "" if there is none.
func (e slurm) named(ctx context.Context, name string) (string, error) {
	answer, err := e.ask(ctx, "squeue", "--noheader", "--states=all", "--name="+name, "--format=%i")
	id, _, _ := strings.Cut(answer, "\n")
	return id, err
}

// answers says whether the engine can be asked at all, and with what it said where it cannot.
func (e slurm) answers(ctx context.Context) error {
	_, err := e.ask(ctx, "sinfo", "--noheader", "--format=%T")
	return err
}

// Look asks for the job by its id.
func (e slurm) Look(ctx context.Context, id string) (Job, error) {
	answer, err := e.ask(ctx, "scontrol", "--oneliner", "show", "job", id)
	if err != nil {
		if down := e.answers(ctx); down != nil {
			return Job{}, down
		}
		return Job{Phase: Unknown, Words: "the engine does not know it any more"}, nil
	}
	return parse(answer), nil
}

// parse reads a line of `scontrol show job`.
func parse(line string) Job {
	said := map[string]string{}
	for word := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(word, "=")
		if _, known := said[key]; !known {
			said[key] = value
		}
	}
	state, why := said["JobState"], said["Reason"]
	if why == "None" {
		why = ""
	}
	j := Job{Why: why, Node: said["BatchHost"]}
	_, _ = fmt.Sscan(said["Restarts"], &j.Again)
	switch state {
	case "PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT":
		j.Phase = Waiting
		j.Hopeless = isHopeless(state, why)
	case "RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING":
		j.Phase = Running
	default:
		j.Phase = Over
	}
	j.LostNode = j.Again > 0 || slices.Contains([]string{"NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "REVOKED"}, state)
	j.Words = repeated(ending(state, said["ExitCode"]), j.Again)
	return j
}

// isHopeless says of a job that waits that no room will ever let it start.
func isHopeless(state, why string) bool {
	never := []string{"BadConstraints", "InvalidAccount", "InvalidQOS", "AccountNotAllowed", "QOSNotAllowed",
		"PartitionNodeLimit", "PartitionTimeLimit", "DependencyNeverSatisfied", "JobHeldAdmin", "JobHeldUser",
		"AssocMaxCpuPerJobLimit", "AssocMaxNodePerJobLimit", "AssocMaxMemPerJob", "QOSMaxCpuPerJobLimit",
		"QOSMaxNodePerJobLimit", "QOSMaxMemoryPerJob", "PartitionConfig", "launch", "JobLaunchFailure"}
	return slices.Contains(never, why) || strings.HasSuffix(state, "HOLD")
}

// ending says in words what became of a job.
func ending(state, exit string) string {
	words := map[string]string{"OUT_OF_MEMORY": "it was out of memory there",
		"CANCELLED": "it was cancelled there, by somebody else than delegate",
		"TIMEOUT":   "its time on the engine was over", "DEADLINE": "its time on the engine was over",
		"NODE_FAIL": "its node failed", "PREEMPTED": "it was preempted"}
	said := []string{words[state], "the engine says " + state}
	if said[0] == "" {
		said = said[1:]
	}
	if exit != "" && exit != "0:0" {
		said = append(said, "exit "+exit)
	}
	return strings.Join(said, ", ")
}

// Exec has the streams unbuffered: what is buffered there would wait for the end of a line.
func (e slurm) Exec(id string, args []string) run.Command {
	return e.command(append([]string{"srun", "--quiet", "--unbuffered", "--overlap", "--jobid=" + id, "--ntasks=1",
		"--nodes=1", "--chdir=/", "--"}, args...))
}

// Cancel has the job's own program told first, which the engine would only kill.
func (e slurm) Cancel(ctx context.Context, id string) error {
	_, _ = e.ask(ctx, "scancel", "--batch", "--signal=TERM", id) // one that waits has none
	_, err := e.ask(ctx, "scancel", id)
	return err
}
