package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pod is one whose container the job is for.
func pod(phase corev1.PodPhase, change func(*corev1.Pod)) corev1.Pod {
	p := corev1.Pod{Status: corev1.PodStatus{Phase: phase}}
	p.Annotations = map[string]string{container: "agent"}
	change(&p)
	return p
}

func is(state corev1.ContainerState) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "injected"}, {Name: "agent", State: state}}
	}
}

func has(kind corev1.PodConditionType, status corev1.ConditionStatus, reason string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: kind, Status: status, Reason: reason}}
	}
}

// failed is a job that is over, for a reason of the engine's.
func failed(reason string) batchv1.Job {
	return batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobFailed,
		Status: corev1.ConditionTrue, Reason: reason}}}}
}

// What the engine says of a job decides what follows.
func TestStateOf(t *testing.T) {
	waiting := func(reason string) func(*corev1.Pod) {
		return is(corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}})
	}
	ended := func(reason string) func(*corev1.Pod) {
		return is(corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: reason, ExitCode: 137}})
	}
	never := []corev1.Event{{Reason: "FailedCreate", Message: "exceeded quota", Count: 2}}
	for name, c := range map[string]struct {
		job    batchv1.Job
		pods   []corev1.Pod
		events []corev1.Event
		want   Job // of which Why and Words are a part
	}{
		"no pod yet": {want: Job{Phase: Waiting, Why: "no pod yet"}},
		"refused once": {events: []corev1.Event{{Reason: "FailedCreate", Count: 1}},
			want: Job{Phase: Waiting, Why: "FailedCreate"}},
		"refused, each pod by its name": {events: []corev1.Event{{Reason: "FailedCreate", Count: 1},
			{Reason: "FailedCreate", Message: "exceeded quota", Count: 1}},
			want: Job{Phase: Waiting, Why: "exceeded quota", Hopeless: true}},
		"refused": {events: never, want: Job{Phase: Waiting, Why: "exceeded quota", Hopeless: true}},
		"no room": {pods: []corev1.Pod{pod(corev1.PodPending, has(corev1.PodScheduled, corev1.ConditionFalse,
			"Unschedulable"))}, want: Job{Phase: Waiting, Why: "Unschedulable"}},
		"its container is made": {pods: []corev1.Pod{pod(corev1.PodPending, waiting("ContainerCreating"))},
			want: Job{Why: "its container is made"}},
		"its container cannot be made": {pods: []corev1.Pod{pod(corev1.PodPending, waiting("ContainerCreating"))},
			events: []corev1.Event{{Type: "Warning", Reason: "FailedCreatePodSandBox"}, {Type: "Normal"}},
			want:   Job{Why: "FailedCreatePodSandBox"}},
		"pulled": {pods: []corev1.Pod{pod(corev1.PodPending, waiting("ErrImagePull"))},
			want: Job{Why: "ErrImagePull"}},
		"no image": {pods: []corev1.Pod{pod(corev1.PodPending, waiting("ImagePullBackOff"))},
			want: Job{Hopeless: true}},
		"no secret": {pods: []corev1.Pod{pod(corev1.PodPending, waiting("CreateContainerConfigError"))},
			want: Job{Hopeless: true}},
		"runs": {pods: []corev1.Pod{pod(corev1.PodRunning, is(corev1.ContainerState{}))}, want: Job{Phase: Running}},
		"over, beside one that is injected": {pods: []corev1.Pod{pod(corev1.PodRunning, ended("Completed"))},
			want: Job{Phase: Over, Words: "Completed"}},
		"out of memory": {pods: []corev1.Pod{pod(corev1.PodFailed, ended("OOMKilled"))},
			job: failed("BackoffLimitExceeded"), want: Job{Phase: Over, Words: "out of memory"}},
		"its node is lost": {pods: []corev1.Pod{pod(corev1.PodRunning, has(corev1.DisruptionTarget,
			corev1.ConditionTrue, "DeletionByTaintManager"))},
			want: Job{Phase: Over, Words: "its node failed", LostNode: true}},
		"preempted": {pods: []corev1.Pod{pod(corev1.PodFailed, has(corev1.DisruptionTarget, corev1.ConditionTrue,
			"PreemptionByScheduler"))}, want: Job{Phase: Over, Words: "preempted", LostNode: true}},
		"its node was lost, and its pod is gone": {job: failed("PodFailurePolicy"),
			want: Job{Phase: Over, Words: "node was lost", LostNode: true}},
		"its pod was deleted": {job: failed("BackoffLimitExceeded"), want: Job{Phase: Over, Words: "was deleted"}},
		"is being deleted": {pods: []corev1.Pod{pod(corev1.PodRunning, func(p *corev1.Pod) {
			p.DeletionTimestamp = new(metav1.Now())
		})}, want: Job{Phase: Over, Words: "was deleted"}},
		"too long": {job: failed("DeadlineExceeded"), want: Job{Phase: Over, Words: "time on the engine"}},
		"a second pod": {pods: []corev1.Pod{pod(corev1.PodRunning, is(corev1.ContainerState{})), {}},
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

// A job is the person's pod, which runs what is asked once, and has no account of the cluster's.
func TestReadJob(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pod.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("kind: Pod\napiVersion: v1\nmetadata: {labels: {team: a}}\nspec:\n  restartPolicy: Always\n" +
		"  containers: [{name: agent, image: x, command: [sh], args: [a]}, {name: other, image: y}]\n")
	job, err := readJob(file, "delegate-one", []string{"delegate", "__far"})
	if err != nil {
		t.Fatal(err)
	}
	spec := job.Spec.Template.Spec
	if c := spec.Containers[0]; !slices.Equal(c.Command, []string{"delegate", "__far"}) || c.Args != nil {
		t.Errorf("it runs %q %q", c.Command, c.Args)
	}
	if *job.Spec.BackoffLimit != 0 || spec.RestartPolicy != corev1.RestartPolicyNever ||
		*spec.AutomountServiceAccountToken || job.Labels["team"] != "a" || job.Labels[managedBy] != ours {
		t.Errorf("%+v", job)
	}
	for _, wrong := range []string{"kind: Job\n", "kind: Pod\nspec: {}\n", "kind: Pod\nspec: {container: []}\n",
		"- a\n"} {
		write(wrong)
		if _, err := readJob(file, "x", nil); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}
