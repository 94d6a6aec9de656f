package record

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// decisionKinds are the rows that say what people decided, and what it did to branches.
var decisionKinds = []registry.Kind{
	registry.EventSessionStarted, registry.EventApproved, registry.EventExtended, registry.EventRetried,
	registry.EventForced, registry.EventSalvaged, registry.EventRejected, registry.EventSentBack,
	registry.EventTakenOver, registry.EventAborted, registry.EventScopeChanged, registry.EventOverridden,
	registry.EventMerged, registry.EventRolledBack, registry.EventIntegrated, registry.EventPullRequest,
	registry.EventSessionComplete, registry.EventSessionAborted,
}

// decisions is the log of decisions and landings in the private folder: a file to which lines are only added, each with
// the digest of the one before. It is what an edited registry is held against. A line is on the disk before the
// registry has its rows, so a crash in between leaves a line whose rows were never written; the next line then says so.
//
// How many lines were written is noted in the file of the registry's lock, so a log that lost some is not taken for one
// of a clone that never had them.
type decisions struct{ path, lock string }

// decisionLine is one line of the log.
type decisionLine struct {
	Session string   `json:"session"`
	Rows    []string `json:"rows,omitempty"`
	// Void says that the rows of the line before were never written to the registry.
	Void     bool   `json:"void,omitempty"`
	Previous string `json:"previous"` // the SHA-256 of the line before, without its end; "" for the first
}

// decisionLog is what the file says: its whole lines.
type decisionLog struct {
	lines   []decisionLine
	last    string // the digest of the last line, "" where there is none
	size    int64  // of the whole lines, in bytes
	faulted int    // the first line that is none or does not follow from the one before, from 1; 0: none
}

func (d decisions) read() (decisionLog, error) {
	var log decisionLog
	data, err := os.ReadFile(d.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return log, fmt.Errorf("read decision log: %w", err)
	}
	for line := range bytes.Lines(data) {
		text, whole := bytes.CutSuffix(line, []byte("\n"))
		if !whole {
			break // a crash cut it off, and nobody was told that it stands
		}
		var l decisionLine
		if err := json.Unmarshal(text, &l); (err != nil || l.Previous != log.last) && log.faulted == 0 {
			log.faulted = len(log.lines) + 1
		}
		sum := sha256.Sum256(text)
		log.last = hex.EncodeToString(sum[:])
		log.size += int64(len(line))
		log.lines = append(log.lines, l)
	}
	return log, nil
}

// written reads how many lines this clone has written; 0 if that is not known.
func (d decisions) written() (int, error) {
	file, err := os.Open(d.lock)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read count of decisions: %w", err)
	}
	defer file.Close()
	var text [20]byte
	n, err := file.ReadAt(text[:], lockedBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("read count of decisions: %w", err)
	}
	count, _ := strconv.Atoi(string(bytes.TrimSpace(text[:n])))
	return count, nil
}

// lockedBytes are those that nobody but the holder of the lock can read on Windows.
const lockedBytes = 1

func (d decisions) note(count int) error {
	file, err := os.OpenFile(d.lock, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("count decisions: %w", err)
	}
	_, err = file.WriteAt(fmt.Appendf(nil, "%d\n", count), lockedBytes)
	return errors.Join(err, file.Close())
}

// decided returns the rows among those given that are decisions.
func decided(rows []string) ([]string, error) {
	events, err := registry.ParseRows(rows)
	if err != nil {
		return nil, err
	}
	var found []string
	for i, e := range events {
		if slices.Contains(decisionKinds, e.Kind) {
			found = append(found, rows[i])
		}
	}
	return found, nil
}

// logDecisions puts the decisions among new rows of a session into the log.
func (s *Store) logDecisions(c *current, session string, rows []string) error {
	rows, err := decided(rows)
	if err != nil || len(rows) == 0 {
		return err
	}
	log, err := s.decisions.read()
	if err != nil {
		return err
	}
	written, err := s.decisions.written()
	if err != nil {
		return err
	}
	var add []decisionLine
	if n := len(log.lines); n > 0 && len(log.lines[n-1].Rows) > 0 {
		last := log.lines[n-1]
		placed, err := s.inRecord(c, last)
		if err != nil {
			return err
		}
		if !placed && last.Session == session && slices.Equal(last.Rows, rows) {
			return nil // this write is tried again
		}
		if !placed {
			add = append(add, decisionLine{Session: last.Session, Void: true})
		}
	}
	var text []byte
	add = append(add, decisionLine{Session: session, Rows: rows})
	for _, l := range add {
		l.Previous = log.last
		line, err := json.Marshal(l)
		if err != nil {
			return fmt.Errorf("log decision: %w", err)
		}
		sum := sha256.Sum256(line)
		log.last = hex.EncodeToString(sum[:])
		text = append(append(text, line...), '\n')
	}
	if err := atomicfile.AppendSync(s.decisions.path, log.size, text); err != nil {
		return fmt.Errorf("log decision: %w", err)
	}
	return s.decisions.note(max(written, len(log.lines)) + len(add))
}

// inRecord reports whether the rows of a line are in the registry or in the archive.
func (s *Store) inRecord(c *current, l decisionLine) (bool, error) {
	rows, err := s.recorded(c, l.Session)
	return len(registry.Without(l.Rows, rows)) == 0, err
}

