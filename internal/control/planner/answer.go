package planner

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"delegate/internal/plan"
	"delegate/internal/text/ui"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/keeper"
)

// maxPlanRead is the largest plan file that is taken from a folder, in bytes. One that is longer than
// a plan may be is refused with that as its fault.
const maxPlanRead = 4 * plan.MaxSize

// wordLimit bounds how much of the end of a planner's words is searched for a plan, in bytes.
const wordLimit = 4 << 20

// read is what the turn left: the file in its folder, else the last plan in the program's own words.
func (m *planner) read(t keeper.Turn) answer {
	a := m.planFile()
	printed := readTranscript(t, m.profile.Output)
	if printed.session != "" {
		m.id = printed.session
	}
	m.resumable = m.profile.Output != dialect.EventLines || printed.session != ""
	if a.text == nil {
		a.text = planIn(printed.words)
	}
	return a
}

// plannerOutput is what a planner's transcript says.
type plannerOutput struct {
	words   string // the program's own, the end of them
	session string
	failed  string // why it gave up
}

// readTranscript reads a transcript to its end. Of a program that prints events only its own words
// count, not what its tools answered.
func readTranscript(t keeper.Turn, form dialect.Output) (out plannerOutput) {
	file, err := os.Open(t.Output())
	if err != nil {
		return out
	}
	defer file.Close()
	var printed, spoken ending
	decoder, inEvents := dialect.Decoder{}, false
	take := func(events []dialect.Event) {
		for _, e := range events {
			inEvents = inEvents || e.Kind != dialect.Unreadable
			switch e.Kind {
			case dialect.Words:
				spoken.add(e.Text)
			case dialect.Session:
				out.session = e.Text
			case dialect.Failed:
				out.failed = e.Text
			}
		}
	}
	buffer := make([]byte, 256<<10)
	for err == nil {
		var n int
		n, err = file.Read(buffer)
		printed.add(string(buffer[:n]))
		if form == dialect.EventLines {
			take(decoder.Feed(buffer[:n]))
		}
	}
	if !errors.Is(err, io.EOF) {
		out.failed = err.Error()
	}
	take(decoder.Close())
	if inEvents {
		printed = spoken
	}
	out.words = ui.Clean(strings.ReplaceAll(printed.String(), "\r\n", "\n"))
	return out
}

// ending keeps the end of a text that comes in pieces.
type ending []byte

// add cuts now and then: a cut at each of a million pieces would take hours.
func (e *ending) add(text string) {
	if *e = append(*e, text...); len(*e) > 2*wordLimit {
		*e = append((*e)[:0], (*e)[len(*e)-wordLimit:]...)
	}
}

func (e ending) String() string { return string(e[max(0, len(e)-wordLimit):]) }

const planTitle = "# Delegation Plan:"

// planIn is the last plan in a text, without the code fence that it may stand in; nil if there is none.
func planIn(text string) []byte {
	lines := strings.Split(text, "\n")
	at := -1
	for i, line := range lines {
		if trimmed := strings.TrimLeft(line, " "); strings.HasPrefix(trimmed, planTitle) &&
			len(line)-len(trimmed) < 4 {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	indent := lines[at][:strings.Index(lines[at], "#")]
	before := at - 1
	for before >= 0 && strings.TrimSpace(lines[before]) == "" {
		before--
	}
	end := len(lines)
	if before >= 0 {
		if m := fenceForm.FindStringSubmatch(lines[before]); m != nil {
			end = at + fencedUntil(lines[at:], m[1])
		}
	}
	var out []string
	for _, line := range lines[at:end] {
		out = append(out, strings.TrimPrefix(line, indent))
	}
	out = withoutFarewell(out)
	return []byte(strings.TrimSpace(strings.Join(out, "\n")) + "\n")
}

// withoutFarewell takes away what a program says behind its plan: last paragraphs of plain lines,
// which belong to no field and no heading.
func withoutFarewell(lines []string) []string {
	for end := len(lines); end > 0; {
		begin := end
		for begin > 0 && strings.TrimSpace(lines[begin-1]) != "" {
			begin--
		}
		if slices.ContainsFunc(lines[begin:end], func(line string) bool {
			return strings.ContainsAny(line[:1], " \t-*+#`~")
		}) {
			return lines[:end]
		}
		for end = begin; end > 0 && strings.TrimSpace(lines[end-1]) == ""; {
			end--
		}
	}
	return nil
}

// fencedUntil is how many lines come before the end of a fence that was opened with the mark.
// Fences with a language inside of it end by themselves.
func fencedUntil(lines []string, mark string) int {
	inner := 0
	for i, line := range lines {
		m := fenceForm.FindStringSubmatch(line)
		switch {
		case m == nil || m[1][0] != mark[0] || len(m[1]) < len(mark) && inner == 0:
		case strings.TrimSpace(line) != m[1]:
			inner++
		case inner > 0:
			inner--
		default:
			return i
		}
	}
	return len(lines)
}

// factsText is the short form of what is known about the repository: its folders, two levels of
// them, with how many files they have.
func factsText(f plan.Facts) string {
	const most = 40
	counts := map[string]int{}
	for _, file := range f.Files {
		dir := path.Dir(file)
		if parts := strings.SplitN(dir, "/", 3); len(parts) > 2 {
			dir = parts[0] + "/" + parts[1]
		}
		counts[dir]++
	}
	folders := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var out strings.Builder
	fmt.Fprintf(&out, "%s are tracked. By folder:\n", ui.Plural(len(f.Files), "file"))
	for _, dir := range folders[:min(most, len(folders))] {
		name := dir + "/"
		if dir == "." {
			name = "the root itself"
		}
		fmt.Fprintf(&out, "- %s: %d\n", ui.Clean(strings.ReplaceAll(name, "\n", " ")), counts[dir])
	}
	if more := len(folders) - most; more > 0 {
		fmt.Fprintf(&out, "- and %s\n", ui.Plural(more, "more folder"))
	}
	return out.String()
}
