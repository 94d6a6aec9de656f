package engine

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// pod is one whose container the job is for.
func pod(phase string, change func(*clusterPod)) clusterPod {
	p := clusterPod{Status: podStatus{Phase: phase}}
	p.Metadata.Annotations = map[string]string{container: "agent"}
	change(&p)
	return p
}

func is(state containerState) func(*clusterPod) {
	return func(p *clusterPod) {
		p.Status.ContainerStatuses = []containerStatus{{Name: "injected"}, {Name: "agent", State: state}}
	}
}

func has(kind string, status string, reason string) func(*clusterPod) {
	return func(p *clusterPod) {
		p.Status.Conditions = []condition{{Type: kind, Status: status, Reason: reason}}
	}
}

// failed is a job that is over, for a reason of the engine's.
func failed(reason string) clusterJob {
	return clusterJob{Status: jobStatus{Conditions: []condition{{Type: jobFailed, Status: isTrue, Reason: reason}}}}
}

// What the engine says of a job decides what follows.
func TestStateOf(t *testing.T) {
	waiting := func(reason string) func(*clusterPod) {
		return is(containerState{Waiting: &stateWords{Reason: reason}})
	}
	ended := func(reason string) func(*clusterPod) {
		return is(containerState{Terminated: &stateWords{Reason: reason, ExitCode: 137}})
	}
	never := []clusterEvent{{Reason: "FailedCreate", Message: "exceeded quota", Count: 2}}
	for name, c := range map[string]struct {
		job    clusterJob
		pods   []clusterPod
		events []clusterEvent
		want   Job // of which Why and Words are a part
	}{
		"no pod yet": {want: Job{Phase: Waiting, Why: "no pod yet"}},
		"refused once": {events: []clusterEvent{{Reason: "FailedCreate", Count: 1}},
			want: Job{Phase: Waiting, Why: "FailedCreate"}},
		"refused, each pod by its name": {events: []clusterEvent{{Reason: "FailedCreate", Count: 1},
			{Reason: "FailedCreate", Message: "exceeded quota", Count: 1}},
			want: Job{Phase: Waiting, Why: "exceeded quota", Hopeless: true}},
		"refused": {events: never, want: Job{Phase: Waiting, Why: "exceeded quota", Hopeless: true}},
		"no room": {pods: []clusterPod{pod(podPending, has(podScheduled, isFalse,
			"Unschedulable"))}, want: Job{Phase: Waiting, Why: "Unschedulable"}},
		"its container is made": {pods: []clusterPod{pod(podPending, waiting("ContainerCreating"))},
			want: Job{Why: "its container is made"}},
		"its container cannot be made": {pods: []clusterPod{pod(podPending, waiting("ContainerCreating"))},
			events: []clusterEvent{{Type: "Warning", Reason: "FailedCreatePodSandBox"}, {Type: "Normal"}},
			want:   Job{Why: "FailedCreatePodSandBox"}},
		"pulled": {pods: []clusterPod{pod(podPending, waiting("ErrImagePull"))},
			want: Job{Why: "ErrImagePull"}},
		"no image": {pods: []clusterPod{pod(podPending, waiting("ImagePullBackOff"))},
			want: Job{Hopeless: true}},
		"no secret": {pods: []clusterPod{pod(podPending, waiting("CreateContainerConfigError"))},
			want: Job{Hopeless: true}},
		"runs": {pods: []clusterPod{pod(podRunning, is(containerState{}))}, want: Job{Phase: Running}},
		"over, beside one that is injected": {pods: []clusterPod{pod(podRunning, ended("Completed"))},
			want: Job{Phase: Over, Words: "Completed"}},
		"out of memory": {pods: []clusterPod{pod(podFailed, ended("OOMKilled"))},
			job: failed("BackoffLimitExceeded"), want: Job{Phase: Over, Words: "out of memory"}},
		"its node is lost": {pods: []clusterPod{pod(podRunning, has(disruptionTarget,
			isTrue, "DeletionByTaintManager"))},
			want: Job{Phase: Over, Words: "its node failed", LostNode: true}},
		"preempted": {pods: []clusterPod{pod(podFailed, has(disruptionTarget, isTrue,
			"PreemptionByScheduler"))}, want: Job{Phase: Over, Words: "preempted", LostNode: true}},
		"its node was lost, and its pod is gone": {job: failed("PodFailurePolicy"),
			want: Job{Phase: Over, Words: "node was lost", LostNode: true}},
		"its pod was deleted": {job: failed("BackoffLimitExceeded"), want: Job{Phase: Over, Words: "was deleted"}},
		"is being deleted": {pods: []clusterPod{pod(podRunning, func(p *clusterPod) {
			p.Metadata.DeletionTimestamp = new(time.Now())
		})}, want: Job{Phase: Over, Words: "was deleted"}},
		"is being deleted, and its container ended by that": {pods: []clusterPod{pod(podRunning, ended("Error"))},
			job:  clusterJob{Metadata: metadata{DeletionTimestamp: new(time.Now())}},
			want: Job{Phase: Over, Words: "was deleted"}},
		"too long": {job: failed("DeadlineExceeded"), want: Job{Phase: Over, Words: "time on the engine"}},
		"a second pod": {pods: []clusterPod{pod(podRunning, is(containerState{})), {}},
			want: Job{Phase: Running, Again: 1, LostNode: true}},
	} {
		got := stateOf(c.job, c.pods, c.events)
		if got.Phase != c.want.Phase || got.Hopeless != c.want.Hopeless || got.LostNode != c.want.LostNode ||
			got.Again != c.want.Again || !strings.Contains(got.Why, c.want.Why) ||
			!strings.Contains(got.Words, c.want.Words) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// A job is the person's pod, which runs what is asked once, and has no account of the cluster's unless the pod says so.
func TestReadJob(t *testing.T) {
	for _, name := range []string{"bare", "init", "large"} {
		job, err := readJob(filepath.Join("testdata", name+".yaml"), "delegate-one",
			[]string{"delegate", "__remote", "keep", "/var/tmp/x"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.MarshalIndent(job, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if string(got)+"\n" != string(want) {
			t.Errorf("the job of %s is\n%s\nwant\n%s", name, got, want)
		}
	}
}

// What the API would not see of a template is checked here, and the file is named.
func TestReadJobRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pod.yaml")
	const spec = "kind: Pod\nspec: {containers: [{name: agent}]}\n"
	for text, want := range map[string]string{
		"kind: Job\n":                            `is "Job" with 0`,
		"kind: Pod\nspec: {}\n":                  `is "Pod" with 0`,
		"kind: Pod\nspec: {container: []}\n":     `is "Pod" with 0`,
		"kind: Pod\nspec: {containers: [x]}\n":   "spec.containers[0] is no mapping",
		"- a\n":                                  "mapping is expected",
		spec + "kind: Pod\n":                     "already defined",
		spec + "specs: {}\n":                     `unknown field "specs"`,
		spec + "metadata: {lables: {team: a}}\n": `unknown field "metadata.lables"`,
		spec + "metadata: x\n":                   "metadata is no mapping",
		spec + "metadata: {labels: [team]}\n":    "metadata.labels is no mapping",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := readJob(file, "x", nil)
		if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// The API's word for a refusal decides whether a job is tried again.
func TestReadError(t *testing.T) {
	for text, want := range map[string]kubectlError{
		`Error from server (NotFound): jobs.batch "x" not found`: {"NotFound", `jobs.batch "x" not found`},
		`Error from server (BadRequest): Job in version "v1" (strict): unknown field "a"`: {"BadRequest",
			`Job in version "v1" (strict): unknown field "a"`},
		"The Job \"x\" is invalid: \n* spec.a: Required value\n* spec.b: Required value": {"Invalid",
			`The Job "x" is invalid:  * spec.a: Required value * spec.b: Required value`},
		"login is over soon\nError from server (Forbidden): no": {"Forbidden", "no"},
		`error: context "x" does not exist`:                     {"", `context "x" does not exist`},
		"Unable to connect to the server: EOF":                  {"", "Unable to connect to the server: EOF"},
		"":                                                      {"", "kubectl failed, and does not say why"},
	} {
		var got *kubectlError
		if err := readError(strings.Split(text, "\n")); !errors.As(err, &got) || *got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
