package engine

import (
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/project/config"
)

// What the engine says of a job decides what follows, so each of its words is held to what is made of it.
func TestParse(t *testing.T) {
	for line, want := range map[string]Job{
		"JobState=PENDING Reason=Resources Restarts=0 BatchHost=":   {Phase: Waiting, Why: "Resources"},
		"JobState=RUNNING Reason=None BatchHost=n1 JobState=FAILED": {Phase: Running, Node: "n1"},
		"JobState=NODE_FAIL Reason=NodeDown BatchHost=n1":           {Phase: Over, Node: "n1"},
		"JobState=RUNNING Reason=None Restarts=2 BatchHost=n2":      {Phase: Running, Node: "n2", Again: 2},
	} {
		got, err := parse(line)
		if err != nil || got.Phase != want.Phase || got.Node != want.Node || got.Again != want.Again ||
			want.Why != "" && got.Why != want.Why {
			t.Errorf("%s\nis %+v, %v, want %+v", line, got, err, want)
		}
	}
	// What says nothing of a job, such as a greeting of the shell there, is not the end of one.
	if got, err := parse("Welcome to the cluster"); err == nil {
		t.Errorf("a greeting is %+v", got)
	}
}

func TestWhatFollows(t *testing.T) {
	for name, c := range map[string]struct {
		said           string
		hopeless, lost bool
	}{
		"for room":   {said: "JobState=PENDING Reason=Resources"},
		"never":      {said: "JobState=PENDING Reason=PartitionNodeLimit", hopeless: true},
		"held":       {said: "JobState=REQUEUE_HOLD Reason=launch", hopeless: true},
		"node":       {said: "JobState=NODE_FAIL", lost: true},
		"preempted":  {said: "JobState=PREEMPTED", lost: true},
		"repeated":   {said: "JobState=RUNNING Restarts=1", lost: true},
		"memory":     {said: "JobState=OUT_OF_MEMORY"},
		"by another": {said: "JobState=CANCELLED"},
	} {
		if j, err := parse(c.said); err != nil || j.Hopeless != c.hopeless || j.LostNode != c.lost {
			t.Errorf("%s: hopeless %t, lost %t, %v", name, j.Hopeless, j.LostNode, err)
		}
	}
}

// A connection that failed, or an engine that failed for a moment, says nothing of a job: only an answer does. Programs
// with the names of ssh's and the engine's end as these do.
func TestNothingIsKnownOfWhatWasNotReached(t *testing.T) {
	const login, dropped = "me@login", "exit 255"
	for name, c := range map[string]struct {
		login, scontrol, squeue string
		unknown                 bool
	}{
		"one connection was dropped": {login, dropped, "echo 6", false},
		"all are":                    {login, dropped, dropped, false},
		"it does not answer":         {"", "exit 1", "exit 1", false},
		"it is on the list":          {"", "exit 1", "echo 6; echo 7", false},
		"it is not on the list":      {"", "exit 1", "echo 6", true},
		"nor at the login node":      {login, "exit 1", "echo 6", true},
		"a shell greets":             {login, "echo Hello", "echo Hello", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for tool, does := range map[string]string{"scontrol": c.scontrol, "squeue": c.squeue,
				"ssh": `while [ "$1" != -- ]; do shift; done; eval "$3"`} {
				text := "#!/bin/sh\n" + does + "\n"
				if err := os.WriteFile(filepath.Join(dir, tool), []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			j, err := Open(config.Engine{Kind: config.Slurm, Login: c.login}).Look(t.Context(), "7")
			if c.unknown != (err == nil && j.Phase == Unknown) || !c.unknown && err == nil {
				t.Errorf("the job is %+v, %v", j, err)
			}
		})
	}
}
