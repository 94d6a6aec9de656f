//go:build bench && linux

package soak

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"delegate/registry"
)

// row is one line of the session's log.
type row struct {
	kind    registry.Kind
	agent   string // "-": the session
	details string
	by      string
}

func (r row) String() string { return fmt.Sprintf("%s %s (by %s)", r.kind, r.details, r.by) }

// readRows reads the rows of a registry or an archive by what the format promises, not by the program's own reader.
func readRows(text string) []row {
	line := regexp.MustCompile(`(?m)^\| \d{4}-\S+Z \| (\S+) \| (\S+) \| (.*?)(?: ?\(by ([^()]*)\))? \|$`)
	var rows []row
	for _, m := range line.FindAllStringSubmatch(text, -1) {
		rows = append(rows, row{kind: registry.Kind(m[1]), agent: m[2], details: m[3], by: m[4]})
	}
	return rows
}

// rows is the session's whole log: what was moved to the archive, then what the registry has.
func (s *session) rows() ([]row, error) {
	var all []row
	for _, name := range []string{filepath.Join("archive", s.id+".md"), "delegation_registry.md"} {
		data, err := os.ReadFile(filepath.Join(s.repo, "docs", "logs", name))
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		all = append(all, readRows(string(data))...)
	}
	return all, nil
}

// life is what an agent's rows tell of it.
type life struct {
	status registry.Status
	turns  int
	kinds  map[registry.Kind]int
	wrong  []string
}

// replay takes an agent through its rows, beginning at PENDING.
func replay(id string, rows []row) life {
	l := life{status: registry.Pending, kinds: map[registry.Kind]int{}}
	seen := map[row]bool{}
	for _, r := range rows {
		if r.agent != id {
			continue
		}
		l.kinds[r.kind]++
		// names its place, so it comes once
		if strings.HasPrefix(r.details, "turn ") && strings.Contains(r.details, ", line ") {
			if seen[r] {
				l.wrong = append(l.wrong, "doubled: "+r.String())
			}
			seen[r] = true
		}
		l.step(id, r)
	}
	return l
}

// step takes one row in: a transition, or one of the rows that change no state.
func (l *life) step(id string, r row) {
	who := registry.Person
	if r.by == "supervisor" {
		who = registry.Supervisor
	}
	moves := slices.ContainsFunc(registry.Transitions(), func(t registry.Transition) bool { return t.Event == r.kind })
	switch {
	case !moves:
		if r.kind == registry.EventMessage && who == registry.Supervisor {
			l.turns++ // it goes on by itself with a message
			if l.status != registry.Running {
				l.wrong = append(l.wrong, fmt.Sprintf("a turn while %s: %s", l.status, r))
			}
		}
		return
	// a block of the running turn
	case r.by == id && r.kind == registry.EventCheckpoint && l.status == registry.Running:
		return
	case r.kind == registry.EventExtended && l.status == registry.Running:
		return
	}
	next, err := registry.Next(l.status, r.kind, who)
	if err != nil {
		l.wrong = append(l.wrong, fmt.Sprintf("%s: %v", r, err))
		return
	}
	if next == registry.Running {
		l.turns++
	}
	l.status = next
}
