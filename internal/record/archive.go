package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"delegate/internal/sys/atomicfile"
	"delegate/registry"
)

// archive keeps what left the registry: one file a session, and README.md with the lines of the
// oldest sessions. Everything is durable here before the registry forgets it, and written so that
// doing it again after a crash changes nothing. Each file has a copy in the private folder, since
// the archive can vanish with the registry.
type archive struct {
	folder string // "" while only the copies may change
	copies string
	link   string // folder as seen from the registry
}

const (
	indexName  = "README.md"
	eventsHead = registry.EventsHeading
)

func (a archive) name(id string) string   { return id + ".md" }
func (a archive) linkTo(id string) string { return a.link + "/" + a.name(id) }

// places are the folders that a change is written to.
func (a archive) places() []string {
	return slices.DeleteFunc([]string{a.copies, a.folder}, func(folder string) bool { return folder == "" })
}

// taken reports whether a session has a file.
func (a archive) taken(id string) bool {
	for _, folder := range a.places() {
		if _, err := os.Stat(filepath.Join(folder, a.name(id))); err == nil {
			return true
		}
	}
	return false
}

// restore puts back files that vanished from the archive, or jumped back to a part of what they held.
func (a archive) restore() error {
	entries, err := os.ReadDir(a.copies)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list copies of the archive: %w", err)
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(a.copies, entry.Name()))
		if err != nil {
			return fmt.Errorf("read copy of the archive: %w", err)
		}
		there, err := os.ReadFile(filepath.Join(a.folder, entry.Name()))
		earlier := len(registry.Without(strings.Split(string(there), "\n"), strings.Split(string(data), "\n"))) == 0
		if !errors.Is(err, fs.ErrNotExist) && (err != nil || !earlier || len(there) == len(data)) {
			continue
		}
		if err := atomicfile.WriteFile(filepath.Join(a.folder, entry.Name()), data, 0o644); err != nil {
			return fmt.Errorf("restore archive: %w", err)
		}
	}
	return nil
}

// read returns a file of the archive, or its copy if that has more rows, or "" if there is neither.
func (a archive) read(name string) (string, error) {
	best := ""
	for _, folder := range slices.Backward(a.places()) {
		data, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("read archive: %w", err)
		}
		if best == "" || len(archiveRows(string(data))) > len(archiveRows(best)) {
			best = string(data)
		}
	}
	return best, nil
}

func (a archive) rows(id string) ([]string, error) {
	data, err := a.read(a.name(id))
	return archiveRows(data), err
}

// archiveRows returns the complete rows of the events table that ends a file.
func archiveRows(data string) []string {
	at := strings.LastIndex("\n"+data, "\n"+eventsHead)
	if at < 0 {
		return nil
	}
	lines := strings.Split(data[at:], "\n")
	var out []string
	for _, line := range lines[:len(lines)-1] { // what follows the last line end is torn, or nothing
		if strings.HasPrefix(line, "|") {
			out = append(out, strings.TrimSuffix(line, "\r"))
		}
	}
	return out[min(2, len(out)):]
}

// extend appends rows that leave the registry, which says that moved rows had left it before.
// Rows that are there already, because a crash came between this and the registry's write, are not repeated.
func (a archive) extend(id string, moved int, rows []string) error {
	for _, folder := range a.places() {
		path := filepath.Join(folder, a.name(id))
		if err := a.extendFile(path, id, moved, rows); err != nil {
			return err
		}
	}
	return nil
}

func (a archive) extendFile(path, id string, moved int, rows []string) error {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read archive: %w", err)
	}
	text := string(data)
	if len(archiveRows(text)) < moved {
		best, err := a.read(a.name(id))
		if err != nil {
			return err
		}
		if len(archiveRows(best)) > len(archiveRows(text)) {
			text = best
			if err := atomicfile.WriteFile(path, []byte(text), 0o644); err != nil {
				return fmt.Errorf("restore archive: %w", err)
			}
		}
	}
	if whole := withoutEnd(text); whole != text {
		if err := atomicfile.WriteFile(path, []byte(whole), 0o644); err != nil {
			return fmt.Errorf("repair archive: %w", err)
		}
		text = whole
	}
	if there := archiveRows(text); len(there) > moved {
		rows = rows[samePrefix(there[moved:], rows):]
	}
	if len(rows) == 0 {
		return nil
	}
	keep, add := tail(text, rows[0])
	if !strings.Contains("\n"+text, "\n"+eventsHead) {
		if text == "" {
			add += "# Archived Session " + id + "\n\nThe session is active; its older events were moved here.\n"
		}
		add += "\n" + registry.EventsTable(nil)
	}
	add += strings.Join(rows, "\n") + "\n"
	return atomicfile.AppendSync(path, keep, []byte(add))
}

