package engine

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strings"

	"delegate/internal/config"
	"delegate/internal/run"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// kubernetes is a namespace of a cluster that is reached by its API, as the person's kubeconfig says. A job's id is its
// name.
type kubernetes struct {
	settings config.Engine
	api      *api // nil before it was asked for anything
}

// The labels of jobs and pods.
const (
	managedBy = "app.kubernetes.io/managed-by"
	ours      = "delegate"
	jobName   = "batch.kubernetes.io/job-name" // set by the engine
	container = "kubectl.kubernetes.io/default-container"
)

// keptFor is how long the engine keeps a job that is over and that nobody took away, in seconds: a laptop may sleep.
const keptFor = 24 * 60 * 60

// connect is the way to the API.
func (k *kubernetes) connect() (*api, error) {
	if k.api == nil {
		made, err := connect(k.settings.Context, k.settings.Namespace)
		if err != nil {
			return nil, err
		}
		k.api = made
	}
	return k.api, nil
}

// Submit makes a Job of the person's pod template, whose first container runs the command line.
func (k *kubernetes) Submit(ctx context.Context, name string, args []string) (string, error) {
	api, err := k.connect()
	if err != nil {
		return "", &RefusedError{err}
	}
	job, err := readJob(k.settings.Template, name, args)
	if err != nil {
		return "", &RefusedError{err}
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err = api.batch.Post().Namespace(api.namespace).Resource("jobs").Body(job).Do(ctx).Error()
	switch {
	case apierrors.IsAlreadyExists(err):
		return name, nil
	case isRefusal(err):
		return "", &RefusedError{err}
	case err != nil:
		return "", fmt.Errorf("make job: %w", err)
	}
	return name, nil
}

// isRefusal says that the API understood, and does not want it. A login that is over is none: it comes back.
func isRefusal(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err) ||
		apierrors.IsNotFound(err)
}

// readJob is the Job of a pod template that runs the command line, once.
func readJob(template, name string, args []string) (*batchv1.Job, error) {
	data, err := os.ReadFile(template)
	if err != nil {
		return nil, fmt.Errorf("read pod template: %w", err)
	}
	var pod corev1.Pod
	if err := yaml.UnmarshalStrict(data, &pod); err != nil {
		return nil, fmt.Errorf("read pod template %q: %w", template, err)
	}
	if pod.Kind != "Pod" || len(pod.Spec.Containers) == 0 {
		return nil, fmt.Errorf("pod template %q: it has to be one Pod with a container, and is %q with %d", template,
			pod.Kind, len(pod.Spec.Containers))
	}
	first, spec := &pod.Spec.Containers[0], &pod.Spec
	first.Command, first.Args = args, nil
	spec.RestartPolicy = corev1.RestartPolicyNever
	if spec.AutomountServiceAccountToken == nil {
		spec.AutomountServiceAccountToken = new(bool)
	}
	if spec.EnableServiceLinks == nil {
		spec.EnableServiceLinks = new(bool)
	}
	labels := with(pod.Labels, managedBy, ours)
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: batchv1.JobSpec{
			Parallelism: new(int32(1)), Completions: new(int32(1)), BackoffLimit: new(int32),
			TTLSecondsAfterFinished: new(int32(keptFor)), PodReplacementPolicy: new(batchv1.Failed),
			// That a node was lost stays known when its pod is gone.
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
				Action: batchv1.PodFailurePolicyActionFailJob,
				OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{
					Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}}}}},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels,
				Annotations: with(pod.Annotations, container, first.Name)}, Spec: *spec},
		},
	}, nil
}

// with is a map with one more entry.
func with(all map[string]string, key, value string) map[string]string {
	more := map[string]string{}
	maps.Copy(more, all)
	more[key] = value
	return more
}

// Look asks for the job and its pods, and where there is none, or it does not run yet, for the reason.
func (k *kubernetes) Look(ctx context.Context, id string) (Job, error) {
	api, err := k.connect()
	if err != nil {
		return Job{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	var job batchv1.Job
	err = api.batch.Get().Namespace(api.namespace).Resource("jobs").Name(id).Do(ctx).Into(&job)
	if apierrors.IsNotFound(err) {
		return Job{Phase: Unknown, Words: deleted}, nil
	}
	if err != nil {
		return Job{}, fmt.Errorf("look at job %q: %w", id, err)
	}
	pods, err := api.podsOf(ctx, id)
	if err != nil {
		return Job{}, err
	}
	switch {
	case len(pods) == 0:
		return stateOf(job, nil, api.eventsOf(ctx, "Job", id)), nil
	case pods[0].Status.Phase == corev1.PodPending:
		return stateOf(job, pods, api.eventsOf(ctx, "Pod", pods[0].Name)), nil
	}
	return stateOf(job, pods, nil), nil
}

// Exec is this program itself, which joins its streams with those of a command in the job's pod.
func (k *kubernetes) Exec(id string, args []string) run.Command {
	return run.Command{Path: run.Program(), Dir: "/", Bound: true,
		Args: append([]string{Verb, k.settings.Context, k.settings.Namespace, id}, args...)}
}

// Cancel deletes the job, whose pod is told to end and has the time for it that its template gives.
func (k *kubernetes) Cancel(ctx context.Context, id string) error {
	api, err := k.connect()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	first := metav1.DeletePropagationForeground
	err = api.batch.Delete().Namespace(api.namespace).Resource("jobs").Name(id).
		Body(&metav1.DeleteOptions{PropagationPolicy: &first}).Do(ctx).Error()
	if err != nil && !apierrors.IsNotFound(err) {
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
