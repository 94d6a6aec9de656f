package setup

import (
	"embed"
	"path"

	"delegate/internal/project/config"
)

// kubernetes are the files that a turn as a Job of Kubernetes needs, to be changed by the person.
//
//go:embed kubernetes
var kubernetes embed.FS

// engineFolder is where they go, from the root of the checkout.
const engineFolder = ".delegate"

// EngineNames are the names that engines get in a configuration that is written for them, by kind.
func EngineNames() map[string]string {
	return map[string]string{config.Kubernetes: "cluster", config.Slurm: "hpc"}
}

// engineFiles are those that an engine of a kind needs beside the configuration.
func engineFiles(kind string) (all []File) {
	if kind != config.Kubernetes {
		return nil
	}
	for _, f := range []struct{ name, what string }{
		{"pod.yaml", "the pod that a turn runs in"},
		{"seccomp.json", "system calls that its pod is refused, for the nodes"},
		{"networkpolicy.yaml", "what such pods reach"},
	} {
		data, err := kubernetes.ReadFile("kubernetes/" + f.name)
		if err != nil {
			panic(err) // it is built in
		}
		all = append(all, File{Path: path.Join(engineFolder, f.name), Content: data, What: f.what})
	}
	return all
}

// engine are the lines of a configuration for the engine that is asked for.
func (f Found) engine() string {
	switch f.Engine {
	case config.Kubernetes:
		return `# A Kubernetes cluster on which agents' turns can run: docs/engines.md.
engines:
  cluster:
    kind: kubernetes
    # context: work # of your kubeconfig; without it: the current one
    # namespace: agents # without it: that of the context
    template: .delegate/pod.yaml
    # mirror: /mirror # the git folder of a clone on a volume of the pod: what it has is not sent
    # most: 20 # agents there at once, within max_parallel_agents
# on: cluster # for all agents; else --on cluster
`
	case config.Slurm:
		return `# A Slurm cluster on which agents' turns can run: docs/engines.md.
engines:
  hpc:
    kind: slurm
    # login: me@login.example.org # where sbatch and srun are, by ssh; without it: this machine
    options: [--cpus-per-task=1, --mem=4G, --time=8:00:00] # of sbatch
    # mirror: /shared/repository.git # the git folder of a clone on the nodes: what it has is not sent
    # most: 20 # agents there at once, within max_parallel_agents
# on: hpc # for all agents; else --on hpc
`
	}
	return ""
}
