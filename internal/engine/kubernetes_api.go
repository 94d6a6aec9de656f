package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"

	"delegate/internal/sys/run"
)

// place is where the kubeconfig leads.
type place struct{ server, namespace string }

// missing is the reason where there is no kubectl.
const missing = "Missing"

// find has kubectl read the kubeconfig, once.
func (k *kubernetes) find(ctx context.Context) (*place, error) {
	if k.place != nil {
		return k.place, nil
	}
	if _, err := run.Which("kubectl", "/", os.Getenv("PATH")); err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", &kubectlError{missing, err.Error()})
	}
	answer, err := k.ask(ctx, nil, "config", "view", "--minify", "--output=json")
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	var said struct {
		Clusters []struct {
			Cluster struct{ Server string }
		}
		Contexts []struct {
			Context struct{ Namespace string }
		}
	}
	if err := json.Unmarshal(answer.out, &said); err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	if len(said.Clusters) != 1 || len(said.Contexts) != 1 {
		return nil, fmt.Errorf("read kubeconfig: kubectl names no cluster of the context: %.200q", answer.out)
	}
	k.place = &place{server: said.Clusters[0].Cluster.Server,
		namespace: cmp.Or(k.settings.Namespace, said.Contexts[0].Context.Namespace, "default")}
	return k.place, nil
}

// jobs is the path of a job, "" for all.
func (p *place) jobs(name string, asked url.Values) string {
	return p.path("/apis/batch/v1", "jobs", name, asked)
}

// path is that of a resource in the namespace, or of all of that kind.
func (p *place) path(group, resource, name string, asked url.Values) string {
	at := group + "/namespaces/" + url.PathEscape(p.namespace) + "/" + resource
	if name != "" {
		at += "/" + url.PathEscape(name)
	}
	if len(asked) > 0 {
		at += "?" + asked.Encode()
	}
	return at
}

// jobOf is a job.
func (k *kubernetes) jobOf(ctx context.Context, at *place, id string) (clusterJob, error) {
	var job clusterJob
	if err := k.get(ctx, at.jobs(id, nil), "Job", &job); err != nil {
		return job, fmt.Errorf("look at job %q: %w", id, err)
	}
	return job, nil
}

// podsOf are the pods of a job, the last one first.
func (k *kubernetes) podsOf(ctx context.Context, at *place, job string) ([]clusterPod, error) {
	var all struct{ Items []clusterPod }
	path := at.path("/api/v1", "pods", "", url.Values{"labelSelector": {jobName + "=" + job}})
	if err := k.get(ctx, path, "PodList", &all); err != nil {
		return nil, fmt.Errorf("list pods of job %q: %w", job, err)
	}
	slices.SortFunc(all.Items, func(a, b clusterPod) int {
		return cmp.Or(b.Metadata.CreationTimestamp.Compare(a.Metadata.CreationTimestamp),
			cmp.Compare(b.Metadata.Name, a.Metadata.Name))
	})
	return all.Items, nil
}

// eventsOf are what the engine noted about a job or a pod, none where it may not be asked.
func (k *kubernetes) eventsOf(ctx context.Context, at *place, kind, name string) []clusterEvent {
	var all struct{ Items []clusterEvent }
	about := "involvedObject.kind=" + kind + ",involvedObject.name=" + name
	err := k.get(ctx, at.path("/api/v1", "events", "", url.Values{"fieldSelector": {about}}), "EventList", &all)
	if err != nil {
		return nil
	}
	return all.Items
}
