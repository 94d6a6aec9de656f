package turnsetup

import (
	"context"
	"path/filepath"
	"strings"

	"delegate/internal/fence/resource"
	"delegate/internal/fence/sandbox"
	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// Layers are what holds an agent in, from its own program out to the merge gate, as it stood in the
// agent's last turn, or as it would in its first. loose says what its scope does not allow and the
// kernel leaves to the watch and the gate.
func Layers(ctx context.Context, p *project.Project, state registry.State, a registry.Agent) (layers []sandbox.Layer,
	loose []string) {
	layers = append(layers, hookLayer(p, a))
	turn := keeper.Turn{Dir: p.TurnDir(state.Session.ID, a.ID, a.Turns)}
	record, err := turn.Record()
	switch {
	case state.Session.Sandbox != "":
		layers = append(layers, sandbox.Layer{Name: "kernel", State: sandbox.StateOff, Detail: state.Session.Sandbox})
	case err == nil && record.Fence != nil:
		layers = append(append(layers, record.Fence.Layers()...), limitsLayer(record.Resources)...)
	case err == nil:
		layers = append(layers, sandbox.Layer{Name: "kernel", State: sandbox.StateOff,
			Detail: "its turn was started without it"})
	case p.Inside:
		layers = append(layers, sandbox.Layer{Name: "kernel", State: sandbox.StateUnavailable,
			Detail: "what holds a turn cannot be seen from inside it"})
	default:
		layers = append(layers, MachineLayers(p.Config, sandbox.Detect(ctx))...)
	}
	if policy, err := sandbox.Load(filepath.Join(turn.Dir, fenceFile)); err == nil {
		loose = policy.Loose
		layers = append(layers, networkLayer(policy.Network))
	}
	return append(layers, Outer()...), loose
}

// MachineLayers are those of the kernel as this machine has them.
func MachineLayers(c config.Config, s sandbox.Support) []sandbox.Layer {
	held := resource.Try(project.Resources(c))
	if s.Namespaces {
		held = held.InNamespace()
	}
	return append(s.Layers(), limitsLayer(&held)...)
}

// limitsLayer says how limits of memory, processes and processor are held; nothing of a turn before there were any.
func limitsLayer(held *resource.Held) []sandbox.Layer {
	if held == nil {
		return nil
	}
	state := sandbox.StateOn
	switch {
	case held.Limits == (resource.Limits{}):
		state = sandbox.StateOpen
	case held.None():
		state = sandbox.StateUnavailable
	}
	return []sandbox.Layer{{Name: "limits", State: state, Detail: held.String()}}
}

// Outer are the layers that stand around every agent, whatever the machine.
func Outer() []sandbox.Layer {
	return []sandbox.Layer{
		{Name: "git", State: sandbox.StateOn, Detail: "hooks refuse commits outside the scope; push and fetch are " +
			"disabled, no credentials (advisory: the sandbox enforces it)"},
		{Name: "watch", State: sandbox.StateOn,
			Detail: "reports changes outside the scope within seconds, and agents that agents start"},
		{Name: "gate", State: sandbox.StateOn, Detail: "nothing outside the scope can be merged"},
	}
}

func hookLayer(p *project.Project, a registry.Agent) sandbox.Layer {
	l := sandbox.Layer{Name: "hook", State: sandbox.StateUnavailable,
		Detail: "the program has no hook that asks before it uses a tool"}
	profile, err := agent.Find(p.Config, a.Profile)
	switch {
	case err != nil:
		l.Detail = err.Error()
	case a.Flags.Has(registry.FlagUnguarded):
		l.State, l.Detail = sandbox.StateOff, "the program used a tool without asking"
	case profile.Hook != nil:
		l.State, l.Detail = sandbox.StateOn,
			"the program asks before it uses a tool; shell commands are checked as text"
	case profile.Protocol != "":
		l.State, l.Detail = sandbox.StateOn, "the program asks before it uses a tool; the scope answers"
	}
	return l
}

func networkLayer(n sandbox.Network) sandbox.Layer {
	switch n.Mode {
	case sandbox.None:
		return sandbox.Layer{Name: "network", State: sandbox.StateOn, Detail: "the agent reaches only its own loopback"}
	case sandbox.Listed:
		l := sandbox.Layer{Name: "network", State: sandbox.StateOn,
			Detail: "the agent reaches only " + strings.Join(n.Hosts, ", ") + " (its program's and sandbox.hosts)"}
		if len(n.Hosts) == 0 {
			l.Detail = "the agent reaches no host: its program's are not known, and sandbox.hosts is empty"
		}
		return l
	}
	return sandbox.Layer{Name: "network", State: sandbox.StateOpen,

		Detail: "the agent reaches everything you can, without your logins (sandbox.network)"}
}
