package scopemonitor

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"delegate/internal/control/session"
	"delegate/internal/project"
	"delegate/internal/sys/run"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/keeper"
	"delegate/internal/turn/program"
	"delegate/registry"
)

// findPrograms records agent programs that an agent's turn started beside its own. They are left
// running: a person decides. One that lives for less than the time between two looks is not seen.
func (m *Monitor) findPrograms(ctx context.Context, p *project.Project, a registry.Agent, turn keeper.Turn) error {
	record, err := turn.Record()
	if err != nil {
		return nil // it has not begun
	}
	spec, err := turn.Spec()
	if err != nil {
		return err
	}
	profile, err := agent.Find(p.Config, a.Profile)
	if err != nil {
		return nil // it was taken out of the configuration
	}
	looked := programs{known: agentPrograms(p), driven: map[int]ownRun{},
		own: ownRun{args: afterBridge(spec.Args), words: runWords(afterBridge(profile.Command))}}
	for _, process := range m.treeOf(record.Keeper.PID, spec.Mark) {
		id := run.Identity{PID: process.PID, Start: process.Start}
		if id == record.Agent {
			continue
		}
		name, other := looked.isOther(process, process.Arguments())
		if !other || m.known[id] {
			continue
		}
		if err := recordProgram(ctx, p, a, process.PID, name); err != nil {
			return err
		}
		if m.known == nil {
			m.known = map[run.Identity]bool{}
		}
		m.known[id] = true
	}
	return nil
}

// programs tells the agent programs that a turn started from those that its own program consists of.
type programs struct {
	known  map[string]bool // names of agent programs
	own    ownRun
	driven map[int]ownRun // by process: the run that its own program drives and that it is or lies below
}

// isOther reports whether a process is an agent program that the turn started beside its own, and which one.
// It is to be asked about parents first.
func (l programs) isOther(process run.Process, args []string) (name string, other bool) {
	above, below := l.driven[process.Parent]
	if below {
		l.driven[process.PID] = above
	}
	name = program.NameOf(args)
	switch {
	case !l.known[name]:
		return name, false
	case name == program.NameOf(l.own.args):
		return name, l.own.again(args)
	case !l.own.drives(name):
		return name, true
	case below:
		return name, above.again(args)
	}
	run := ownRun{args: args}
	if driven, known := program.Named(name); known {
		run.words = runWords(driven.Command)
	}
	l.driven[process.PID] = run
	return name, false
}

// Processes is the table of processes, read once for all the turns that look at it within a second. The zero value is
// ready.
type Processes struct {
	mu    sync.Mutex
	read  time.Time
	table run.Table
}

func (p *Processes) recent() run.Table {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); p.table == nil || now.Sub(p.read) >= time.Second {
		p.table, p.read = run.Processes(), now
	}
	return p.table
}

// treeOf are the processes of a turn. Its keeper adopts those whose parents end, where the system lets it.
func (m *Monitor) treeOf(keeper int, mark string) []run.Process {
	tree := m.processes.recent().Below(keeper)
	if runtime.GOOS != "linux" {
		tree = append(tree, run.Marked(mark)...)
	}
	return tree
}

func recordProgram(ctx context.Context, p *project.Project, a registry.Agent, pid int, program string) error {
	e := registry.Event{Kind: registry.EventViolation, Agent: a.ID, By: session.BySupervisor,
		Details: fmt.Sprintf("started an agent program (supervisor, turn %d, process %d): %s", a.Turns, pid, program)}
	_, err := p.Store.Update(ctx, func(tx *registry.Tx) error {
		if session.IsRecorded(tx.State(), e) {
			return nil // by an earlier supervisor
		}
		return tx.Record(e, (*registry.Agent).AddViolation)
	})
	return err
}

// agentPrograms are the names of the programs of all profiles.
func agentPrograms(p *project.Project) map[string]bool {
	known := map[string]bool{}
	for _, profile := range program.All() {
		known[program.NameOf(profile.Command)] = true
	}
	for name := range p.Config.Profiles {
		if profile, err := agent.Find(p.Config, name); err == nil {
			known[program.NameOf(afterBridge(profile.Command))] = true
		}
	}
	delete(known, "")
	return known
}

// afterBridge is the program's own command line, without that of the bridge that speaks its protocol.
func afterBridge(args []string) []string {
	if at := slices.Index(args, "--"); at > 1 && args[1] == agent.BridgeVerb {
		return args[at+1:]
	}
	return args
}

// ownRun tells a worker of the turn's own program from a new run of it.
type ownRun struct {
	args  []string // of the turn
	words []string // with which the program is asked to work by itself
}

// drives reports whether the turn's own program is one that speaks for the named one, as claude-agent-acp for claude.
func (o ownRun) drives(name string) bool {
	return slices.ContainsFunc(o.args[:min(len(o.args), mostOfName)], func(arg string) bool {
		own, _, _ := strings.Cut(strings.TrimPrefix(arg, "@"), "@") // of an npm package without its version
		return strings.HasPrefix(program.PlainName(own), name+"-")
	})
}

// mostOfName is how many words of a command line may name its program: what runs a script, its options, the script.
const mostOfName = 4

// again reports whether a process of the turn's own program is a run of its own.
// Some start themselves once more with the same arguments, for another runtime or a bigger heap: that is the same run.
func (o ownRun) again(args []string) bool {
	rest := o.args[min(1, len(o.args)):]
	if program.ReadsScripts(program.PlainName(o.args[0])) {
		rest = o.args[min(2, len(o.args)):]
	}
	if len(args) >= len(rest) && slices.Equal(args[len(args)-len(rest):], rest) {
		return false
	}
	return slices.ContainsFunc(o.words, func(word string) bool { return slices.Contains(args, word) })
}

// runWords are the words of a profile's command that ask for a run without a person: its verb, and
// the option that the prompt follows.
func runWords(command []string) []string {
	var words []string
	for i, word := range command[min(1, len(command)):] {
		isOption := strings.HasPrefix(word, "-")
		behind := ""
		if i+2 < len(command) {
			behind = command[i+2]
		}
		switch {
		case i == 0 && !isOption && !strings.Contains(word, "{") &&
			!program.ReadsScripts(program.PlainName(command[0])):
			words = append(words, word)
		case isOption && (behind == "{prompt}" || behind == "{prompt_file}"):
			words = append(words, word)
		}
	}
	return words
}