// recorded are all rows of a session. What the archive has of an active one beyond the rows that moved there is of an
// end that a crash cut off.
func (s *Store) recorded(c *current, id string) ([]string, error) {
	rows, err := s.archive.rows(id)
	if err != nil {
		return nil, err
	}
	for _, doc := range []*registry.Document{c.doc, c.over} {
		if doc == nil {
			continue
		}
		if session := doc.State().Session; session != nil && session.ID == id {
			return slices.Concat(rows[:min(doc.MovedRows(), len(rows))], doc.Rows()), nil
		}
	}
	return rows, nil
}

// DecisionFault is a difference between the log of decisions and the record, or between the log and itself.
type DecisionFault struct {
	Session string // "" where it is the log
	Text    string
	Next    []string // what mends it, where something does
}

// DecisionCheck is the log of decisions held against the record.
type DecisionCheck struct {
	Path    string
	Entries int
	// Last is the digest of the last line, "" where the log is empty. Who notes it sees any later change before it.
	Last   string
	Faults []DecisionFault
}

// CheckDecisions holds the log of decisions against what is recorded, of this and of ended sessions. Sessions that
// another clone led, or an earlier version without a log, have no beginning in it: of those only what the log has is
// looked for. It changes nothing. Errors: *registry.SyntaxError, *VersionError.
func (s *Store) CheckDecisions(ctx context.Context) (DecisionCheck, error) {
	log, err := s.decisions.read()
	if err != nil {
		return DecisionCheck{}, err
	}
	check := DecisionCheck{Path: s.decisions.path, Entries: len(log.lines), Last: log.last}
	if log.faulted > 0 {
		check.Faults = append(check.Faults, DecisionFault{Text: fmt.Sprintf(
			"%s:%d: the line was changed, or one before it is gone", s.decisions.path, log.faulted)})
	}
	written, err := s.decisions.written()
	if err != nil {
		return DecisionCheck{}, err
	}
	if written > len(log.lines) {
		check.Faults = append(check.Faults, DecisionFault{Text: fmt.Sprintf(
			"%s has %d lines, and this clone wrote %d", s.decisions.path, len(log.lines), written), Next: []string{
			"put the file back from a backup",
			fmt.Sprintf("without one: truncate -s 0 %s (the log then counts as it is)", s.decisions.lock)}})
	}
	current, err := s.read(ctx, reading)
	if err != nil {
		return DecisionCheck{}, err
	}
	lines, err := s.writtenLines(current, log.lines)
	if err != nil {
		return DecisionCheck{}, err
	}
	var sessions []string
	rows := map[string][]string{}
	for _, l := range lines {
		if rows[l.Session] == nil {
			sessions = append(sessions, l.Session)
		}
		rows[l.Session] = append(rows[l.Session], l.Rows...)
	}
	for _, id := range sessions {
		found, err := s.checkSession(current, id, rows[id])
		if err != nil {
			return DecisionCheck{}, err
		}
		check.Faults = append(check.Faults, found...)
	}
	return check, nil
}

// writtenLines are the lines whose rows were written to the registry.
func (s *Store) writtenLines(c *current, lines []decisionLine) ([]decisionLine, error) {
	var kept []decisionLine
	for i, l := range lines {
		switch {
		case l.Void || i+1 < len(lines) && lines[i+1].Void:
			continue
		case i+1 == len(lines):
			if placed, err := s.inRecord(c, l); err != nil || !placed {
				return kept, err
			}
		}
		kept = append(kept, l)
	}
	return kept, nil
}

// checkSession compares the decisions of one session as the log and the record have them.
func (s *Store) checkSession(c *current, id string, logged []string) ([]DecisionFault, error) {
	rows, err := s.recorded(c, id)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return []DecisionFault{{Session: id,
				Text: fmt.Sprintf("its record is missing; the decision log has %d of it", len(logged))}},
			nil
	}
	events, err := registry.ParseRows(logged)
	if err != nil {
		return []DecisionFault{{Session: id, Text: "the decision log has rows of it that cannot be read"}}, nil
	}
	recorded, err := registry.ParseRows(rows)
	if err != nil {
		return []DecisionFault{{Session: id, Text: "its record has rows that cannot be read"}}, nil
	}
	recorded = slices.DeleteFunc(recorded, func(e registry.Event) bool {
		return !slices.Contains(decisionKinds, e.Kind)
	})
	var found []DecisionFault
	for _, e := range without(events, recorded) {
		found = append(found, DecisionFault{Session: id,
			Text: "the decision log has a row that is not in the record: " + inWords(e)})
	}
	if len(events) == 0 || events[0].Kind != registry.EventSessionStarted {
		return found, nil
	}
	for _, e := range without(recorded, events) {
		found = append(found, DecisionFault{Session: id,
			Text: "the record has a row that this program did not write: " + inWords(e)})
	}
	return found, nil
}

// without is events less each of those given, as often as it is given.
func without(events, gone []registry.Event) []registry.Event {
	left := map[registry.Event]int{}
	for _, e := range gone {
		left[e]++
	}
	var out []registry.Event
	for _, e := range events {
		if left[e]--; left[e] < 0 {
			out = append(out, e)
		}
	}
	return out
}

func inWords(e registry.Event) string {
	agent := cmp.Or(e.Agent, "-")
	text := fmt.Sprintf("%s %s %s %q", e.Time.Format("2006-01-02 15:04:05"), e.Kind, agent, e.Details)
	if e.By != "" {
		text += " by " + e.By
	}
	return text
}
