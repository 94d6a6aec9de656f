package ui

import (
	"fmt"
	"strings"
	"time"
)

// Plural is a number with its noun: "1 file", "3 files".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Some names the first of all, up to so many, and says how many more there are.
func Some(all []string, most int) string {
	named := strings.Join(all[:min(len(all), most)], ", ")
	if more := len(all) - most; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return named
}

// PluralWas is a number of things to which something was done: "1 write was refused", "3 writes were refused".
func PluralWas(n int, noun, done string) string {
	if n == 1 {
		return Plural(n, noun) + " was " + done
	}
	return Plural(n, noun) + " were " + done
}

// Elapsed is a time in short: "12s", "3m04s", "2h15m". One below 0 is 0.
func Elapsed(d time.Duration) string {
	d = max(0, d)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// Wrap breaks words behind a beginning so that lines fit the width in columns, with the later lines so many columns in.
// No width breaks nothing.
func Wrap(beginning, words string, margin, width int) []string {
	if width == 0 {
		return []string{beginning + words}
	}
	var all []string
	line, begun := beginning, false
	for word := range strings.FieldsSeq(words) {
		if begun && Columns(line)+1+Columns(word) > width {
			all = append(all, line)
			line, begun = strings.Repeat(" ", margin), false
		}
		if begun {
			line += " "
		}
		line, begun = line+word, true
	}
	return append(all, line)
}

// Quote marks each line of somebody else's words, and breaks those that are too long for the width in columns. No width
// breaks nothing.
func Quote(lines string, width int) (all []string) {
	const mark = "│ "
	if width > 0 {
		width = max(1, width-Columns(mark))
	}
	for line := range strings.SplitSeq(lines, "\n") {
		broken := []string{line}
		if width > 0 && Columns(line) > width {
			words := strings.TrimLeft(line, " \t")
			lead := line[:len(line)-len(words)]
			broken = Wrap(lead, words, len(lead), width)
		}
		for _, l := range broken {
			all = append(all, mark+l)
		}
	}
	return all
}

// leastLast is how many characters of a row's last cell are left at least.
const leastLast = 20

// CutLast cuts the rows' last cells, which are paths, from the left so that a table of them fits the width in columns:
// a path is known by its end. No width cuts nothing.
func CutLast(rows [][]string, width int) {
	if width == 0 || len(rows) == 0 {
		return
	}
	last, used := len(rows[0])-1, 0
	for i := range last {
		widest := 0
		for _, row := range rows {
			widest = max(widest, Columns(row[i]))
		}
		used += widest + 2
	}
	for _, row := range rows {
		limit := max(width-used, leastLast)
		if runes := []rune(row[last]); len(runes) > limit {
			row[last] = "…" + string(runes[len(runes)-limit+1:])
		}
	}
}
