package transcript

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"delegate/internal/project"
	"delegate/internal/project/config"
	"delegate/internal/sys/atomicfile"
	"delegate/internal/turn/agentdir"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/keeper"
	"delegate/registry"
)

// usage is what the program reported of itself in the agent's folder, as it was read last.
type usage struct {
	last agentdir.Usage
	size int64
	time time.Time

	noted agentdir.Usage // written down last
}

// Usage is what the turn used up so far: by the program's events, else by its report in the agent's folder. A cost that
// it does not tell is computed, where its model has a price.
func (r *Reader) Usage(folder agentdir.Dir) agentdir.Usage {
	if used, known := r.usageByEvents(); known {
		return r.priced(used)
	}
	info, err := os.Stat(filepath.Join(string(folder), agentdir.UsageName))
	if err == nil && (info.Size() != r.usage.size || !info.ModTime().Equal(r.usage.time)) {
		r.usage.size, r.usage.time = info.Size(), info.ModTime()
		if read := r.reported(folder); read != (agentdir.Usage{}) {
			r.usage.last = read // what is being written at this moment makes no sense, and the last report holds
		}
	}
	return r.priced(r.usage.last)
}

// KeepUsage puts the usage of an ended turn with the turn, so that it counts once.
func (r *Reader) KeepUsage(folder agentdir.Dir) agentdir.Usage {
	kept := filepath.Join(r.Turn.Dir, agentdir.UsageName)
	used, known := r.usageByEvents()
	if !known {
		if used = r.reported(folder); used == (agentdir.Usage{}) {
			used = r.usage.last
		}
	}
	used = r.priced(used)
	if known || used != (agentdir.Usage{}) {
		if atomicfile.WriteJSON(kept, used) == nil && !known {
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

// usedFile is what a running turn used up so far, as its supervisor read it, in the turn's folder.
const usedFile = "used.json"

// NoteUsage writes down for reading commands what the turn used up so far.
func (r *Reader) NoteUsage(folder agentdir.Dir) {
	used := r.Usage(folder)
	if used == r.usage.noted {
		return
	}
	if data, err := json.Marshal(used); err == nil &&
		atomicfile.WriteUnsynced(filepath.Join(r.Turn.Dir, usedFile), data, 0o600) == nil {
		r.usage.noted = used
	}
}

// UsageOf is what a running turn used up so far: as its supervisor noted it, else by the report in the agent's folder.
func UsageOf(turn keeper.Turn, folder agentdir.Dir) agentdir.Usage {
	data, err := os.ReadFile(filepath.Join(turn.Dir, usedFile))
	if used := agentdir.ParseUsage(data); err == nil && used != (agentdir.Usage{}) {
		return used
	}
	return folder.Usage()
}

// usageByEvents is what the turn used up as far as the program's events say, else what it wrote down; false where
// neither says anything.
func (r *Reader) usageByEvents() (agentdir.Usage, bool) {
	if r.events == nil {
		return agentdir.Usage{}, false
	}
	used := cmp.Or(r.events.usage, r.notes.usage)
	return r.ofTurn(used), used != (dialect.Usage{})
}

// reported is what the report in the agent's folder says of the turn, in our own form or in copilot's.
func (r *Reader) reported(folder agentdir.Dir) agentdir.Usage {
	data, err := folder.Read(agentdir.UsageName, 64<<10)
	if u, known := dialect.CopilotUsage(data); err == nil && known && r.events != nil {
		return r.ofTurn(u)
	}
	return folder.Usage()
}

// ofTurn is the part of the turn in what was used up.
func (r *Reader) ofTurn(u dialect.Usage) agentdir.Usage {
	used := agentdir.Usage{InputTokens: u.Input, OutputTokens: u.Output, CachedTokens: u.Cached, CostUSD: u.Cost}
	if u.Whole { // of the conversation, of which earlier turns have had their part
		used.InputTokens = max(0, used.InputTokens-r.events.before.InputTokens)
		used.OutputTokens = max(0, used.OutputTokens-r.events.before.OutputTokens)
		used.CachedTokens = min(used.InputTokens, max(0, used.CachedTokens-r.events.before.CachedTokens))
	}
	return used
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
			sum.CachedTokens += u.CachedTokens
		}
	}
	return sum
}

// priced is what was used up with its cost, computed from the price of the model where the program told none.
func (r *Reader) priced(used agentdir.Usage) agentdir.Usage {
	if used.CostUSD > 0 || used.Tokens() == 0 || len(r.p.Config.Prices) == 0 {
		return used
	}
	price, known := priceOf(r.p.Config.Prices, cmp.Or(r.Turn.Model(), r.model))
	if !known {
		return used
	}
	fresh := used.InputTokens - used.CachedTokens
	used.CostUSD = (float64(fresh)*price.Input + float64(used.CachedTokens)*price.Cached +
		float64(used.OutputTokens)*price.Output) / 1e6
	used.CostComputed = true
	return used
}

// priceOf is the price of a model: of all keys with which its name begins, with or without its provider before it, the
// longest counts.
func priceOf(prices map[string]config.Price, model string) (found config.Price, known bool) {
	longest := -1
	for key, price := range prices {
		name := model
		if !strings.HasPrefix(name, key) {
			name = model[strings.LastIndexByte(model, '/')+1:]
		}
		if strings.HasPrefix(name, key) && len(key) > longest {
			found, known, longest = price, true, len(key)
		}
	}
	return found, known
}
