// Package engine starts jobs on a cluster and reaches into them, by the four verbs that every engine has:
// Submit, Look, Exec and Cancel.
//
// It has no queue, no placement and no list of nodes of its own: the engine decides, and is asked. What a job is for is
// not known here.
package engine

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"delegate/internal/config"
	"delegate/internal/run"
)

// callLimit is how long a command of an engine may take.
const callLimit = time.Minute

// Engine is a cluster, reached by the commands of Slurm, at its login node or here.
type Engine struct{ config.Engine }

// Phase is how far a job is.
type Phase int

// The phases of a job.
const (
	Waiting Phase = iota // for room
	Running
	Over
	Unknown // the engine knows no such job, or does not know it any more
)

// Job is what an engine says of a job.
type Job struct {
	Phase Phase
	State string // in the engine's word
	Why   string // it waits, or ended so, in the engine's word
	Node  string // "" before it has one
	Exit  string // its status and signal, as the engine writes them
	Again int    // how often the engine started it once more by itself
	Since time.Time
}

// command is a command line of the engine, where its commands are.
func (e Engine) command(args []string) run.Command {
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
func (e Engine) ask(ctx context.Context, args ...string) (string, error) {
	command := e.command(args)
	command.Limit = callLimit
	out, err := run.Output(ctx, command)
	return strings.TrimSpace(string(out)), err
}

// Submit has a command line run where there is room, and answers with the job's id. The engine is told not to repeat
// it.
func (e Engine) Submit(ctx context.Context, name string, args []string) (string, error) {
	words := []string{"sbatch", "--parsable", "--job-name=" + name, "--output=/dev/null", "--chdir=/"}
	words = slices.Concat(words, e.Options, []string{"--no-requeue", "--wrap=exec " + quoted(args)})
	answer, err := e.ask(ctx, words...)
	id, _, _ := strings.Cut(answer, ";")
	return id, err
}

// Named is the id of a job of that name, "" if there is none.
func (e Engine) Named(ctx context.Context, name string) (string, error) {
	answer, err := e.ask(ctx, "squeue", "--noheader", "--states=all", "--name="+name, "--format=%i")
	id, _, _ := strings.Cut(answer, "\n")
	return id, err
}

// Answers says whether the engine can be asked at all, and with what it said where it cannot.
func (e Engine) Answers(ctx context.Context) error {
	_, err := e.ask(ctx, "sinfo", "--noheader", "--format=%T")
	return err
}

// Look is what the engine says of a job. An error says that it could not be asked.
func (e Engine) Look(ctx context.Context, id string) (Job, error) {
	answer, err := e.ask(ctx, "scontrol", "--oneliner", "show", "job", id)
	if err != nil {
		if down := e.Answers(ctx); down != nil {
			return Job{}, down
		}
		return Job{Phase: Unknown, State: "forgotten"}, nil
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
	j := Job{State: said["JobState"], Why: said["Reason"], Node: said["BatchHost"], Exit: said["ExitCode"]}
	if j.Why == "None" {
		j.Why = ""
	}
	_, _ = fmt.Sscan(said["Restarts"], &j.Again)
	j.Since, _ = time.ParseInLocation("2006-01-02T15:04:05", said["SubmitTime"], time.Local)
	switch j.State {
	case "PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT":
		j.Phase = Waiting
	case "RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "SIGNALING", "STAGE_OUT", "RESIZING":
		j.Phase = Running
	default:
		j.Phase = Over
	}
	return j
}

// Hopeless says that a job which waits will not start by itself, whatever room there is.
func (j Job) Hopeless() bool {
	never := []string{"BadConstraints", "InvalidAccount", "InvalidQOS", "AccountNotAllowed", "QOSNotAllowed",
		"PartitionNodeLimit", "PartitionTimeLimit", "DependencyNeverSatisfied", "JobHeldAdmin", "JobHeldUser",
		"AssocMaxCpuPerJobLimit", "AssocMaxNodePerJobLimit", "AssocMaxMemPerJob", "QOSMaxCpuPerJobLimit",
		"QOSMaxNodePerJobLimit", "QOSMaxMemoryPerJob", "PartitionConfig", "launch", "JobLaunchFailure"}
	return j.Phase == Waiting && (slices.Contains(never, j.Why) || strings.HasSuffix(j.State, "HOLD"))
}

// LostNode says that a job ended because the engine took its node away, or lost it.
func (j Job) LostNode() bool {
	return slices.Contains([]string{"NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "REVOKED"}, j.State) || j.Again > 0
}

// Words say what became of a job.
func (j Job) Words() string {
	words := map[string]string{"OUT_OF_MEMORY": "it was out of memory there",
		"CANCELLED": "it was cancelled there, by somebody else than delegate",
		"TIMEOUT":   "its time on the engine was over", "DEADLINE": "its time on the engine was over",
		"NODE_FAIL": "its node failed", "PREEMPTED": "it was preempted"}
	said := []string{words[j.State], "the engine says " + j.State}
	if said[0] == "" {
		said = said[1:]
	}
	if j.Exit != "" && j.Exit != "0:0" {
		said = append(said, "exit "+j.Exit)
	}
	if j.Again > 0 {
		said = append(said, fmt.Sprintf("and started it again %d times", j.Again))
	}
	return strings.Join(said, ", ")
}

// Exec is a command that runs another where a job runs, its streams joined with that one's byte for byte: what is
// buffered there would wait for the end of a line.
func (e Engine) Exec(id string, args []string) run.Command {
	return e.command(append([]string{"srun", "--quiet", "--unbuffered", "--overlap", "--jobid=" + id, "--ntasks=1",
		"--nodes=1", "--chdir=/", "--"}, args...))
}

// Ask runs a short command where a job runs and answers with what it said.
func (e Engine) Ask(ctx context.Context, id string, input []byte, args ...string) ([]byte, error) {
	command := e.Exec(id, args)
	command.Stdin, command.Limit = bytes.NewReader(input), callLimit
	return run.Output(ctx, command)
}

// Cancel ends a job, and what runs in it. Its own program is told first, which the engine would only kill.
func (e Engine) Cancel(ctx context.Context, id string) error {
	_, _ = e.ask(ctx, "scancel", "--batch", "--signal=TERM", id) // one that waits has none
	_, err := e.ask(ctx, "scancel", id)
	return err
}
