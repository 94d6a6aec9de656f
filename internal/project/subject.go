package project

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"delegate/internal/land/review"
	"delegate/internal/text/lazyregexp"
	"delegate/internal/text/ui"
	"delegate/registry"
)

// longestSubject is how many characters a commit's subject has room for.
const longestSubject = 72

// noSubject are beginnings of a line that say nothing of a change by themselves, or that git reads as something else.
var noSubject = lazyregexp.New(`^(?i:i|i've|i'm|we|the task|this|it|here|all)\b|^(fixup|squash|amend)!|^[^\pL\pN"'(\[]`)

// Subject is the subject of a commit with an agent's work.
func Subject(a registry.Agent) string { return OneLine(cmp.Or(a.CommitSubject, a.Subtask)) }

// SubjectOf is an agent's summary of its work as the subject of a commit: where that is one line that can be one,
// else "".
func SubjectOf(summary string) string {
	said := strings.TrimRight(strings.TrimSpace(summary), ".")
	if strings.ContainsAny(said, "\n\r") || utf8.RuneCountInString(said) > longestSubject ||
		len(strings.Fields(said)) < 3 || strings.HasSuffix(said, "?") || noSubject.MatchString(said) {
		return ""
	}
	return HarmlessTitle(said)
}

// HarmlessTitle returns a title that others wrote, "" where it would do something in the person's name: close an issue,
// notify somebody, speak in the form of a landing's trailers, or read as what it is not.
func HarmlessTitle(title string) string {
	title = OneLine(title)
	words := strings.ReplaceAll(title, "`", " ") // a mark of code without its end is none
	if title != ui.Clean(title) || review.Acts(words) != "" || ofLandings.MatchString(title) {
		return ""
	}
	return title
}
