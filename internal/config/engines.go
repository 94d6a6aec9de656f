package config

import (
	"fmt"
	"slices"
	"strings"
)

// Here is what the key on says for this machine.
const Here = "here"

// Slurm is the value of Engine.Kind.
const Slurm = "slurm"

// Engine is a cluster on which agents' turns can run.
type Engine struct {
	// Name is the engine's key under engines.
	Name string `json:"name"`
	// Kind is the key kind: Slurm.
	Kind string `json:"kind"`
	// Login is the key login: where its commands are run, as ssh names it; "" is this machine.
	Login string `json:"login,omitempty"`
	// Options is the key options: more arguments of its command that submits a job.
	Options []string `json:"options,omitempty"`
	// Program is the key program: this program as it is found on the nodes. Default: delegate.
	Program string `json:"program"`
	// Folder is the key folder: where a turn's folder is made on the node. Default: /var/tmp.
	Folder string `json:"folder"`
	// Mirror is the key mirror: a clone of the repository on the nodes, whose objects are not moved. Default: none.
	Mirror string `json:"mirror,omitempty"`
	// QueueTimeout is the key queue_timeout: how long a turn waits for room. 0 is no limit. Default: off.
	QueueTimeout Span `json:"-"`
	// CopyFar is the key copy_far: whether the files of the key copy go there as well. Default: false.
	CopyFar bool `json:"-"`
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
				{"kind", r.kind(&one.Kind)},
				{"login", r.text(&one.Login, checkWord)},
				{"options", r.list(&one.Options, noCheck)},
				{"program", r.text(&one.Program, checkWord)},
				{"folder", r.text(&one.Folder, checkThere)},
				{"mirror", r.text(&one.Mirror, checkThere)},
				{"queue_timeout", scalar(r, &one.QueueTimeout, parseSpan)},
				{"copy_far", scalar(r, &one.CopyFar, parseFlag)},
			})
			if one.Kind == "" && len(r.faults) == before {
				r.faultAt(e.value, "needs its kind: slurm")
			}
			(*dst)[e.name] = one
		}
	}
}

// kind reads the kind of an engine.
func (r *reader) kind(dst *string) func(value) {
	return r.text(dst, func(kind string) string {
		switch kind {
		case Slurm:
			return ""
		case "kubernetes":
			return "kubernetes is not there yet; the kind that is: slurm"
		}
		return fmt.Sprintf("%q is no kind of engine; the kind that there is: slurm", kind)
	})
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
