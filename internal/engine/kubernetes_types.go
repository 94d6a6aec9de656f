package engine

import "time"

// The words of the API that decide something.
const (
	podPending, podRunning, podSucceeded, podFailed = "Pending", "Running", "Succeeded", "Failed"

	jobComplete, jobFailed, jobFailureTarget = "Complete", "Failed", "FailureTarget"

	podScheduled, disruptionTarget = "PodScheduled", "DisruptionTarget"
	isTrue, isFalse                = "True", "False"
)

// metadata, and the types below, are what is read of the API's answers, by its names. It gives more.
type metadata struct {
	Name              string            `json:"name"`
	Annotations       map[string]string `json:"annotations"`
	CreationTimestamp time.Time         `json:"creationTimestamp"`
	DeletionTimestamp *time.Time        `json:"deletionTimestamp"`
}

type clusterJob struct {
	Metadata metadata  `json:"metadata"`
	Status   jobStatus `json:"status"`
}

type jobStatus struct {
	Conditions []condition `json:"conditions"`
}

// condition is one of a job or a pod.
type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

type clusterPod struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status podStatus `json:"status"`
}

type podStatus struct {
	Phase                 string            `json:"phase"`
	Reason                string            `json:"reason"`
	Message               string            `json:"message"`
	Conditions            []condition       `json:"conditions"`
	InitContainerStatuses []containerStatus `json:"initContainerStatuses"`
	ContainerStatuses     []containerStatus `json:"containerStatuses"`
}

type containerStatus struct {
	Name         string         `json:"name"`
	RestartCount int            `json:"restartCount"`
	State        containerState `json:"state"`
}

type containerState struct {
	Waiting    *stateWords `json:"waiting"`
	Terminated *stateWords `json:"terminated"`
}

type stateWords struct {
	Reason   string `json:"reason"`
	Message  string `json:"message"`
	ExitCode int    `json:"exitCode"`
}

type clusterEvent struct {
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Count   int    `json:"count"`
}
