package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/project/config"
	"delegate/internal/sys/run"
)

// slurm is a cluster that is reached by the commands of Slurm, at its login node or here.
type slurm struct{ config.Engine }

// command is a command line of the engine, where its commands are. ssh is the person's, with their configuration, agent
// and known hosts; it asks nobody, and carries the command and nothing else that they may have it carry.
func (e slurm) command(args []string) run.Command {
	if e.Login == "" {
		return run.Command{Path: args[0], Args: args[1:], Dir: "/", Bound: true}
	}
	return run.Command{Path: "ssh", Dir: "/", Bound: true,
		Args: []string{"-T", "-oBatchMode=yes", "-oConnectTimeout=20", "-oServerAliveInterval=15",
			"-oClearAllForwardings=yes", "-oRemoteCommand=none", "--", e.Login, run.AsTyped(args)}}
}

// ask runs a command of the engine to its end and answers with what it said.
func (e slurm) ask(ctx context.Context, args ...string) (string, error) {
	command := e.command(args)
	command.Limit = callLimit
	out, err := run.Output(ctx, command)
	return strings.TrimSpace(string(out)), err
}

// sshFailed is the status of ssh for a failure of its own, by which nothing is known of the command.
const sshFailed = 255

// isAnswer says whether an error is what a command of the engine said, and not that it was not reached.
func (e slurm) isAnswer(err error) bool {
	code := run.ExitCode(err)
	return code > 0 && (e.Login == "" || code != sshFailed)
}

// Submit has the engine take the job, which is told not to repeat it. A refusal counts when it comes a second time from
// an engine that answers: the first may be of one that was being started.
func (e slurm) Submit(ctx context.Context, name string, args []string) (string, error) {
	words := []string{"sbatch", "--parsable", "--job-name=" + name, "--output=/dev/null", "--chdir=/"}
	words = slices.Concat(words, e.Options, []string{"--no-requeue", "--wrap=exec " + run.AsTyped(args)})
	for again := false; ; again = true {
		if id, err := e.named(ctx, name); err != nil || id != "" {
			return id, err
		}
		answer, err := e.ask(ctx, words...)
		if err == nil {
			id, _, _ := strings.Cut(answer, ";")
			return id, e.checkID(id)
		}
		if !e.isAnswer(err) || e.answers(ctx) != nil {
			return "", err
		}
		if again {
			return "", &RefusedError{err}
		}
	}
}

// named is the id of a job of that name, "" if there is none.
func (e slurm) named(ctx context.Context, name string) (string, error) {
	answer, err := e.ask(ctx, "squeue", "--noheader", "--states=all", "--name="+name, "--format=%i")
	id, _, _ := strings.Cut(answer, "\n")
	if err == nil && id != "" {
		err = e.checkID(id)
	}
	return id, err
}

// checkID says what is wrong with an answer that is no id of a job.
func (e slurm) checkID(id string) error {
	if id != "" && strings.Trim(id, "0123456789") == "" {
		return nil
	}
	return fmt.Errorf("in place of a job's id, Slurm %s answers %.100q: does a startup file of the shell print that?",
		e.place(), id)
}

// answers says whether the engine can be asked at all, and with what it said where it cannot.
func (e slurm) answers(ctx context.Context) error {
	_, err := e.ask(ctx, "sinfo", "--noheader", "--format=%T")
	return err
}

// Look asks for the job by its id. That the engine does not know it is believed of a list without it, and not of a
// question that went wrong, which may be of an engine or a connection that failed for a moment.
func (e slurm) Look(ctx context.Context, id string) (Job, error) {
	answer, err := e.ask(ctx, "scontrol", "--oneliner", "show", "job", id)
	if err == nil {
		return parse(answer)
	}
	all, down := e.ask(ctx, "squeue", "--noheader", "--me", "--states=all", "--format=%i")
	switch {
	case down != nil:
		return Job{}, down
	case !e.isAnswer(err) || slices.Contains(strings.Fields(all), id):
		return Job{}, err
	}
	return Job{Phase: Unknown, Words: "the engine does not know it any more"}, nil
}

// parse reads a line of `scontrol show job`.
func parse(line string) (Job, error) {
	said := map[string]string{}
	for word := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(word, "=")
		if _, known := said[key]; !known {
			said[key] = value
		}
	}
	state, why := said["JobState"], said["Reason"]
	if state == "" {
		return Job{}, fmt.Errorf("what Slurm says of its job has no JobState: %.100q", line)
	}
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
	return j, nil
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
