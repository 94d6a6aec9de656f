package plan

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Format returns the plan in its canonical text.
// A plan that [Parse] returned parses to the same plan again, except for Subtask.Line.
//
// In a plan made by other means, text cannot pass for structure:
// control characters are replaced, a line of the reasoning that would be read as a heading or a field
// gets a backslash in front, an open code fence is closed, and names and titles become one line.
func (p *Plan) Format() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# Delegation Plan: %s\n", flat(p.Title))
	if text := safeReasoning(p.Reasoning); text != "" {
		b.WriteString("\n" + text + "\n")
	}
	for _, s := range p.Subtasks {
		s.format(&b)
	}
	return []byte(b.String())
}

func (s Subtask) format(b *strings.Builder) {
	fmt.Fprintf(b, "\n## Subtask %d: %s\n", s.Number, flat(s.Name))
	writeProse(b, fDescription, s.Description)
	if s.Context != "" {
		writeProse(b, fContext, s.Context)
	}
	writeField(b, fAllowed, joinList(s.Allowed))
	writeField(b, fForbidden, joinList(s.Forbidden))
	writeField(b, fType, flat(string(s.Type)))
	writeField(b, fComplexity, flat(s.Complexity))
	deps := make([]string, len(s.Dependencies))
	for i, d := range s.Dependencies {
		deps[i] = strconv.Itoa(d)
	}
	writeField(b, fDependencies, joinList(deps))
	writeField(b, fOutputs, joinList(s.ExpectedOutputs))
	if s.Agent != "" {
		writeField(b, fAgent, flat(s.Agent))
	}
	if s.Model != "" {
		writeField(b, fModel, flat(s.Model))
	}
	if s.Effort != "" {
		writeField(b, fEffort, flat(s.Effort))
	}
	if s.On != "" {
		writeField(b, fOn, flat(s.On))
	}
	if s.Budget != "" {
		writeField(b, fBudget, flat(s.Budget))
	}
	if s.Task != "" {
		writeField(b, fTask, flat(s.Task))
	}
}

func writeField(b *strings.Builder, name, text string) {
	fmt.Fprintf(b, "- **%s**:", name)
	if text != "" {
		b.WriteString(" " + text)
	}
	b.WriteByte('\n')
}

// writeProse writes text of several lines wholly below the field's name,
// where the indentation of its lines relative to one another is plain.
func writeProse(b *strings.Builder, name, text string) {
	lines := closeFence(strings.Split(strings.TrimSpace(clean(text)), "\n"))
	if len(lines) == 1 {
		writeField(b, name, lines[0])
		return
	}
	writeField(b, name, "")
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			b.WriteString("  " + l)
		}
		b.WriteByte('\n')
	}
}

// closeFence adds the end of a code fence that the lines leave open.
func closeFence(lines []string) []string {
	var f fence
	for _, l := range lines {
		f = f.after(line{text: l})
	}
	if f.open() {
		lines = append(lines, f.mark)
	}
	return lines
}

func safeReasoning(text string) string {
	var f fence
	lines := strings.Split(clean(text), "\n")
	for i, l := range lines {
		if isTitle(l) || isSubtask(l) || !f.open() && looksLikeField(l) {
			lines[i] = `\` + l
		}
		f = f.after(line{text: l})
	}
	return joinPiece(closeFence(lines))
}

// joinList writes a list in one line; a comma inside an element that would separate gets a backslash.
func joinList(list []string) string {
	var out []string
	for _, s := range list {
		if s = flat(s); s != "" {
			out = append(out, strings.Join(splitList(s), `\,`))
		}
	}
	if len(out) == 0 {
		return "None"
	}
	return strings.Join(out, ", ")
}

// clean makes text of any origin fit for a plan file.
func clean(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, string(utf8.RuneError)), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if r != '\n' && isControl(r) {
			return utf8.RuneError
		}
		return r
	}, text)
}

// flat returns text as one line.
func flat(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(clean(text), "\n", " "))
}
