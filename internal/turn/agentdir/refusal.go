package agentdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"delegate/internal/text/budget"
)

// Usage is what a program reports to have used up in one turn so far.
type Usage struct {
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`
	CachedTokens int     `json:"cached_tokens"` // of the input's, what was read from a cache
	CostUSD      float64 `json:"cost_usd"`
	CostComputed bool    `json:"cost_computed"` // from tokens and the prices of the configuration, in part at least
}

// Plus is what both used up.
func (u Usage) Plus(more Usage) Usage {
	return Usage{InputTokens: u.InputTokens + more.InputTokens, OutputTokens: u.OutputTokens + more.OutputTokens,
		CachedTokens: u.CachedTokens + more.CachedTokens, CostUSD: u.CostUSD + more.CostUSD,
		CostComputed: u.CostComputed || more.CostComputed}
}

// Amount is what counts for a budget.
func (u Usage) Amount() budget.Amount { return budget.Amount{Cost: u.CostUSD, Tokens: u.Tokens()} }

// Tokens are all tokens of the turn.
func (u Usage) Tokens() int { return u.InputTokens + u.OutputTokens }

// UsageName is the file in which a program, or a wrapper around it, reports its usage.
const UsageName = "usage.json"

// ParseUsage reads a report; the zero Usage if it makes no sense.
func ParseUsage(data []byte) Usage {
	const most = 1 << 40
	var u Usage
	if json.Unmarshal(data, &u) != nil {
		return Usage{}
	}
	sane := u.InputTokens >= 0 && u.OutputTokens >= 0 && u.InputTokens < most && u.OutputTokens < most &&
		u.CachedTokens >= 0 && u.CachedTokens <= u.InputTokens &&
		u.CostUSD >= 0 && u.CostUSD < most
	if !sane {
		return Usage{}
	}
	return u
}

// Usage is what the program reports now.
func (d Dir) Usage() Usage {
	data, err := d.Read(UsageName, 64<<10)
	if err != nil {
		return Usage{}
	}
	return ParseUsage(data)
}

// Refusal is something an agent tried and was refused, as the layer that refused it reports it.
type Refusal struct {
	Time      time.Time `json:"time"`
	Layer     string    `json:"layer"`     // what refused it, such as "delegate"
	Operation string    `json:"operation"` // what was tried
	Path      string    `json:"path,omitempty"`
	Pattern   string    `json:"pattern,omitempty"` // the rule that decided
	Same      bool      `json:"same,omitempty"`    // another path of the attempt that was reported before it
}

// Spool bounds: layers inside the fence write here, so nothing in it is trusted.
const (
	mostSpooled = 1000
	largestNote = 16 << 10
)

const spoolName = "spool"

// Report leaves a refusal in the folder, from inside the agent's turn. The spool only reports:
// nothing that is written there allows anything.
func (d Dir) Report(a Refusal) error {
	data, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("report attempt: %w", err)
	}
	if err := d.Folder(spoolName); err != nil {
		return fmt.Errorf("report attempt: %w", err)
	}
	if entries, err := d.List(spoolName, mostSpooled); err != nil || len(entries) >= mostSpooled {
		return errors.Join(fmt.Errorf("report attempt: too many wait already"), err)
	}
	name := fmt.Sprintf("%s/%d-%d.json", spoolName, a.Time.UnixNano(), os.Getpid())
	return d.write(name, data)
}

// HasRefusals reports whether any refusal waits.
func (d Dir) HasRefusals() bool {
	entries, err := d.List(spoolName, 1)
	return err == nil && len(entries) > 0
}

// ReadRefusals is what waits, oldest first, with the names to remove once it is recorded.
// What is no report is listed for removal only.
func (d Dir) ReadRefusals() (attempts []Refusal, names []string, err error) {
	entries, err := d.List(spoolName, mostSpooled)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		name := spoolName + "/" + e.Name()
		names = append(names, name)
		var a Refusal
		if data, err := d.Read(name, largestNote); err == nil && json.Unmarshal(data, &a) == nil && a.Operation != "" {
			attempts = append(attempts, a)
		}
	}
	slices.SortStableFunc(attempts, func(x, y Refusal) int { return x.Time.Compare(y.Time) })
	return attempts, names, nil
}
