package session

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"delegate/checkpoint"
	"delegate/internal/atomicfile"
	"delegate/internal/keeper"
	"delegate/internal/project"
	"delegate/registry"
)

// TurnReport is what is kept beside a turn for whoever reviews it.
type TurnReport struct {
	Block       string   `json:"block,omitempty"` // the last valid block, as it would be printed
	Differences []string `json:"differences"`     // claims that the evidence does not bear out
	// Claims are all of the block's claims beside the evidence, those that hold as well.
	Claims     []checkpoint.Row `json:"claims"`
	Breaches   []string         `json:"breaches"`
	Missing    []string         `json:"missing_outputs"`
	Completion string           `json:"completion,omitempty"` // summary and caveats of completion.json
	Summary    string           `json:"summary,omitempty"`    // its closing words, whole
	ExitCode   int              `json:"exit_code"`
	Tail       string           `json:"tail"`
}

func reportFile(t keeper.Turn) string { return filepath.Join(t.Dir, "report.json") }

// Keep writes the report beside its turn.
func (r TurnReport) Keep(t keeper.Turn) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("keep report: %w", err)
	}
	return atomicfile.WriteFile(reportFile(t), data, 0o600)
}

// ReadReport is the report of an agent's last ended turn; the zero report if there is none.
func ReadReport(p *project.Project, session string, a registry.Agent) TurnReport {
	for n := a.Turns; n > 0; n-- {
		turn := keeper.Turn{Dir: p.TurnDir(session, a.ID, n)}
		if r, err := readFile[*TurnReport](reportFile(turn)); err == nil && r != nil {
			return *r
		}
	}
	return TurnReport{}
}
