package plan

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// joinPiece drops the blank lines around a piece of reasoning and nothing else:
// without its indentation a line could become a heading.
func joinPiece(lines []string) string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}

// line is one line of the file without its end.
type line struct {
	no   int
	text string
}

func (l line) blank() bool { return strings.TrimSpace(l.text) == "" }

func (l line) indented() bool { return l.text != "" && (l.text[0] == ' ' || l.text[0] == '\t') }

// splitLines cuts the file into lines and faults characters that text cannot contain.
// They would act on the terminal on which a person approves the plan.
func splitLines(data []byte) ([]line, []Fault) {
	var lines []line
	var faults []Fault
	rest := strings.TrimPrefix(string(data), "\ufeff")
	for text := range strings.SplitSeq(rest, "\n") {
		text = strings.TrimRight(text, "\r")
		l := line{no: len(lines) + 1, text: text}
		lines = append(lines, l)
		if !utf8.ValidString(text) {
			faults = append(faults, Fault{l.no, "is not UTF-8 text"})
		} else if i := strings.IndexFunc(text, isControl); i >= 0 {
			c, _ := utf8.DecodeRuneInString(text[i:])
			faults = append(faults, Fault{l.no, fmt.Sprintf("contains the control character %U", c)})
		}
	}
	return lines, faults
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\t' }

// fence is an open code fence; the zero fence is none.
type fence struct {
	mark string // the run of backticks or tildes that opened it
	line int
}

func (f fence) open() bool { return f.mark != "" }

// after returns the fence state behind the line.
// Indentation does not count, so that the state is the same once the text is dedented.
func (f fence) after(l line) fence {
	text := strings.TrimSpace(l.text)
	if text == "" || text[0] != '`' && text[0] != '~' {
		return f
	}
	rest := strings.TrimLeft(text, text[:1])
	mark := text[:len(text)-len(rest)]
	switch {
	case f.open() && strings.HasPrefix(mark, f.mark) && rest == "":
		return fence{}
	case !f.open() && len(mark) >= 3 && !(mark[0] == '`' && strings.Contains(rest, "`")):
		return fence{mark: mark, line: l.no}
	}
	return f
}

var (
	titleForm   = regexp.MustCompile(`(?i)^#[ \t]*delegation plan[ \t]*(?:$|:(.*)$|[^\pL\pN])`)
	subtaskForm = regexp.MustCompile(`(?i)^(#{1,6})[ \t]*sub[- ]?task(?:$|[ \t]+(.*)$|([^\pL \t].*)$)`)
	numberForm  = regexp.MustCompile(`^([-+]?[0-9]+)[ \t]*:(.*)$`)
	ruleForm    = regexp.MustCompile(`^(?:-[ \t]*){3,}$|^(?:\*[ \t]*){3,}$|^(?:_[ \t]*){3,}$`)
)

// isTitle reports whether the line is meant as the heading of the plan.
func isTitle(text string) bool { return titleForm.MatchString(text) }

// readTitle returns the title in a heading that isTitle accepts.
func readTitle(text string) (string, string) {
	m := titleForm.FindStringSubmatch(text)
	title := strings.TrimSpace(m[1])
	if !strings.HasPrefix(text, "# ") || title == "" {
		return "", "write the heading as \"# Delegation Plan: TITLE\""
	}
	return title, ""
}

// isSubtask reports whether the line is meant as the heading of a subtask,
// also where it is not quite one, so that no subtask is taken for a note.
func isSubtask(text string) bool {
	m := subtaskForm.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	rest := m[2] + m[3]
	return rest == "" || strings.ContainsRune(":#+-.0123456789", rune(rest[0])) ||
		len(m[1]) == 2 && strings.Contains(rest, ":")
}

// readSubtask returns number and name in a heading that isSubtask accepts, and what is wrong with it.
// A number that cannot be used is 0.
func readSubtask(text string) (number int, name, wrong string) {
	const form = `write the heading as "## Subtask N: NAME"`
	m := subtaskForm.FindStringSubmatch(text)
	n := numberForm.FindStringSubmatch(m[2])
	if n == nil || m[1] != "##" || text[2] != ' ' && text[2] != '\t' {
		return 0, "", form
	}
	number, err := strconv.Atoi(n[1])
	name = strings.TrimSpace(n[2])
	switch {
	case err != nil || number <= 0 || number > 1<<30:
		return 0, name, fmt.Sprintf("subtask number %q is not a positive number in reach", n[1])
	case name == "":
		return number, "", fmt.Sprintf("subtask %d has no name; %s", number, form)
	}
	return number, name, ""
}

func isOtherSection(text string) bool { return strings.HasPrefix(text, "## ") || text == "##" }
