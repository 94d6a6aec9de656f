package merge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"delegate/change"
	"delegate/internal/atomicfile"
	"delegate/internal/project"
)

// journal is the intent of one landing, on disk before anything moves and gone when everything is done.
type journal struct {
	Kind     Kind     `json:"kind"`
	Session  string   `json:"session"`
	Agents   []landed `json:"agents"` // in the order of their commits, at least one
	Target   string   `json:"target"`
	Old      string   `json:"old"`
	New      string   `json:"new"`
	Digest   string   `json:"digest"`
	Who      string   `json:"who"`
	Override bool     `json:"override"`
	Worktree string   `json:"worktree"` // checkout on the target, "" for none
	GitDir   string   `json:"git_dir"`
	// an undo has begun to change the checkout: there is no way forward any more
	Undoing bool `json:"undoing,omitempty"`
}

func newJournal(ok Approved, made []landed) journal {
	c := ok.candidate
	return journal{
		Kind: c.Kind, Session: c.Session.ID, Agents: made, Target: c.Target, Old: c.Tip, New: made[len(made)-1].Commit,
		Digest: c.Digest, Who: ok.who.Name, Override: ok.override,
	}
}

func newLanded(ok Approved, m Member, onto, commit string) landed {
	inserted, deleted := project.Work{Files: m.Changes}.Lines()
	if len(m.replayed) < 2 {
		onto = "" // the commit's parent says it
	}
	return landed{
		Agent: m.Agent.ID, Onto: onto, Commit: commit, Head: m.Work.Head, Tests: testsWord(ok.candidate, ok.override),
		Files: change.Set{Files: m.Changes}.Paths(), Lines: [2]int{inserted, deleted},
	}
}

// IDs are the agents of the landing.
func (j journal) IDs() []string {
	ids := make([]string, 0, len(j.Agents))
	for _, one := range j.Agents {
		ids = append(ids, one.Agent)
	}
	return ids
}

// Title names the agents.
func (j journal) Title() string { return strings.Join(j.IDs(), ", ") }

// subject is the agent that a row about the whole landing names, "" for the session where there are several.
func (j journal) subject() string {
	if len(j.Agents) == 1 {
		return j.Agents[0].Agent
	}
	return ""
}

// together names the agents in a row that names none.
func (j journal) together() string {
	if len(j.Agents) == 1 {
		return ""
	}
	return " of " + j.Title()
}

func testsWord(c Candidate, override bool) string {
	if override && c.Failing() {
		return string(project.Fail)
	}
	return string(c.Tests.Result)
}

func journalFile(p *project.Project) string { return filepath.Join(p.Private, "landing.json") }

// Unfinished says whether a landing was cut short in this repository.
func Unfinished(p *project.Project) bool {
	_, err := os.Stat(journalFile(p))
	return err == nil
}

func (l *lander) write() error {
	data, err := json.MarshalIndent(l.journal, "", "  ")
	if err != nil {
		return fmt.Errorf("write landing journal: %w", err)
	}
	return atomicfile.WriteFile(journalFile(l.p), append(data, '\n'), 0o600)
}

func (l *lander) remove() error {
	if checkout := l.checkout(); checkout != nil {
		l.dropIndexCopy(checkout)
	}
	if err := os.Remove(journalFile(l.p)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove landing journal: %w", err)
	}
	return nil
}

func readJournal(p *project.Project) (*lander, error) {
	data, err := os.ReadFile(journalFile(p))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNothingUnfinished
	}
	if err != nil {
		return nil, fmt.Errorf("read landing journal: %w", err)
	}
	l := &lander{p: p, resumed: true}
	if err := json.Unmarshal(data, &l.journal); err != nil {
		return nil, fmt.Errorf("read landing journal %q: %w", journalFile(p), err)
	}
	if len(l.journal.Agents) == 0 {
		return nil, fmt.Errorf("read landing journal %q: it names no agent; finish the landing with the version of "+
			"delegate that began it", journalFile(p))
	}
	return l, nil
}

// ErrNothingUnfinished says that there is no landing to finish or undo.
var ErrNothingUnfinished = errors.New("no landing is half done")
