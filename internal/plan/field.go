package plan

import (
	"delegate/internal/text/lazyregexp"
	"fmt"
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
	titleForm   = lazyregexp.New(`(?i)^#[ \t]*delegation plan[ \t]*(?:$|:(.*)$|[^\pL\pN])`)
	subtaskForm = lazyregexp.New(`(?i)^(#{1,6})[ \t]*sub[- ]?task(?:$|[ \t]+(.*)$|([^\pL \t].*)$)`)
	numberForm  = lazyregexp.New(`^([-+]?[0-9]+)[ \t]*:(.*)$`)
	ruleForm    = lazyregexp.New(`^(?:-[ \t]*){3,}$|^(?:\*[ \t]*){3,}$|^(?:_[ \t]*){3,}$`)
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

// The names of the fields, in the order in which they are written.
const (
	fDescription  = "Description"
	fContext      = "Context"
	fAllowed      = "Allowed"
	fForbidden    = "Forbidden"
	fType         = "Type"
	fComplexity   = "Complexity"
	fDependencies = "Dependencies"
	fOutputs      = "Expected Outputs"
	fAgent        = "Agent"
	fModel        = "Model"
	fEffort       = "Effort"
	fBudget       = "Budget"
	fOn           = "On"
	fTask         = "Task"
)

func fieldNames() []string {
	return []string{fDescription, fContext, fAllowed, fForbidden, fType, fComplexity, fDependencies, fOutputs, fAgent,
		fModel, fEffort, fOn, fBudget, fTask}
}

// isProse reports whether a field's text may hold code fences.
func isProse(name string) bool { return name == fDescription || name == fContext }

// field is one field as it stands in the file.
type field struct {
	name string
	line int
	// lines are the text behind the colon and the lines below, untouched.
	lines []line
	// misspelled is a field whose name is none.
	misspelled bool
}

var (
	boldField  = lazyregexp.New(`^[-*+][ \t]+\*\*([^*:]+)(?::[ \t]*\*\*|\*\*[ \t]*:)(.*)$`)
	plainField = lazyregexp.New(`^[-*+][ \t]+([\pL][\pL _-]*):(?:[ \t](.*))?$`)
)

const longestFieldName = 30 // characters, where it is not in bold

// readField reads the first line of a field. The name is as written.
func readField(l line) (name, text string, ok bool) {
	m := boldField.FindStringSubmatch(l.text)
	if m == nil {
		m = plainField.FindStringSubmatch(l.text)
		if m != nil && utf8.RuneCountInString(m[1]) > longestFieldName {
			m = nil
		}
	}
	if m == nil {
		return "", "", false
	}
	return strings.TrimSpace(m[1]), strings.TrimSpace(m[2]), true
}

// looksLikeField reports whether a line outside of all subtasks is plainly the field of one,
// which means that the subtask's heading is missing or misspelt.
func looksLikeField(text string) bool {
	m := boldField.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	name, ok := canonicalField(m[1])
	return ok && (name == fDescription || name == fAllowed)
}

// canonicalField finds a field by its name in any case of letters, with any of space, "-" and "_" between words.
func canonicalField(written string) (string, bool) {
	plain := strings.Join(strings.FieldsFunc(written, func(r rune) bool {
		return unicode.IsSpace(r) || r == '-' || r == '_'
	}), " ")
	for _, name := range fieldNames() {
		if strings.EqualFold(plain, name) {
			return name, true
		}
	}
	return written, false
}

// unknownField says what is wrong with the name of a field, meant being one that is spelled alike or "".
func unknownField(written, meant string) string {
	if meant != "" {
		return fmt.Sprintf("unknown field %q; did you mean %q?", written, meant)
	}
	return fmt.Sprintf("unknown field %q; known are: %s", written, strings.Join(fieldNames(), ", "))
}

// text returns the field's text: lines below lose their common indentation,
// the whole loses blank space around it, and "None" is empty.
func (f *field) text() string {
	var lines []string
	below := f.lines[1:]
	cut := len(commonIndent(below))
	if first := f.lines[0].text; first != "" {
		lines = append(lines, first)
	}
	for _, l := range below {
		if l.blank() {
			lines = append(lines, "")
			continue
		}
		lines = append(lines, l.text[cut:])
	}
	s := strings.TrimSpace(strings.Join(lines, "\n"))
	if isNone(s) {
		return ""
	}
	return s
}

func isNone(s string) bool { return s == "" || s == "-" || strings.EqualFold(s, "none") }

func commonIndent(lines []line) string {
	var common string
	first := true
	for _, l := range lines {
		if l.blank() {
			continue
		}
		indent := l.text[:len(l.text)-len(strings.TrimLeft(l.text, " \t"))]
		if first {
			common, first = indent, false
		}
		n := 0
		for n < len(common) && n < len(indent) && common[n] == indent[n] {
			n++
		}
		common = common[:n]
	}
	return common
}

// items returns the elements of a list with the lines they stand on.
func (f *field) items() []line {
	var out []line
	for i, l := range f.lines {
		text := strings.TrimSpace(l.text)
		if i > 0 && (strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "* ")) {
			text = text[2:]
		}
		for _, s := range splitList(text) {
			if s = unquote(s); s != "" {
				out = append(out, line{l.no, s})
			}
		}
	}
	if len(out) == 1 && isNone(out[0].text) {
		return nil
	}
	return out
}

// splitList cuts at commas, but not in braces, in a character class, or behind a backslash,
// where a comma is part of a pattern.
func splitList(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			i += classLen(s[i:])
		case '{':
			depth++
		case '}':
			depth = max(0, depth-1)
		case ',':
			if depth == 0 {
				out = append(out, s[start:i])
				start = i + 1
			}
		}
	}
	return append(out, s[start:])
}

// classLen returns the distance from the bracket at the start of s to the one that closes it, 0 if none does.
func classLen(s string) int {
	i := 1
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		i++
	}
	for first := i; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == ']' && i > first:
			return i
		}
	}
	return 0
}

func texts(items []line) []string {
	var out []string
	for _, l := range items {
		out = append(out, l.text)
	}
	return out
}

// oneLine returns the text of a field that takes a single word or line.
func (f *field) oneLine() (string, string) {
	s := f.text()
	if strings.Contains(s, "\n") {
		return "", fmt.Sprintf("%q takes one line", f.name)
	}
	if s = unquote(s); isNone(s) {
		return "", ""
	}
	return s, ""
}

// unquote takes off the backticks that Markdown puts around code.
func unquote(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r == '`' || unicode.IsSpace(r) })
}
