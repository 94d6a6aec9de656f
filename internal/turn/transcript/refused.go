package transcript

import (
	"bytes"
	"delegate/internal/text/lazyregexp"
	"delegate/internal/text/ui"
	"path/filepath"
	"slices"
	"strings"
)

// RefusedWrite is a path that the system refused to have written, as a line of the output names it.
type RefusedWrite struct {
	Path string
	Sure bool // the line is about a write: permission can be denied to a reader as well
}

// refusedWrites finds them in what tools and programs printed.
// Each is a sign, no proof: anything can print such a line.
type refusedWrites struct {
	line  []byte // the unfinished one
	found []RefusedWrite
}

const (
	mostRefused     = 50
	longestRefusal  = 4 << 10 // bytes of a line
	readOnly        = "read-only file system"
	permissionNotes = "permission denied"
	missingFolder   = "no such file or directory"
)

// feed takes the next piece of the output, cut anywhere.
func (w *refusedWrites) feed(p []byte) {
	for len(p) > 0 {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		if len(w.line) < longestRefusal {
			w.line = append(w.line, line...)
		}
		if p = rest; !ended {
			return
		}
		w.endLine()
	}
}

func (w *refusedWrites) endLine() {
	write := refusedIn(string(w.line))
	if write.Path != "" && len(w.found) < mostRefused && !slices.Contains(w.found, write) {
		w.found = append(w.found, write)
	}
	w.line = w.line[:0]
}

var (
	// behind is how Node and Python tell: the reason, then the path in quotes.
	behind = lazyregexp.New(`(?i)(?:read-only file system|permission denied|no such file or directory)(?:, \w+)?:? '([^']+)'`)
	// inQuotes is the last quoted name before the reason, as of cp and touch.
	inQuotes = lazyregexp.New("['‘\"`]([^'’\"`]+)['’\"`][^'’\"`]*$")
	// zsh tells the path last.
	zsh = lazyregexp.New(`^zsh: (?:read-only file system|permission denied): (.+)$`)
	// creates is a line about something that was to be made.
	creates = lazyregexp.New(`(?i)\b(mkdir|mkdtemp|create|touch)\b`)
)

// refusedIn is the write that a line says was refused. What is hidden from an agent does not exist for it: there a
// folder cannot be made because the one around it is missing.
func refusedIn(line string) RefusedWrite {
	lower, made := strings.ToLower(line), creates.MatchString(line)
	path := ""
	switch {
	case strings.Contains(lower, readOnly):
		path = refusedPath(line, readOnly)
		if strings.Contains(lower, "temporary file") { // of sed -i: the name is never the same
			path = filepath.Join(filepath.Dir(path), "*")
		}
		return RefusedWrite{path, true}
	case strings.Contains(lower, permissionNotes):
		return RefusedWrite{refusedPath(line, permissionNotes), made}
	case made && strings.Contains(lower, missingFolder):
		path = refusedPath(line, missingFolder)
	}
	if !filepath.IsAbs(path) { // in the agent's own folder that is a mistake like any other
		path = ""
	}
	return RefusedWrite{path, true}
}

// refusedPath is the path that a line could not have written for a reason, "" if it names none.
func refusedPath(line, reason string) string {
	line = strings.TrimSpace(ui.Clean(line))
	for _, form := range []*lazyregexp.Regexp{behind, zsh} {
		if m := form.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	before := ""
	if at := strings.Index(strings.ToLower(line), ": "+reason); at >= 0 && len(strings.ToLower(line)) == len(line) {
		before = line[:at]
	}
	if m := inQuotes.FindStringSubmatch(before); m != nil {
		return m[1]
	}
	fields := strings.Fields(before)
	if len(fields) == 0 {
		return ""
	}
	return strings.Trim(fields[len(fields)-1], `:'"`)
}

// RefusedWrites are this turn's refused writes.
func (r *Reader) RefusedWrites() []RefusedWrite {
	r.refused.endLine()
	return r.refused.found
}
