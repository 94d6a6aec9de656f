// Package journal holds the intents that are written before something that must not stay half done: of a landing, and
// of a session's end. Each is one file in the private folder, there from before the first step until after the last.
package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/project"
	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// Landing is the intent of one landing, on disk before anything moves and gone when everything is done.
type Landing struct {
	Kind     string   `json:"kind"`
	Session  string   `json:"session"`
	Agents   []Landed `json:"agents"` // in the order of their commits, at least one
	Target   string   `json:"target"`
	Old      string   `json:"old"`
	New      string   `json:"new"`
	Digest   string   `json:"digest"`
	Who      string   `json:"who"`
	Override bool     `json:"override"`
	Verify   []string `json:"verify,omitempty"`  // the commands that tested it
	Message  string   `json:"message,omitempty"` // that the person gave
	Signed   string   `json:"signed,omitempty"`  // as the registry has it of an agent
	Worktree string   `json:"worktree"`          // checkout on the target, "" for none
	GitDir   string   `json:"git_dir"`
	// an undo has begun to change the checkout: there is no way forward any more
	Undoing bool `json:"undoing,omitempty"`
}

// IDs are the agents of the landing.
func (j Landing) IDs() []string {
	ids := make([]string, 0, len(j.Agents))
	for _, one := range j.Agents {
		ids = append(ids, one.Agent)
	}
	return ids
}

// Title names the agents.
func (j Landing) Title() string { return strings.Join(j.IDs(), ", ") }

// Subject is the agent that a row about the whole landing names, "" for the session where there are several.
func (j Landing) Subject() string {
	if len(j.Agents) == 1 {
		return j.Agents[0].Agent
	}
	return ""
}

// Others names the agents in a row that names none.
func (j Landing) Others() string {
	if len(j.Agents) == 1 {
		return ""
	}
	return " of " + j.Title()
}

// Landed is what a landing makes of one member.
type Landed struct {
	Agent  string   `json:"agent"`
	Onto   string   `json:"onto"` // what lies below its commits, "" where that is the commit's first parent
	Commit string   `json:"commit"`
	Head   string   `json:"head"`
	Tests  string   `json:"tests"`
	Files  []string `json:"files"` // what it changed, for the record
	Lines  [2]int   `json:"lines"` // inserted and deleted
	// RenamedFrom are the old names among the files.
	RenamedFrom []string `json:"renamed_from,omitempty"`
	// Decided are the files whose clashes a person decided.
	Decided []string `json:"decided,omitempty"`
}

// IsRollback reports whether it takes a landing back.
func (j Landing) IsRollback() bool { return j.Kind == "rollback" }

// Recorded reports whether an agent's record has what landed of it.
func (one Landed) Recorded(j Landing, a registry.Agent) bool {
	if j.IsRollback() {
		return a.RolledBack == one.Commit
	}
	return a.MergeCommit == one.Commit
}

func landingFile(p *project.Project) string { return filepath.Join(p.Private, "landing.json") }

// Unfinished says whether a landing was cut short in this repository.
func Unfinished(p *project.Project) bool { return exists(landingFile(p)) }

// ReadLanding is the landing that was cut short; ErrNothingUnfinished if there is none.
func ReadLanding(p *project.Project) (Landing, error) {
	j, err := read[Landing](landingFile(p), errNothingUnfinished)
	if err == nil && len(j.Agents) == 0 {
		err = fmt.Errorf("read journal %q: it names no agent; finish the landing with the version of delegate that "+
			"began it", landingFile(p))
	}
	return j, err
}

// read is the intent in a file; none is the error where there is none.
func read[T any](file string, none error) (j T, err error) {
	err = atomicfile.ReadJSON(file, &j)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = none
	case err != nil:
		err = fmt.Errorf("read journal %q: %w", file, err)
	}
	return j, err
}

// remove takes an intent away that was carried out.
func remove(file string) error {
	if err := atomicfile.RemoveFile(file); err != nil {
		return fmt.Errorf("remove journal: %w", err)
	}
	return nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// Write puts the intent on the disk.
func (j Landing) Write(p *project.Project) error { return atomicfile.WriteIndented(landingFile(p), j) }

// RemoveLanding says that nothing is half done any more.
func RemoveLanding(p *project.Project) error { return remove(landingFile(p)) }

// errNothingUnfinished says that there is no landing to finish or undo.
var errNothingUnfinished = errors.New("no merge is half done")

// ErrUnfinished says that an earlier landing was cut short and must be finished or undone first.
var ErrUnfinished = errors.New("a merge is half done")

// Completion is what the clean-up needs once the registry has archived the session.
type Completion struct {
	State registry.State
	Tests project.Outcome
}

func completionFile(p *project.Project) string { return filepath.Join(p.Private, "completing.json") }

// Write notes that the session is about to end.
func (c Completion) Write(p *project.Project) error {
	return atomicfile.WriteJSON(completionFile(p), c)
}

// RemoveCompletion says that the session's end is complete.
func RemoveCompletion(p *project.Project) error { return remove(completionFile(p)) }

// CutShort is the session whose completion was cut short behind the registry's end, with its final
// tests; false if there is none. A note of a session that the registry did not end as COMPLETE
// counts for nothing: that one went on, or was aborted. Complete takes it up where it was.
func CutShort(ctx context.Context, p *project.Project) (registry.State, project.Outcome, bool) {
	var e Completion
	if err := atomicfile.ReadJSON(completionFile(p), &e); err != nil || e.State.Session == nil {
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
