package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"delegate/internal/run"

	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// oldest is the first minor version of Kubernetes 1 that says of each job whether its node was lost.
const oldest = 31

// Inspect asks the API for its version, what the person may do in the namespace, and whether it would take a job.
func (k *kubernetes) Inspect(ctx context.Context) []Answer {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	api, err := k.connect()
	if err != nil {
		return []Answer{{About: Reach, Err: err, Next: "kubectl config get-contexts"}}
	}
	reach := api.version(ctx)
	if reach.Err != nil {
		return []Answer{reach}
	}
	return []Answer{reach, api.permissions(ctx), k.dryRun(ctx, api)}
}

// version asks which one it is.
func (a *api) version(ctx context.Context) Answer {
	at := Answer{About: Reach, Next: "try it by hand: kubectl version"}
	data, err := a.core.Get().AbsPath("/version").Do(ctx).Raw()
	if err != nil {
		at.Err = fmt.Errorf("ask %s: %w", a.config.Host, err)
		return at
	}
	var said struct{ Minor, GitVersion string }
	if err := json.Unmarshal(data, &said); err != nil {
		at.Err = fmt.Errorf("ask %s: %w", a.config.Host, err)
		return at
	}
	at.Text = fmt.Sprintf("Kubernetes %s at %s, namespace %s", said.GitVersion, a.config.Host, a.namespace)
	if minor, err := strconv.Atoi(strings.TrimRight(said.Minor, "+")); err == nil && minor < oldest {
		at.Err = fmt.Errorf("%s, and turns need 1.%d or newer", at.Text, oldest)
		at.Next = "name a newer cluster: context"
	}
	return at
}

// right is what may be done with one resource.
type right struct {
	group, resource, sub string
	verbs                []string
}

// rights are what turns need in their namespace.
func rights() []right {
	return []right{
		{batchv1.GroupName, "jobs", "", []string{"create", "get", "list", "delete"}},
		{"", "pods", "", []string{"get", "list"}},
		{"", "pods", "exec", []string{"create", "get"}},
		{"", "events", "", []string{"list"}},
	}
}

// permissions asks for each of them.
func (a *api) permissions(ctx context.Context) Answer {
	at := Answer{About: Permissions, Next: "ask whoever administers the cluster for the role in docs/engines.md"}
	var has, lacks []string
	for _, r := range rights() {
		name := strings.TrimSuffix(r.resource+"/"+r.sub, "/")
		for _, verb := range r.verbs {
			allowed, err := a.may(ctx, r, verb)
			if err != nil {
				at.Err = fmt.Errorf("ask what is allowed in namespace %s: %w", a.namespace, err)
				return at
			}
			if !allowed {
				lacks = append(lacks, verb+" "+name)
			}
		}
		has = append(has, name+" ("+strings.Join(r.verbs, ", ")+")")
	}
	at.Text = "allowed in namespace " + a.namespace + ": " + strings.Join(has, ", ")
	switch {
	case len(lacks) == 1 && lacks[0] == "list events":
		at.Warns = true
		at.Text = "list events is not allowed in namespace " + a.namespace + ": nobody can say why no pod is made"
	case len(lacks) > 0:
		at.Err = fmt.Errorf("not allowed in namespace %s: %s", a.namespace, strings.Join(lacks, ", "))
	}
	return at
}

// may asks the API whether the person may do something.
func (a *api) may(ctx context.Context, r right, verb string) (bool, error) {
	asked := authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: a.namespace, Verb: verb, Group: r.group,
			Resource: r.resource, Subresource: r.sub}}}
	err := a.authorization.Post().Resource("selfsubjectaccessreviews").Body(&asked).Do(ctx).Into(&asked)
	return asked.Status.Allowed, err
}

// dryRun has the API check a job and drop it, with what it warns of.
func (k *kubernetes) dryRun(ctx context.Context, api *api) Answer {
	at := Answer{About: Template, Next: "mend it by hand, or: delegate init --engine kubernetes"}
	job, err := readJob(k.settings.Template, Prefix+"doctor", []string{k.settings.Program})
	if err != nil {
		at.Err = err
		return at
	}
	done := api.batch.Post().Namespace(api.namespace).Resource("jobs").Param("dryRun", metav1.DryRunAll).Body(job).
		Do(ctx)
	if err := done.Error(); err != nil {
		at.Err = fmt.Errorf("%s: %w", k.settings.Template, err)
		return at
	}
	at.Text = k.settings.Template + ": a job of it would be taken"
	for _, w := range done.Warnings() {
		at.Warns, at.Text = true, at.Text+"; the engine warns: "+w.Text
	}
	return at
}

// Jobs are those in the namespace, of everybody who uses this program there.
func (k *kubernetes) Jobs(ctx context.Context) (all []Named, err error) {
	api, err := k.connect()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	var jobs batchv1.JobList
	err = api.batch.Get().Namespace(api.namespace).Resource("jobs").Param("labelSelector", managedBy+"="+ours).Do(ctx).
		Into(&jobs)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	away := "kubectl delete job --namespace " + api.namespace
	if name := k.settings.Context; name != "" {
		away += " --context " + run.Quote(name)
	}
	for _, job := range jobs.Items {
		if job.DeletionTimestamp != nil {
			continue // it goes
		}
		all = append(all, Named{ID: job.Name, Name: job.Name, Away: away + " " + job.Name})
	}
	return all, nil
}
