package engine

import (
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// stateOf is what the engine says of a job by its pods, the last one first, and by the events of the last pod or, where
// there is none, of the job.
func stateOf(job batchv1.Job, pods []corev1.Pod, events []corev1.Event) Job {
	j := Job{Again: max(0, len(pods)-1)}
	ended, lost := endOf(job)
	if len(pods) == 0 {
		j.Why, j.Hopeless = whyNoPod(events)
	} else {
		pod := pods[0]
		j.Node = pod.Spec.NodeName
		for _, c := range pod.Status.ContainerStatuses {
			j.Again = max(j.Again, int(c.RestartCount))
		}
		j.Phase = phaseOf(pod)
		if j.Phase == Waiting {
			j.Why, j.Hopeless = whyWaiting(pod, events)
		}
		lost = lost || isDisrupted(pod)
		ended = sentence(wordsOf(pod), ended)
	}
	if _, failed := finished(job); failed || isDeleted(job, pods) {
		j.Phase = Over
	}
	if j.Phase == Over && ended == "" {
		ended = deleted
	}
	j.LostNode, j.Words = lost || j.Again > 0, repeated(ended, j.Again)
	return j
}

// deleted is what became of a job that was not ended from here.
const deleted = "it was deleted there, by somebody else than delegate"

// isDeleted says that the job or its pod is being deleted. What runs in it may have some seconds yet.
func isDeleted(job batchv1.Job, pods []corev1.Pod) bool {
	return job.DeletionTimestamp != nil || len(pods) > 0 && pods[0].DeletionTimestamp != nil
}

// finished is the condition by which the job is over.
func finished(job batchv1.Job) (batchv1.JobCondition, bool) {
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobFailed || c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailureTarget) &&
			c.Status == corev1.ConditionTrue {
			return c, true
		}
	}
	return batchv1.JobCondition{}, false
}

// endOf says why the job is over, where that is more than that its pod is.
func endOf(job batchv1.Job) (words string, lost bool) {
	c, over := finished(job)
	switch {
	case !over || c.Type == batchv1.JobComplete || c.Reason == batchv1.JobReasonBackoffLimitExceeded:
		return "", false
	case c.Reason == batchv1.JobReasonPodFailurePolicy:
		return "its node was lost, or it was evicted or preempted", true
	case c.Reason == batchv1.JobReasonDeadlineExceeded:
		return "its time on the engine was over", false
	}
	return sentence(c.Reason, c.Message), false
}

// whyNoPod says why the engine makes no pod of a job: admission and quotas refuse it more than once. Where they name
// the pod, each time is an event of its own.
func whyNoPod(events []corev1.Event) (why string, hopeless bool) {
	why, times := "no pod yet", 0
	for _, e := range events {
		if e.Reason == "FailedCreate" {
			why, times = sentence(e.Reason, e.Message), times+max(1, int(e.Count))
		}
	}
	return why, times > 1
}

// phaseOf is how far a job is by its pod. A pod whose node does not answer goes on until the engine gives it up.
func phaseOf(pod corev1.Pod) Phase {
	switch pod.Status.Phase {
	case corev1.PodSucceeded, corev1.PodFailed:
		return Over
	case corev1.PodPending:
		if isDisrupted(pod) {
			return Over
		}
		return Waiting
	}
	if main := statusOf(pod); isDisrupted(pod) || main != nil && main.State.Terminated != nil {
		return Over
	}
	return Running
}

// statusOf is the state of the container that the job is for, nil before there is one.
func statusOf(pod corev1.Pod) *corev1.ContainerStatus {
	for i, c := range pod.Status.ContainerStatuses {
		if c.Name == pod.Annotations[container] {
			return &pod.Status.ContainerStatuses[i]
		}
	}
	return nil
}

// isDisrupted says that the engine takes the pod away: its node is lost, or others need the room.
func isDisrupted(pod corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue
	})
}

// whyWaiting says what a pod waits for. What a container waits for that could not be made never comes.
func whyWaiting(pod corev1.Pod, events []corev1.Event) (why string, hopeless bool) {
	never := []string{"ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError",
		"RegistryUnavailable", "SignatureValidationFailed", "CreateContainerConfigError", "CreateContainerError",
		"RunContainerError", "CrashLoopBackOff"}
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if w := c.State.Waiting; w != nil && w.Reason != "ContainerCreating" && w.Reason != "PodInitializing" {
			return sentence(w.Reason, w.Message), slices.Contains(never, w.Reason)
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return sentence(c.Reason, c.Message), false
		}
	}
	for _, e := range slices.Backward(events) {
		if e.Type == corev1.EventTypeWarning {
			return sentence(e.Reason, e.Message), false
		}
	}
	return "its container is made", false
}

// wordsOf says how a pod ended, or goes.
func wordsOf(pod corev1.Pod) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return disruption(c)
		}
	}
	if pod.Status.Reason != "" {
		return sentence("the engine says "+pod.Status.Reason, pod.Status.Message)
	}
	main := statusOf(pod)
	switch {
	case main == nil || main.State.Terminated == nil:
		return ""
	case main.State.Terminated.Reason == "OOMKilled":
		return "it was out of memory there, the engine says OOMKilled"
	}
	end := main.State.Terminated
	return sentence(fmt.Sprintf("the engine says %s, exit %d", end.Reason, end.ExitCode), end.Message)
}

// disruption says by whom a pod was taken away.
func disruption(c corev1.PodCondition) string {
	words := map[string]string{
		corev1.PodReasonPreemptionByScheduler: "it was preempted",
		"DeletionByTaintManager":              "its node failed",
		"DeletionByPodGC":                     "its node failed",
		"EvictionByEvictionAPI":               "it was evicted",
		corev1.PodReasonTerminationByKubelet:  "its node put it out",
	}
	said := words[c.Reason]
	if said == "" {
		said = "it was taken away"
	}
	return sentence(said+", the engine says "+c.Reason, c.Message)
}
