package engine

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"delegate/internal/project/config"
	"delegate/internal/sys/run"
)

// kubernetes is a namespace of a cluster that is reached by kubectl, as the person's kubeconfig says. A job's id is its
// name.
type kubernetes struct {
	settings config.Engine
	place    *place // nil before it was asked for anything
}

// The labels of jobs and pods.
const (
	managedBy = "app.kubernetes.io/managed-by"
	ours      = "delegate"
	jobName   = "batch.kubernetes.io/job-name" // set by the engine
	container = "kubectl.kubernetes.io/default-container"
)

// Submit makes a Job of the person's pod template, whose first container runs the command line.
func (k *kubernetes) Submit(ctx context.Context, name string, args []string) (string, error) {
	at, err := k.find(ctx)
	if said := new(kubectlError); errors.As(err, &said) {
		return "", &RefusedError{err}
	}
	if err != nil {
		return "", err
	}
	job, err := readJob(k.settings.Template, name, args)
	if err != nil {
		return "", &RefusedError{err}
	}
	_, err = k.post(ctx, at.jobs("", url.Values{"fieldValidation": {strict}}), job)
	switch reasonOf(err) {
	case "AlreadyExists":
		return name, nil
	case "Invalid", "Forbidden", "BadRequest", "NotFound":
		return "", &RefusedError{err} // a login that is over is none: it comes back
	}
	if err != nil {
		return "", fmt.Errorf("make job: %w", err)
	}
	return name, nil
}

// strict has the API refuse fields that it does not know.
const strict = "Strict"

// Look asks for the job and its pods, and where there is none, or it does not run yet, for the reason.
func (k *kubernetes) Look(ctx context.Context, id string) (Job, error) {
	at, err := k.find(ctx)
	if err != nil {
		return Job{}, err
	}
	job, err := k.jobOf(ctx, at, id)
	var pods []clusterPod
	if err == nil {
		pods, err = k.podsOf(ctx, at, id)
	}
	if err == nil && len(pods) == 0 { // the last one goes when its job has noted how it ended, maybe since then
		job, err = k.jobOf(ctx, at, id)
	}
	if reasonOf(err) == "NotFound" {
		return Job{Phase: Unknown, Words: deleted}, nil
	}
	if err != nil {
		return Job{}, err
	}
	switch {
	case len(pods) == 0:
		return stateOf(job, nil, k.eventsOf(ctx, at, "Job", id)), nil
	case pods[0].Status.Phase == podPending:
		return stateOf(job, pods, k.eventsOf(ctx, at, "Pod", pods[0].Metadata.Name)), nil
	}
	return stateOf(job, pods, nil), nil
}

// Exec has kubectl choose the pod of the job, and the container that the pod names.
func (k *kubernetes) Exec(id string, args []string) run.Command {
	words := []string{"exec", "--stdin", "--quiet"}
	if k.settings.Namespace != "" {
		words = append(words, "--namespace="+k.settings.Namespace)
	}
	return k.kubectl(append(append(words, "job/"+id, "--"), args...)...)
}

// Cancel deletes the job, whose pod is told to end and has the time for it that its template gives.
func (k *kubernetes) Cancel(ctx context.Context, id string) error {
	at, err := k.find(ctx)
	if err != nil {
		return err
	}
	_, err = k.ask(ctx, nil, "delete", "--raw", at.jobs(id, url.Values{"propagationPolicy": {"Foreground"}}))
	if err != nil && reasonOf(err) != "NotFound" {
		return fmt.Errorf("delete job %q: %w", id, err)
	}
	return nil
}

// sentence joins what is said of one thing.
func sentence(words ...string) string {
	var said []string
	for _, w := range words {
		if w = strings.TrimSpace(w); w != "" {
			said = append(said, w)
		}
	}
	return strings.Join(said, ": ")
}
