package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// Here is what the key on says for this machine.
const Here = "here"

// The values of Engine.Kind.
const (
	Slurm      = "slurm"
	Kubernetes = "kubernetes"
)

// Engine is a cluster on which agents' turns can run, with the keys of docs/engines.md.
type Engine struct {
	Name         string   `json:"name"` // its key under engines
	Kind         string   `json:"kind"`
	Login        string   `json:"login,omitempty"` // of Slurm, as ssh names it; "" is this machine
	Options      []string `json:"options,omitempty"`
	Context      string   `json:"context,omitempty"` // of Kubernetes, as the two below it
	Namespace    string   `json:"namespace,omitempty"`
	Template     string   `json:"template,omitempty"`
	Program      string   `json:"program"`
	Folder       string   `json:"folder"`
	Mirror       string   `json:"mirror,omitempty"`
	Most         Count    `json:"-"`
	QueueTimeout Span     `json:"-"`
	CopyFar      bool     `json:"-"`
}

// checkWord accepts what stands as one argument of a command, and is no option of it.
func checkWord(text string) string {
	if strings.HasPrefix(text, "-") || strings.ContainsAny(text, " \t\r\n") {
		return fmt.Sprintf("%q is no single word, or an option", text)
	}
	return ""
}

func checkThere(p string) string {
	if !strings.HasPrefix(p, "/") {
		return fmt.Sprintf("%q is not absolute; write the whole path on the nodes", p)
	}
	return ""
}

func (r *reader) engines(dst *map[string]Engine) func(value) {
	return func(v value) {
		*dst = map[string]Engine{}
		for _, e := range r.entries(v) {
			if wrong := checkName(e.name); wrong != "" || e.name == Here {
				r.faultAt(e.value, fmt.Sprintf("%q is no name of an engine", e.name))
				continue
			}
			one, before := Engine{Name: e.name, Program: "delegate", Folder: "/var/tmp"}, len(r.faults)
			r.mapping(e.value, []field{
				{"kind", r.text(&one.Kind, checkKind)},
				{"login", r.text(&one.Login, checkWord)},
				{"options", r.list(&one.Options, noCheck)},
				{"context", r.text(&one.Context, noCheck)},
				{"namespace", r.text(&one.Namespace, checkWord)},
				{"template", r.text(&one.Template, noCheck)},
				{"program", r.text(&one.Program, checkWord)},
				{"folder", r.text(&one.Folder, checkThere)},
				{"mirror", r.text(&one.Mirror, checkThere)},
				{"most", scalar(r, &one.Most, parseCount)},
				{"queue_timeout", scalar(r, &one.QueueTimeout, parseSpan)},
				{"copy_far", scalar(r, &one.CopyFar, parseFlag)},
			})
			if wrong := one.incomplete(); wrong != "" && len(r.faults) == before {
				r.faultAt(e.value, wrong)
			}
			(*dst)[e.name] = one
		}
	}
}

func checkKind(kind string) string {
	if kind == Slurm || kind == Kubernetes {
		return ""
	}
	return fmt.Sprintf("%q is no kind of engine; those that there are: %s, %s", kind, Slurm, Kubernetes)
}

// incomplete says what an engine needs and has not, or has and does not need; "" where all is well.
func (e Engine) incomplete() string {
	switch {
	case e.Kind == "":
		return "needs its kind: " + Slurm + " or " + Kubernetes
	case e.Kind == Kubernetes && e.Template == "":
		return "needs its template: the file of the pod that a turn runs in; docs/engines.md has one to copy"
	case e.Kind == Kubernetes && (e.Login != "" || len(e.Options) > 0):
		return "login and options are keys of " + Slurm
	case e.Kind == Slurm && e.Context+e.Namespace+e.Template != "":
		return "context, namespace and template are keys of " + Kubernetes
	}
	return ""
}

// checkOn holds the engine that turns run on by themselves to those that there are.
func (r *reader) checkOn(c *Config, v value) {
	if c.On == "" || c.On == Here || c.Engines[c.On].Name != "" {
		return
	}
	for _, e := range r.entries(v) {
		if e.name == "on" {
			r.faultAt(e.value, fmt.Sprintf("%q is no engine; name one of %s, and write it under engines", c.On,
				strings.Join(c.Places(), ", ")))
		}
	}
}

// Places are what the key on can name: this machine, and the engines.
func (c Config) Places() []string {
	all := []string{Here}
	for name := range c.Engines {
		all = append(all, name)
	}
	slices.Sort(all[1:])
	return all
}

// Mapping reads a YAML document of another program, such as a pod template, as it is.
func Mapping(data []byte) (map[string]any, error) {
	var all map[string]any
	err := yaml.Unmarshal(data, &all)
	return all, err
}