// withoutEnd removes the row that ends a session from the file of one that goes on:
// a crash came between the end's archive and its registry.
func withoutEnd(text string) string {
	for _, row := range archiveRows(text) {
		if endsSession(row) {
			text = strings.Replace(text, row+"\n", "", 1)
		}
	}
	return text
}

func endsSession(row string) bool {
	e, err := registry.ParseRows([]string{row})
	return err == nil && len(e) == 1 && e[0].Agent == "" &&
		(e[0].Kind == registry.EventSessionComplete || e[0].Kind == registry.EventSessionAborted)
}

func samePrefix(a, b []string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// tail says how much of a text to keep before line is appended, and what ends its last line:
// a torn copy of the line goes, anything else stays.
func tail(text, line string) (keep int64, end string) {
	at := strings.LastIndexByte(text, '\n') + 1
	switch torn := text[at:]; {
	case torn == "":
		return int64(len(text)), ""
	case strings.HasPrefix(line, torn):
		return int64(at), ""
	}
	return int64(len(text)), "\n"
}

// end writes the file of a session as it ended: its fields, its agents' blocks as they stood,
// people's lines from an earlier form of the file, and all rows.
func (a archive) end(d *registry.Document, id string) error {
	old, err := a.read(a.name(id))
	if err != nil {
		return err
	}
	current, there := d.Rows(), archiveRows(old)
	moved := min(d.MovedRows(), len(there))
	later := registry.Without(there[moved:], current) // added by hand, or left by a crash
	later = slices.DeleteFunc(later, endsSession)
	rows := slices.Concat(there[:moved], later, current)

	events, err := registry.ParseRows(rows)
	if err != nil {
		return fmt.Errorf("archive session %q: %w", id, err)
	}
	body := d.SessionText(events)
	notes := notesOf(withoutSummary(old), body, rows)
	table := registry.EventsTable(rows)
	for _, folder := range a.places() {
		if err := atomicfile.WriteFile(filepath.Join(folder, a.name(id)), []byte(body+notes+table),
			0o644); err != nil {
			return fmt.Errorf("archive session %q: %w", id, err)
		}
	}
	return nil
}

// withoutSummary is an earlier form of a file without what it says that the session came to.
func withoutSummary(text string) string {
	before, rest, found := strings.Cut(text, registry.SummaryHeading+"\n")
	if _, after, more := strings.Cut(rest, "\n### "); found && more {
		return before + "### " + after
	}
	return text
}

func notesOf(old, body string, rows []string) string {
	known := map[string]bool{"": true, "### Notes": true}
	for line := range strings.SplitSeq(body+registry.EventsTable(rows), "\n") {
		known[line] = true
	}
	known["The session is active; its older events were moved here."] = true
	var notes []string
	for line := range strings.SplitSeq(old, "\n") {
		if line = strings.TrimSuffix(line, "\r"); !known[line] {
			notes = append(notes, line)
		}
	}
	if notes == nil {
		return ""
	}
	return "### Notes\n\n" + strings.Join(notes, "\n") + "\n\n"
}

// index appends lines of archived sessions that leave the registry to README.md.
func (a archive) index(lines []registry.ArchivedSession) error {
	for _, folder := range a.places() {
		path := filepath.Join(folder, indexName)
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read index of the archive: %w", err)
		}
		text := string(data)
		var add []string
		for _, s := range lines {
			s.Link = a.name(s.ID)
			if line := s.String(); !strings.Contains(text, line+"\n") {
				add = append(add, line)
			}
		}
		if len(add) == 0 {
			continue
		}
		keep, end := tail(text, add[0])
		if text == "" {
			end = "# Archived Sessions\n\n"
		}
		if err := atomicfile.AppendSync(path, keep, []byte(end+strings.Join(add, "\n")+"\n")); err != nil {
			return err
		}
	}
	return nil
}

func (a archive) indexed(id string) (bool, error) {
	data, err := a.read(indexName)
	return strings.Contains(data, "- ["+id+"]("), err
}
