package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"delegate/internal/sys/run"
)

// oldest is the first minor version of Kubernetes 1 that says of each job whether its node was lost.
const oldest = 31

// Inspect asks the API for its version, what the person may do in the namespace, and whether it would take a job.
func (k *kubernetes) Inspect(ctx context.Context) []Answer {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	at, err := k.find(ctx)
	if reasonOf(err) == missing {
		return []Answer{{About: Reach, Err: err, Next: "install kubectl, by which the cluster is asked"}}
	}
	if err != nil {
		return []Answer{{About: Reach, Err: err, Next: "kubectl config get-contexts"}}
	}
	reach := k.version(ctx, at)
	if reach.Err != nil {
		return []Answer{reach}
	}
	return []Answer{reach, k.permissions(ctx, at.namespace), k.dryRun(ctx, at)}
}

// version asks which one it is.
func (k *kubernetes) version(ctx context.Context, place *place) Answer {
	at := Answer{About: Reach, Next: "try it by hand: kubectl version"}
	answer, err := k.ask(ctx, nil, "get", "--raw", "/version")
	if err != nil {
		at.Err = fmt.Errorf("ask %s: %w", place.server, err)
		return at
	}
	var said struct{ Minor, GitVersion string }
	if err := json.Unmarshal(answer.out, &said); err != nil {
		at.Err = fmt.Errorf("ask %s: %w", place.server, err)
		return at
	}
	at.Text = fmt.Sprintf("Kubernetes %s at %s, namespace %s", said.GitVersion, place.server, place.namespace)
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
		{"batch", "jobs", "", []string{"create", "get", "list", "delete"}},
		{"", "pods", "", []string{"get", "list"}},
		{"", "pods", "exec", []string{"create", "get"}},
		{"", "events", "", []string{"list"}},
	}
}

// permissions asks for each of them.
func (k *kubernetes) permissions(ctx context.Context, namespace string) Answer {
	at := Answer{About: Permissions, Next: "ask the cluster's administrator for the role in docs/engines.md"}
	var has, lacks []string
	for _, r := range rights() {
		name := strings.TrimSuffix(r.resource+"/"+r.sub, "/")
		for _, verb := range r.verbs {
			allowed, err := k.may(ctx, namespace, r, verb)
			if err != nil {
				at.Err = fmt.Errorf("ask what is allowed in namespace %s: %w", namespace, err)
				return at
			}
			if !allowed {
				lacks = append(lacks, verb+" "+name)
			}
		}
		has = append(has, name+" ("+strings.Join(r.verbs, ", ")+")")
	}
	at.Text = "allowed in namespace " + namespace + ": " + strings.Join(has, ", ")
	switch {
	case len(lacks) == 1 && lacks[0] == "list events":
		at.Warns = true
		at.Text = "list events is not allowed in namespace " + namespace + ": nobody can say why no pod is made"
	case len(lacks) > 0:
		at.Err = fmt.Errorf("not allowed in namespace %s: %s", namespace, strings.Join(lacks, ", "))
	}
	return at
}

// may asks the API whether the person may do something.
func (k *kubernetes) may(ctx context.Context, namespace string, r right, verb string) (bool, error) {
	answer, err := k.post(ctx, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", object{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview",
		"spec": object{"resourceAttributes": object{"namespace": namespace, "verb": verb, "group": r.group,
			"resource": r.resource, "subresource": r.sub}}})
	if err != nil {
		return false, err
	}
	var said struct{ Status struct{ Allowed bool } }
	err = json.Unmarshal(answer.out, &said)
	return said.Status.Allowed, err
}

// dryRun has the API check a job and drop it, with what it warns of.
func (k *kubernetes) dryRun(ctx context.Context, place *place) Answer {
	at := Answer{About: Template, Next: "fix it by hand, or: delegate init --engine kubernetes"}
	job, err := readJob(k.settings.Template, Prefix+"doctor", []string{k.settings.Program})
	if err != nil {
		at.Err = err
		return at
	}
	answer, err := k.post(ctx, place.jobs("", url.Values{"fieldValidation": {strict}, "dryRun": {"All"}}), job)
	if err != nil {
		at.Err = fmt.Errorf("%s: %w", k.settings.Template, err)
		return at
	}
	at.Text = k.settings.Template + ": a job of it would be taken"
	for _, warning := range answer.warnings {
		at.Warns, at.Text = true, at.Text+"; the engine warns: "+warning
	}
	return at
}

// Jobs are those in the namespace, of everybody who uses this program there.
func (k *kubernetes) Jobs(ctx context.Context) (all []Named, err error) {
	at, err := k.find(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	var jobs struct{ Items []clusterJob }
	path := at.jobs("", url.Values{"labelSelector": {managedBy + "=" + ours}})
	if err := k.get(ctx, path, "JobList", &jobs); err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	away := "kubectl delete job --namespace " + at.namespace
	if name := k.settings.Context; name != "" {
		away += " --context " + run.Quote(name)
	}
	for _, job := range jobs.Items {
		if job.Metadata.DeletionTimestamp != nil {
			continue // it goes
		}
		all = append(all, Named{Name: job.Metadata.Name,
			Away: away + " " + job.Metadata.Name})
	}
	return all, nil
}
