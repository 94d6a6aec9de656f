package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"delegate/internal/atomicfile"
	"delegate/internal/project"
	"delegate/registry"
)

// Completion is what the clean-up needs once the registry has archived the session.
type Completion struct {
	State registry.State
	Tests project.Outcome
}

func completionFile(p *project.Project) string { return filepath.Join(p.Private, "completing.json") }

// Write notes that the session is about to end.
func (c Completion) Write(p *project.Project) error {
	data, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("note the session's end: %w", err)
	}
	return atomicfile.WriteFile(completionFile(p), data, 0o600)
}

// RemoveCompletion says that the session's end is complete.
func RemoveCompletion(p *project.Project) error {
	if err := os.Remove(completionFile(p)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("take away the note of the session's end: %w", err)
	}
	return nil
}

// CutShort is the session whose completion was cut short behind the registry's end, with its final
// tests; false if there is none. A note of a session that the registry did not end as COMPLETE
// counts for nothing: that one went on, or was aborted. Complete takes it up where it was.
func CutShort(ctx context.Context, p *project.Project) (registry.State, project.Outcome, bool) {
	data, err := os.ReadFile(completionFile(p))
	if err != nil {
		return registry.State{}, project.Outcome{}, false
	}
	var e Completion
	if err := json.Unmarshal(data, &e); err != nil || e.State.Session == nil {
		return registry.State{}, project.Outcome{}, false
	}
	now, err := p.Store.View(ctx)
	return e.State, e.Tests, err == nil && Ended(now, e.State.Session.ID)
}

// Ended says whether the session is in the archive as COMPLETE.
func Ended(state registry.State, session string) bool {
	return state.Session == nil && slices.ContainsFunc(state.Archived, func(s registry.ArchivedSession) bool {
		return s.ID == session && s.Status == registry.SessionComplete
	})
}
