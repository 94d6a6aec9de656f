package agent

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"delegate/internal/atomicfile"
)

// Attempt is something an agent tried and was refused, as the layer that refused it reports it.
type Attempt struct {
	Time      time.Time `json:"time"`
	Layer     string    `json:"layer"`     // what refused it, such as "delegate"
	Operation string    `json:"operation"` // what was tried
	Path      string    `json:"path,omitempty"`
	Pattern   string    `json:"pattern,omitempty"` // the rule that decided
}

// Spool bounds: layers inside the fence write here, so nothing in it is trusted.
const (
	mostSpooled = 1000
	largestNote = 16 << 10
)

const spoolName = "spool"

// Report leaves an attempt on the desk, from inside the agent's turn. The spool only reports: nothing that is written there allows anything.
func (d Desk) Report(a Attempt) error {
	dir := filepath.Join(string(d), spoolName)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("report attempt: %w", err)
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) >= mostSpooled {
		return fmt.Errorf("report attempt: %d wait already", len(entries))
	}
	data, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("report attempt: %w", err)
	}
	name := fmt.Sprintf("%d-%d.json", a.Time.UnixNano(), os.Getpid())
	return atomicfile.WriteFile(filepath.Join(dir, name), data, 0o644)
}

// Spooled reports whether anything waits on the desk.
func (d Desk) Spooled() bool {
	entries, err := d.List(spoolName, 1)
	return err == nil && len(entries) > 0
}

// ReadSpool is what waits on the desk, oldest first, with the names to remove once it is recorded.
// What is no report is listed for removal only.
func (d Desk) ReadSpool() (attempts []Attempt, names []string, err error) {
	entries, err := d.List(spoolName, mostSpooled)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		name := spoolName + "/" + e.Name()
		names = append(names, name)
		var a Attempt
		if data, err := d.Read(name, largestNote); err == nil && json.Unmarshal(data, &a) == nil && a.Operation != "" {
			attempts = append(attempts, a)
		}
	}
	slices.SortStableFunc(attempts, func(x, y Attempt) int { return x.Time.Compare(y.Time) })
	return attempts, names, nil
}
