package merge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"delegate/change"
	"delegate/internal/atomicfile"
	"delegate/internal/project"
)

// journal is the intent of one landing, on disk before anything moves and gone when everything is done.
type journal struct {
	Kind     Kind     `json:"kind"`
	Session  string   `json:"session"`
	Agent    string   `json:"agent"`
	Target   string   `json:"target"`
	Old      string   `json:"old"`
	New      string   `json:"new"`
	Head     string   `json:"head"`
	Digest   string   `json:"digest"`
	Tests    string   `json:"tests"`
	Who      string   `json:"who"`
	Override bool     `json:"override"`
	Worktree string   `json:"worktree"` // checkout on the target, "" for none
	GitDir   string   `json:"git_dir"`
	Files    []string `json:"files"`             // what the agent changed, for the record
	Lines    [2]int   `json:"lines"`             // inserted and deleted
	Undoing  bool     `json:"undoing,omitempty"` // an undo has begun to change the checkout: there is no way forward any more
}

func newJournal(ok Approved, commit string) journal {
	c := ok.candidate
	inserted, deleted := project.Work{Files: c.Changes}.Lines()
	return journal{
		Kind: c.Kind, Session: c.Session.ID, Agent: c.Agent.ID, Target: c.Target, Old: c.Tip, New: commit, Head: c.Work.Head,
		Digest: c.Digest, Tests: testsWord(c, ok.override), Who: ok.who.Name, Override: ok.override,
		Files: change.Set{Files: c.Changes}.Paths(), Lines: [2]int{inserted, deleted},
	}
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
	return l, nil
}

// ErrNothingUnfinished says that there is no landing to finish or undo.
var ErrNothingUnfinished = errors.New("no landing is half done")
