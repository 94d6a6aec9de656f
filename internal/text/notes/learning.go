package notes

import (
	"bytes"
	"crypto/sha256"
	"delegate/internal/text/lazyregexp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Failure is something that went wrong for an agent.
type Failure struct {
	Time    time.Time // written in UTC, to the second
	Session string
	Agent   string
	Type    string   // of the task: STANDARD, …
	Scope   []string // the globs the agent could write
	Task    string   // what it had to do, in a line
	Reason  string   // what went wrong; numbers, ids, quoted paths and durations in it do not tell failures apart
}

// Learning is a failure as the file remembers it.
type Learning struct {
	Seen   int      // how often
	Types  []string // of the tasks
	Scopes []string
	Text   string // the first task and reason, with what people added
}

// The fields of a section, in their order.
const (
	fSeen    = "Seen"
	fPromote = "Promote"
	fLast    = "Last"
	fTypes   = "Types"
	fScopes  = "Scopes"
	fTask    = "Task"
)

const (
	promoteAt = 3
	maxItems  = 20      // types or scopes of one learning; the oldest give way
	maxReason = 4 << 10 // bytes
	maxTask   = 200     // characters
)

var (
	fieldLine = lazyregexp.New(`^- \*\*([A-Za-z]+)\*\*: ?(.*?)(\r?)$`)
	anyField  = lazyregexp.New(`(?m)^- \*\*`)
	sealLine  = lazyregexp.New(`(?m)^<!-- as written: [0-9a-f]* -->\r?\n?`)
)

// write is a new section for a failure. The reason has no lines that would be fields.
func write(f Failure) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s\n\n- **%s**: 1 time\n- **%s**: %s\n", mark, key(f.Reason), fSeen, fLast, f.last())
	fmt.Fprintf(&b, "- **%s**: %s\n- **%s**: %s\n", fTypes, list(nil, f.Type), fScopes, list(nil, f.Scope...))
	if task := oneLine(f.Task, maxTask); task != "" {
		fmt.Fprintf(&b, "- **%s**: %s\n", fTask, task)
	}
	b.WriteString("\n" + anyField.ReplaceAllString(body(f.Reason, maxReason), `\- **`))
	return seal(b.Bytes())
}

func (f Failure) last() string {
	return oneLine(fmt.Sprintf("%s, %s, %s", f.Time.UTC().Format(time.RFC3339), f.Session, f.Agent), maxFrom)
}

// list adds items to those that are there, the newest last.
func list(there []string, items ...string) string {
	for _, item := range items {
		if item = oneLine(strings.ReplaceAll(item, ", ", ","), maxTitle); item != "" && !slices.Contains(there, item) {
			there = append(there, item)
		}
	}
	return strings.Join(there[max(0, len(there)-maxItems):], ", ")
}

func unlist(value string) []string {
	return slices.DeleteFunc(strings.Split(value, ", "), func(item string) bool { return item == "" })
}

// again is the section after one more failure of its kind. Lines that are not ours stay, and so
// does a decision about promotion.
func again(section []byte, f Failure) []byte {
	l := read(section)
	sealed := isSealed(section)
	seen := strconv.Itoa(l.Seen+1) + " times"
	section = set(section, fSeen, seen)
	if _, decided := field(section, fPromote); !decided && l.Seen+1 >= promoteAt {
		section = set(section, fPromote, "yes")
	}
	section = set(section, fLast, f.last())
	section = set(section, fTypes, list(l.Types, f.Type))
	section = set(section, fScopes, list(l.Scopes, f.Scope...))
	if sealed {
		return seal(section)
	}
	return section
}

// read takes from a section what can be read of it. A section without a count was seen once.
func read(section []byte) Learning {
	value := func(name string) string {
		text, _ := field(section, name)
		return text
	}
	l := Learning{
		Seen:   1,
		Types:  unlist(value(fTypes)),
		Scopes: unlist(value(fScopes)),
		Text:   prose(section),
	}
	count, _, _ := strings.Cut(value(fSeen), " ")
	if n, err := strconv.Atoi(count); err == nil && n > 0 {
		l.Seen = n
	}
	return l
}

// prose is what a section holds beside its heading, its seal and the fields that read knows.
func prose(section []byte) string {
	known := []string{fSeen, fPromote, fLast, fTypes, fScopes}
	lines := strings.Split(string(sealLine.Compiled().ReplaceAll(section, nil)), "\n")
	lines = slices.DeleteFunc(lines[1:], func(line string) bool {
		m := fieldLine.FindStringSubmatch(line)
		return m != nil && slices.Contains(known, m[1])
	})
	return strings.TrimSpace(strings.ReplaceAll(strings.Join(lines, "\n"), "\r\n", "\n"))
}

// field is the first that has the name: what follows may be a person's text.
func field(section []byte, name string) (value string, found bool) {
	for line := range strings.SplitSeq(string(section), "\n") {
		if m := fieldLine.FindStringSubmatch(line); m != nil && m[1] == name {
			return m[2], true
		}
	}
	return "", false
}

// set gives a field its value, in its line or in a new one behind the field that comes before it.
func set(section []byte, name, value string) []byte {
	order := []string{fSeen, fPromote, fLast, fTypes, fScopes, fTask}
	lines := strings.Split(string(section), "\n")
	behind := 0
	for i, line := range lines {
		m := fieldLine.FindStringSubmatch(line)
		switch {
		case m == nil:
		case m[1] == name:
			lines[i] = fmt.Sprintf("- **%s**: %s%s", name, value, m[3])
			return []byte(strings.Join(lines, "\n"))
		case slices.Index(order, m[1]) >= 0 && slices.Index(order, m[1]) < slices.Index(order, name):
			behind = i
		}
	}
	return []byte(strings.Join(slices.Insert(lines, behind+1, fmt.Sprintf("- **%s**: %s", name, value)), "\n"))
}

// seal ends a section with the digest of its text, by which a section without edits is known.
func seal(section []byte) []byte {
	text := bytes.TrimSpace(sealLine.Compiled().ReplaceAll(section, nil))
	return fmt.Appendf(nil, "%s\n\n<!-- as written: %s -->\n\n", text, digest(text))
}

func isSealed(section []byte) bool {
	text := bytes.TrimSpace(sealLine.Compiled().ReplaceAll(section, nil))
	return bytes.Contains(section, []byte("<!-- as written: "+digest(text)+" -->"))
}

// digest does not depend on line ends, which git may change.
func digest(text []byte) string {
	sum := sha256.Sum256(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	return fmt.Sprintf("%x", sum[:6])
}
