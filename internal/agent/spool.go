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

func spoolDir(desk string) string { return filepath.Join(desk, "spool") }

// Report leaves an attempt on the agent's desk. The spool only reports: nothing that is written there allows anything.
func Report(desk string, a Attempt) error {
	dir := spoolDir(desk)
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
func Spooled(desk string) bool {
	dir, err := os.Open(spoolDir(desk))
	if err != nil {
		return false
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(1)
	return len(names) > 0
}

// ReadSpool is what waits on the desk, oldest first, with the files to remove once it is recorded.
// What is no report is listed for removal only.
func ReadSpool(desk string) (attempts []Attempt, files []string, err error) {
	entries, err := os.ReadDir(spoolDir(desk))
	if err != nil {
		return nil, nil, fmt.Errorf("read spool: %w", err)
	}
	for _, e := range entries[:min(len(entries), mostSpooled)] {
		path := filepath.Join(spoolDir(desk), e.Name())
		files = append(files, path)
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > largestNote {
			continue
		}
		var a Attempt
		if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &a) == nil && a.Operation != "" {
			attempts = append(attempts, a)
		}
	}
	slices.SortStableFunc(attempts, func(x, y Attempt) int { return x.Time.Compare(y.Time) })
	return attempts, files, nil
}
