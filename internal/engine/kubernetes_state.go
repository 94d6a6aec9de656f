package engine

import (
	"cmp"
	"fmt"
	"slices"
)

// stateOf is what the engine says of a job by its pods, the last one first, and by the events of the last pod or, where
// there is none, of the job.
func stateOf(job clusterJob, pods []clusterPod, events []clusterEvent) Job {
	j := Job{Again: max(0, len(pods)-1)}
	ended, lost := endOf(job)
	if len(pods) == 0 {
		j.Why, j.Hopeless = whyNoPod(events)
	} else {
		pod := pods[0]
		j.Node = pod.Spec.NodeName
		for _, c := range pod.Status.ContainerStatuses {
			j.Again = max(j.Again, c.RestartCount)
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
	switch {
	case job.Metadata.DeletionTimestamp != nil: // by which its container may have ended already
		ended = sentence(deleted, ended)
	case j.Phase == Over && ended == "":
		ended = deleted
	}
	j.LostNode, j.Words = lost || j.Again > 0, repeated(ended, j.Again)
	return j
}

// deleted is what became of a job that was not ended from here.
const deleted = "it was deleted there, by somebody else than delegate"

// isDeleted says that the job or its pod is being deleted. What runs in it may have some seconds yet.
func isDeleted(job clusterJob, pods []clusterPod) bool {
	return job.Metadata.DeletionTimestamp != nil || len(pods) > 0 && pods[0].Metadata.DeletionTimestamp != nil
}

// finished is the condition by which the job is over.
func finished(job clusterJob) (condition, bool) {
	for _, c := range job.Status.Conditions {
		if (c.Type == jobFailed || c.Type == jobComplete || c.Type == jobFailureTarget) &&
			c.Status == isTrue {
			return c, true
		}
	}
	return condition{}, false
}

// endOf says why the job is over, where that is more than that its pod is.
func endOf(job clusterJob) (words string, lost bool) {
	c, over := finished(job)
	switch {
	case !over || c.Type == jobComplete || c.Reason == "BackoffLimitExceeded":
		return "", false
	case c.Reason == "PodFailurePolicy":
		return "its node was lost, or it was evicted or preempted", true
	case c.Reason == "DeadlineExceeded":
		return "its time on the engine was over", false
	}
	return sentence(c.Reason, c.Message), false
}

// whyNoPod says why the engine makes no pod of a job: admission and quotas refuse it more than once. Where they name
// the pod, each time is an event of its own.
func whyNoPod(events []clusterEvent) (why string, hopeless bool) {
	why, times := "no pod yet", 0
	for _, e := range events {
		if e.Reason == "FailedCreate" {
			why, times = sentence(e.Reason, e.Message), times+max(1, e.Count)
		}
	}
	return why, times > 1
}

// phaseOf is how far a job is by its pod. A pod whose node does not answer goes on until the engine gives it up.
func phaseOf(pod clusterPod) Phase {
	switch pod.Status.Phase {
	case podSucceeded, podFailed:
		return Over
	case podPending:
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
func statusOf(pod clusterPod) *containerStatus {
	for i, c := range pod.Status.ContainerStatuses {
		if c.Name == pod.Metadata.Annotations[container] {
			return &pod.Status.ContainerStatuses[i]
		}
	}
	return nil
}

// isDisrupted says that the engine takes the pod away: its node is lost, or others need the room.
func isDisrupted(pod clusterPod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c condition) bool {
		return c.Type == disruptionTarget && c.Status == isTrue
	})
}

// whyWaiting says what a pod waits for. What a container waits for that could not be made never comes.
func whyWaiting(pod clusterPod, events []clusterEvent) (why string, hopeless bool) {
	never := []string{"ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError",
		"RegistryUnavailable", "SignatureValidationFailed", "CreateContainerConfigError", "CreateContainerError",
		"RunContainerError", "CrashLoopBackOff"}
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if w := c.State.Waiting; w != nil && w.Reason != "ContainerCreating" && w.Reason != "PodInitializing" {
			return sentence(w.Reason, w.Message), slices.Contains(never, w.Reason)
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == podScheduled && c.Status == isFalse {
			return sentence(c.Reason, c.Message), false
		}
	}
	for _, e := range slices.Backward(events) {
		if e.Type == "Warning" {
			return sentence(e.Reason, e.Message), false
		}
	}
	return "its container is made", false
}

// wordsOf says how a pod ended, or goes.
func wordsOf(pod clusterPod) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == disruptionTarget && c.Status == isTrue {
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
func disruption(c condition) string {
	words := map[string]string{
		"PreemptionByScheduler":  "it was preempted",
		"DeletionByTaintManager": "its node failed",
		"DeletionByPodGC":        "its node failed",
		"EvictionByEvictionAPI":  "it was evicted",
		"TerminationByKubelet":   "its node put it out",
	}
	said := cmp.Or(words[c.Reason], "it was taken away")
	return sentence(said+", the engine says "+c.Reason, c.Message)
}
