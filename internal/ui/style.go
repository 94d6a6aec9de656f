package ui

import (
	"os"

	"golang.org/x/term"
)

func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// Style colours text, or leaves it as it is. The zero value does the latter.
type Style struct{ on bool }

func styleOf(out *os.File) Style {
	return Style{on: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(out)}
}

// Bold makes text stand out.
func (s Style) Bold(text string) string { return s.paint("1", text) }

// Dim makes text step back.
func (s Style) Dim(text string) string { return s.paint("2", text) }

// Reverse is for what is chosen among others.
func (s Style) Reverse(text string) string { return s.paint("7", text) }

// Red is for what failed or blocks.
func (s Style) Red(text string) string { return s.paint("31", text) }

// Green is for what went well.
func (s Style) Green(text string) string { return s.paint("32", text) }

// Yellow is for what a person should look at.
func (s Style) Yellow(text string) string { return s.paint("33", text) }

// paint wraps text in a graphic rendition and its reset; there is nothing to colour in an empty text.
func (s Style) paint(code, text string) string {
	if !s.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
