//go:build bench && linux

package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"delegate/internal/view/status"
	"delegate/registry"
)

// finish looks at a session at rest, and ends it.
func (s *session) finish(ctx context.Context, v view) {
	s.checkRegistry(ctx)
	rows, err := s.rows()
	if err != nil {
		s.fault("read the log: %v", err)
	}
	for _, a := range v.Agents {
		s.checkLife(a, rows)
		s.checkMessages(a, rows)
	}
	s.end(ctx, rows)
}

// end ends the session, at rest or in the middle, and looks at what is left. Rows are those that its log had before.
func (s *session) end(ctx context.Context, rows []row) {
	if s.command(ctx, "sync", "abort", "--yes") == nil {
		s.checkEnd(rows)
	}
	s.checkProcesses()
	s.checkRegistry(ctx)
	for id := range s.agents {
		s.checkWork(ctx, id)
	}
	s.checkLogs()
	if len(s.faults) == 0 && !s.keep {
		if err := os.RemoveAll(s.folder); err != nil {
			s.fault("remove the folder: %v", err)
		}
	}
}

func (s *session) checkRegistry(ctx context.Context) {
	out, err := s.output(ctx, "registry", "check", "--json")
	var found struct {
		Faults []json.RawMessage `json:"faults"`
	}
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	if err != nil || len(found.Faults) > 0 {
		s.fault("delegate registry check: %v %s", err, out)
	}
}

// checkLife holds an agent's rows against the state that is shown, and against what its behaviour has to lead to.
func (s *session) checkLife(a status.AgentView, rows []row) {
	f := s.agents[a.ID]
	l := replay(a.ID, rows)
	for _, w := range l.wrong {
		s.fault("%s (%s): illegal row: %s", a.ID, f.does.name, w)
	}
	if l.status != a.Status {
		s.fault("%s (%s): its rows lead to %s, and %s is shown", a.ID, f.does.name, l.status, a.Status)
	}
	if l.turns != a.Turns {
		s.fault("%s (%s): its rows tell of %d turns, and %d are shown", a.ID, f.does.name, l.turns, a.Turns)
	}
	if n := l.kinds[registry.EventRespawned]; n > 1 {
		s.fault("%s (%s): respawned %d times", a.ID, f.does.name, n)
	}
	if f.killed {
		return
	}
	if f.does.sound && l.kinds[registry.EventFailed] > 0 {
		at := slices.IndexFunc(rows, func(r row) bool { return r.agent == a.ID && r.kind == registry.EventFailed })
		s.fault("%s (%s): failed without a reason: %s", a.ID, f.does.name, rows[at])
	}
	if f.does.shy && (f.cut || len(s.noted(a.ID+".got", "turn-1 ")) > 0) {
		return
	}
	for _, kind := range f.does.rows {
		if l.kinds[kind] == 0 {
			s.fault("%s (%s): no row %s", a.ID, f.does.name, kind)
		}
	}
}

// noted are the lines of an agent's notes with a prefix.
func (s *session) noted(name, prefix string) []string {
	data, err := os.ReadFile(filepath.Join(s.notes(), name))
	if err != nil {
		return nil // it noted nothing
	}
	var lines []string
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, prefix) && strings.HasSuffix(line, "\n") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

// checkEnd looks at the log of the ended session: it has all rows from before, in their order, and every agent's end.
func (s *session) checkEnd(before []row) {
	after, err := s.rows()
	if err != nil {
		s.fault("read the log of the ended session: %v", err)
		return
	}
	if len(after) < len(before) || !slices.Equal(after[:len(before)], before) {
		s.fault("rows are missing from the log of the ended session: %d before, %d after", len(before), len(after))
		return
	}
	s.count["rows"] += len(after)
	for id := range s.agents {
		l := replay(id, after)
		s.count["turns"] += l.turns
		s.count["failures of agents"] += l.kinds[registry.EventFailed]
		if l.status != registry.Aborted || len(l.wrong) > 0 {
			s.fault("%s: after the session's end its rows lead to %s: %s", id, l.status, join(l.wrong))
		}
	}
}

// checkProcesses waits a little for the last ones.
func (s *session) checkProcesses() {
	left := s.processes()
	for deadline := time.Now().Add(20 * time.Second); len(left) > 0 &&
		time.Now().Before(deadline); left = s.processes() {
		time.Sleep(50 * time.Millisecond)
	}
	if len(left) > 0 {
		s.fault("left running: %s", join(left))
		s.clear()
	}
}

// checkLogs looks for crashes that nobody else would see.
func (s *session) checkLogs() {
	_ = filepath.WalkDir(s.p.Private, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".log" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			s.fault("read %q: %v", path, err)
		}
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") {
				s.fault("%s: %s", path, strings.TrimSpace(line))
			}
		}
		return nil
	})
}

// join is a list in a sentence.
func join[T any](items []T) string { return strings.Trim(fmt.Sprint(items), "[]") }
