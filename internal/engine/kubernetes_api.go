package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"

	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// api is the groups of the API that are used; those that are not would be most of the client.
type api struct {
	config                     *rest.Config
	core, batch, authorization *rest.RESTClient
	namespace                  string
	scheme                     *runtime.Scheme
}

// connect reads the person's kubeconfig; "" is its current context, and that one's namespace.
func connect(name, namespace string) (*api, error) {
	loaded := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(),
		&clientcmd.ConfigOverrides{CurrentContext: name})
	config, err := loaded.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	config.WarningHandler = rest.NoWarnings{}
	a := &api{config: config, namespace: namespace, scheme: runtime.NewScheme()}
	if namespace == "" {
		if a.namespace, _, err = loaded.Namespace(); err != nil {
			return nil, fmt.Errorf("read kubeconfig: %w", err)
		}
	}
	metav1.AddToGroupVersion(a.scheme, schema.GroupVersion{Version: "v1"})
	if err := errors.Join(corev1.AddToScheme(a.scheme), batchv1.AddToScheme(a.scheme),
		authorizationv1.AddToScheme(a.scheme)); err != nil {
		return nil, err
	}
	if a.core, err = a.group("/api", corev1.SchemeGroupVersion); err != nil {
		return nil, err
	}
	if a.batch, err = a.group("/apis", batchv1.SchemeGroupVersion); err != nil {
		return nil, err
	}
	a.authorization, err = a.group("/apis", authorizationv1.SchemeGroupVersion)
	return a, err
}

// group is the client of one group.
func (a *api) group(path string, version schema.GroupVersion) (*rest.RESTClient, error) {
	c := rest.CopyConfig(a.config)
	c.APIPath, c.GroupVersion = path, &version
	c.NegotiatedSerializer = serializer.NewCodecFactory(a.scheme).WithoutConversion()
	return rest.RESTClientFor(c)
}

// podsOf are the pods of a job, the last one first.
func (a *api) podsOf(ctx context.Context, job string) ([]corev1.Pod, error) {
	var all corev1.PodList
	err := a.core.Get().Namespace(a.namespace).Resource("pods").Param("labelSelector", jobName+"="+job).Do(ctx).
		Into(&all)
	if err != nil {
		return nil, fmt.Errorf("list pods of job %q: %w", job, err)
	}
	slices.SortFunc(all.Items, func(a, b corev1.Pod) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(b.Name, a.Name))
	})
	return all.Items, nil
}

// eventsOf are what the engine noted about a job or a pod, none where it may not be asked.
func (a *api) eventsOf(ctx context.Context, kind, name string) []corev1.Event {
	var all corev1.EventList
	about := fields.Set{"involvedObject.kind": kind, "involvedObject.name": name}
	err := a.core.Get().Namespace(a.namespace).Resource("events").Param("fieldSelector", about.String()).Do(ctx).
		Into(&all)
	if err != nil {
		return nil
	}
	return all.Items
}

// Verb is the hidden command under which this program joins its streams with those of a command in a pod.
const Verb = "__exec"

// IsLife says whether arguments (without the program's name) name that command.
func IsLife(args []string) bool { return len(args) > 4 && args[0] == Verb }

// Main is that command, and answers with the exit status of the one in the pod.
func Main(ctx context.Context, args []string) (status int, mine bool) {
	if !IsLife(args) {
		return 0, false
	}
	err := execute(ctx, args[1], args[2], args[3], args[4:])
	var ended exec.CodeExitError
	if errors.As(err, &ended) {
		return ended.Code, true
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1, true
	}
	return 0, true
}

// execute runs a command in the pod of a job, with the streams of this process.
func execute(ctx context.Context, context, namespace, job string, args []string) error {
	a, err := connect(context, namespace)
	if err != nil {
		return err
	}
	pods, err := a.podsOf(ctx, job)
	if err != nil {
		return err
	}
	if len(pods) == 0 {
		return fmt.Errorf("job %q has no pod", job)
	}
	at := a.core.Post().Namespace(a.namespace).Resource("pods").Name(pods[0].Name).SubResource("exec").
		Param("container", pods[0].Annotations[container]).Param("stdin", "true").Param("stdout", "true").
		Param("stderr", "true")
	for _, word := range args {
		at = at.Param("command", word)
	}
	stream, err := remotecommand.NewWebSocketExecutor(a.config, "GET", at.URL().String())
	if err != nil {
		return err
	}
	return stream.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: os.Stdin, Stdout: os.Stdout,
		Stderr: os.Stderr})
}
