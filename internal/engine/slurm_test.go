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
		if j := parse(c.said); j.Hopeless != c.hopeless || j.LostNode != c.lost {
			t.Errorf("%s: hopeless %t, lost %t", name, j.Hopeless, j.LostNode)
		}
	}
}
