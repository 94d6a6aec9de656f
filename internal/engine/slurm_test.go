package engine

import "testing"

// What the engine says of a job decides what follows, so each of its words is held to what is made of it.
func TestParse(t *testing.T) {
	for line, want := range map[string]Job{
		"JobState=PENDING Reason=Resources Restarts=0 BatchHost=":   {Phase: Waiting, Why: "Resources"},
		"JobState=RUNNING Reason=None BatchHost=n1 JobState=FAILED": {Phase: Running, Node: "n1"},
		"JobState=NODE_FAIL Reason=NodeDown BatchHost=n1":           {Phase: Over, Node: "n1"},
		"JobState=RUNNING Reason=None Restarts=2 BatchHost=n2":      {Phase: Running, Node: "n2", Again: 2},
	} {
		got := parse(line)
		if got.Phase != want.Phase || got.Node != want.Node || got.Again != want.Again ||
			want.Why != "" && got.Why != want.Why {
			t.Errorf("%s\nis %+v, want %+v", line, got, want)
		}
	}
}

func TestWhatFollows(t *testing.T) {
	for name, c := range map[string]struct {
		job            Job
		hopeless, lost bool
	}{
		"for room":   {job: Job{Phase: Waiting, State: "PENDING", Why: "Resources"}},
		"never":      {job: Job{Phase: Waiting, State: "PENDING", Why: "PartitionNodeLimit"}, hopeless: true},
		"held":       {job: Job{Phase: Waiting, State: "REQUEUE_HOLD"}, hopeless: true},
		"node":       {job: Job{Phase: Over, State: "NODE_FAIL"}, lost: true},
		"preempted":  {job: Job{Phase: Over, State: "PREEMPTED"}, lost: true},
		"repeated":   {job: Job{Phase: Running, State: "RUNNING", Again: 1}, lost: true},
		"memory":     {job: Job{Phase: Over, State: "OUT_OF_MEMORY"}},
		"by another": {job: Job{Phase: Over, State: "CANCELLED"}},
	} {
		if c.job.Hopeless() != c.hopeless || c.job.LostNode() != c.lost {
			t.Errorf("%s: hopeless %t, lost %t", name, c.job.Hopeless(), c.job.LostNode())
		}
	}
}
