package transcript

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"delegate/internal/agentdir"
	"delegate/internal/atomicfile"
	"delegate/internal/dialect"
	"delegate/internal/keeper"
	"delegate/internal/project"
	"delegate/registry"
)

// usage is what the program reported of itself in the agent's folder, as it was read last.
type usage struct {
	last agentdir.Usage
	size int64
	time time.Time
}

// Usage is what the turn used up so far: by the program's events, else by its report in the agent's folder.
func (r *Reader) Usage(folder agentdir.Dir) agentdir.Usage {
	if used, known := r.usageByEvents(); known {
		return used
	}
	info, err := os.Stat(filepath.Join(string(folder), agentdir.UsageName))
	if err == nil && (info.Size() != r.usage.size || !info.ModTime().Equal(r.usage.time)) {
		r.usage.size, r.usage.time = info.Size(), info.ModTime()
		if read := folder.Usage(); read != (agentdir.Usage{}) {
			r.usage.last = read // what is being written at this moment makes no sense, and the last report holds
		}
	}
	return r.usage.last
}

// KeepUsage puts the usage of an ended turn with the turn, so that it counts once.
func (r *Reader) KeepUsage(folder agentdir.Dir) agentdir.Usage {
	kept := filepath.Join(r.Turn.Dir, agentdir.UsageName)
	used, known := r.usageByEvents()
	if !known {
		if used = folder.Usage(); used == (agentdir.Usage{}) {
			used = r.usage.last
		}
	}
	if known || used != (agentdir.Usage{}) {
		data, err := json.Marshal(used)
		if err == nil && atomicfile.WriteFile(kept, data, 0o600) == nil && !known {
			_ = folder.Remove(agentdir.UsageName)
		}
	}
	if known {
		return used
	}
	data, err := os.ReadFile(kept) // a supervisor that died may have put it there
	if err != nil {
		return agentdir.Usage{}
	}
	return agentdir.ParseUsage(data)
}

// usageByEvents is what the turn used up as far as the program's events say; false where they say nothing.
func (r *Reader) usageByEvents() (agentdir.Usage, bool) {
	if r.events == nil || r.events.usage == (dialect.Usage{}) {
		return agentdir.Usage{}, false
	}
	u := r.events.usage
	used := agentdir.Usage{InputTokens: u.Input, OutputTokens: u.Output, CostUSD: u.Cost}
	if u.Whole { // of the conversation, of which earlier turns have had their part
		used.InputTokens = max(0, used.InputTokens-r.events.before.InputTokens)
		used.OutputTokens = max(0, used.OutputTokens-r.events.before.OutputTokens)
	}
	return used, true
}

// usedBefore is what the earlier turns of the attempt used up.
func usedBefore(p *project.Project, session string, a registry.Agent) agentdir.Usage {
	var sum agentdir.Usage
	for n := a.Turns - 1; n > 0; n-- {
		turn := keeper.Turn{Dir: p.TurnDir(session, a.ID, n)}
		if spec, err := turn.Spec(); err != nil || spec.Attempt != a.Attempt {
			break
		}
		if data, err := os.ReadFile(filepath.Join(turn.Dir, agentdir.UsageName)); err == nil {
			u := agentdir.ParseUsage(data)
			sum.InputTokens, sum.OutputTokens = sum.InputTokens+u.InputTokens, sum.OutputTokens+u.OutputTokens
		}
	}
	return sum
}
