package session

import (
	"path/filepath"

	"delegate/internal/notes"
	"delegate/internal/project"
)

// Notes is the file of notes that everybody in the project shares. Agents add to it through their inbox only.
func Notes(p *project.Project) notes.Notes {
	return notes.Notes{Path: filepath.Join(p.Main, "docs", "logs", "delegation_notes.md"),
		Lock: filepath.Join(p.Private, "notes.lock")}
}

// Learnings is the file of what failed before.
func Learnings(p *project.Project) notes.Learnings {
	return notes.Learnings{Path: filepath.Join(p.Main, "docs", "logs", "delegation_learnings.md"),
		Lock: filepath.Join(p.Private, "learnings.lock")}
}

const (
	HistoryInPrompt = 16 << 10
	LargestHistory  = 1 << 20
)

// HistoryName is the file in its folder in which an agent writes what it wants to know later.
const HistoryName = "history.md"
