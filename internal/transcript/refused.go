package transcript

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// refusedWrites finds in what tools and programs printed the paths that the system refused to have written.
// It is a sign, no proof: anything can print such a line.
type refusedWrites struct {
	line  []byte // the unfinished one
	paths []string
}

const (
	mostRefused     = 50
	longestRefusal  = 4 << 10 // bytes of a line
	readOnly        = "read-only file system"
	permissionNotes = "permission denied"
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
	path := refusedPath(string(w.line))
	if path != "" && len(w.paths) < mostRefused && !slices.Contains(w.paths, path) {
		w.paths = append(w.paths, path)
	}
	w.line = w.line[:0]
}

var (
	// behind is how Node and Python tell: the reason, then the path in quotes.
	behind = regexp.MustCompile(`(?i)(?:read-only file system|permission denied)(?:, \w+)?:? '([^']+)'`)
	// inQuotes is the last quoted name before the reason, as of cp and touch.
	inQuotes = regexp.MustCompile("['‘\"`]([^'’\"`]+)['’\"`][^'’\"`]*$")
	// zsh tells the path last.
	zsh = regexp.MustCompile(`^zsh: (?:read-only file system|permission denied): (.+)$`)
)

// refusedPath is the path that a line says could not be written, "" if it says nothing of the kind.
func refusedPath(line string) string {
	lower := strings.ToLower(line)
	at := strings.Index(lower, readOnly)
	if at < 0 {
		if at = strings.Index(lower, permissionNotes); at < 0 || len(lower) != len(line) {
			return ""
		}
	}
	line = strings.TrimSpace(escapes.ReplaceAllString(line, ""))
	for _, form := range []*regexp.Regexp{behind, zsh} {
		if m := form.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	before, found := "", false
	for _, reason := range []string{readOnly, permissionNotes} {
		if at := strings.Index(strings.ToLower(line), ": "+reason); at >= 0 && !found {
			before, found = line[:at], true
		}
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

// RefusedWrites are the paths of this turn's refused writes, as the output names them.
func (r *Reader) RefusedWrites() []string {
	r.refused.endLine()
	return r.refused.paths
}
