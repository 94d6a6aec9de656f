package engine

import (
	"fmt"
	"maps"
	"os"
	"slices"

	"delegate/internal/project/config"
)

// keptFor is how long the engine keeps a job that is over and that nobody took away, in seconds: a laptop may sleep.
const keptFor = 24 * 60 * 60

// object is a part of what is sent to the API, by the API's names. The API checks all of it.
type object = map[string]any

// readJob is the Job of a pod template that runs the command line, once. What the template says of the pod goes there
// as it is, but for what has to be another way.
func readJob(template, name string, args []string) (object, error) {
	data, err := os.ReadFile(template)
	if err != nil {
		return nil, fmt.Errorf("read pod template: %w", err)
	}
	pod, err := config.Mapping(data)
	if err != nil {
		return nil, fmt.Errorf("read pod template %q: %w", template, err)
	}
	if err := checkPod(pod); err != nil {
		return nil, fmt.Errorf("pod template %q: %w", template, err)
	}
	meta, _ := pod["metadata"].(object)
	spec, _ := pod["spec"].(object)
	containers, _ := spec["containers"].([]any)
	first, _ := containers[0].(object)
	first["command"] = args
	delete(first, "args")
	spec["restartPolicy"] = "Never"
	for _, key := range []string{"automountServiceAccountToken", "enableServiceLinks"} {
		if spec[key] == nil {
			spec[key] = false
		}
	}
	labels := with(meta["labels"], managedBy, ours)
	// That a node was lost stays known when its pod is gone.
	lost := object{"action": "FailJob",
		"onPodConditions": []object{{"type": disruptionTarget, "status": isTrue}}}
	return object{
		"apiVersion": "batch/v1", "kind": "Job",
		"metadata": object{"name": name, "labels": labels},
		"spec": object{
			"parallelism": 1, "completions": 1, "backoffLimit": 0, "ttlSecondsAfterFinished": keptFor,
			"podReplacementPolicy": "Failed", "podFailurePolicy": object{"rules": []object{lost}},
			"template": object{"spec": spec, "metadata": object{"labels": labels,
				"annotations": with(meta["annotations"], container, first["name"])}},
		},
	}, nil
}

// checkPod says what is wrong with a template, of which only the spec, labels and annotations get to the API.
func checkPod(pod object) error {
	spec, _ := pod["spec"].(object)
	containers, _ := spec["containers"].([]any)
	if pod["kind"] != "Pod" || len(containers) == 0 {
		return fmt.Errorf("it has to be one Pod with a container, and is %q with %d", pod["kind"], len(containers))
	}
	if _, ok := containers[0].(object); !ok {
		return fmt.Errorf("spec.containers[0] is no mapping")
	}
	for path, keys := range map[string][]string{
		"": {"apiVersion", "kind", "metadata", "spec", "status"},
		"metadata": {"annotations", "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp",
			"finalizers", "generateName", "generation", "labels", "managedFields", "name", "namespace",
			"ownerReferences", "resourceVersion", "selfLink", "uid"},
	} {
		if err := checkKeys(pod, path, keys); err != nil {
			return err
		}
	}
	meta, _ := pod["metadata"].(object)
	for _, key := range []string{"labels", "annotations"} {
		if _, ok := meta[key].(object); !ok && meta[key] != nil {
			return fmt.Errorf("metadata.%s is no mapping", key)
		}
	}
	return nil
}

// checkKeys says which key of a part of the template the API does not know; "" is the whole.
func checkKeys(pod object, path string, known []string) error {
	part, prefix := pod, ""
	if path != "" {
		var ok bool
		if part, ok = pod[path].(object); !ok && pod[path] != nil {
			return fmt.Errorf("%s is no mapping", path)
		}
		prefix = path + "."
	}
	for _, key := range slices.Sorted(maps.Keys(part)) {
		if !slices.Contains(known, key) {
			return fmt.Errorf("unknown field %q", prefix+key)
		}
	}
	return nil
}

// with is a mapping with one more entry.
func with(all any, key string, value any) object {
	more := object{}
	if all, ok := all.(object); ok {
		maps.Copy(more, all)
	}
	more[key] = value
	return more
}
