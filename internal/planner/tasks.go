package planner

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"delegate/internal/atomicfile"
	"delegate/internal/project"
	"delegate/internal/session"
	"delegate/registry"
)

// Task is an objective of docs/01_progress.md and who has claimed it.
type Task struct {
	Objective string          `json:"objective"`
	Done      bool            `json:"done"`
	Agent     string          `json:"agent"`  // "" if nobody works on it
	Status    registry.Status `json:"status"` // of that agent
}

// Tasks lists the objectives of the progress file. A claim holds from the plan on until its agent
// ends; only a person moves it.
func Tasks(p *project.Project, state registry.State) ([]Task, error) {
	data, err := atomicfile.ReadRegular(filepath.Join(p.Main, "docs", "01_progress.md"), maxProgress)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read tasks: %w", err)
	}
	var all []Task
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		text, open := strings.CutPrefix(line, "- [ ] ")
		done := false
		if !open {
			if text, done = strings.CutPrefix(strings.Replace(line, "- [X]", "- [x]", 1), "- [x] "); !done {
				continue
			}
		}
		t := Task{Objective: text, Done: done}
		if a, claimed := session.Claim(state, text); claimed {
			t.Agent, t.Status = a.ID, a.Status
		}
		all = append(all, t)
	}
	return all, nil
}
