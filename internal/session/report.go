package session

import (
	"encoding/json"
	"os"
	"path/filepath"

	"delegate/checkpoint"
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
	ExitCode   int              `json:"exit_code"`
	Tail       string           `json:"tail"`
}

// ReadReport is the report of an agent's last ended turn; the zero report if there is none.
func ReadReport(p *project.Project, session string, a registry.Agent) TurnReport {
	for n := a.Turns; n > 0; n-- {
		data, err := os.ReadFile(filepath.Join(p.TurnDir(session, a.ID, n), "report.json"))
		if err != nil {
			continue
		}
		var r TurnReport
		if json.Unmarshal(data, &r) == nil {
			return r
		}
	}
	return TurnReport{}
}
