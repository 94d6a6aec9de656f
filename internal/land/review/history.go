package review

import (
	"bytes"
	"cmp"
	"delegate/internal/text/lazyregexp"
	"fmt"
	"slices"
	"strings"

	"delegate/internal/text/ui"
)

// RuleHistory is the rule about commits that the target gets beside the result.
const RuleHistory = "history"

// Commit is one of the commits that come into the target's history.
type Commit struct {
	ID, Author, Message string // the author as "Name <address>"
	Added               []byte // the lines that it adds
}

// History are the commits that come with a change, newest first.
type History struct {
	Commits []Commit
	Person  string // for whom agents commit, as "Name <address>"
	Cut     bool   // there is more than Commits have
}

// approvals are lines of a message that speak for somebody, as only a person's yes may.
var approvals = lazyregexp.New(`(?im)^(?:(?:Reviewed|Approved|Acked)-by|Delegate-Digest|Delegate-Override): *\S.*$|^Delegate-Agent: .*\bdigest .*$`)

// skips are words in a commit's message by which forges run no checks.
var skips = lazyregexp.New(`(?im)\[(?:skip|no)[ -](?:ci|actions)\]|\[(?:ci|actions)[ -]skip\]|\*\*\*NO_CI\*\*\*|` +
	`^skip-checks: *true`)

// calls are words by which a forge closes an issue, or notifies somebody.
var calls = lazyregexp.New(`(?i)\b((?:close[sd]?|closing|fix(?:e[sd]|ing)?|resolve[sd]?|resolving|implement(?:s|ed|ing)?|` +
	`reopen(?:s|ed)?)\b[^\w\x60]{0,9}(?:issues?[^\w\x60]{1,3})?)((?:[\w./-]*(?:[#!]|GH-)|https?://\S+/)\d+)|` +
	`(^|[^\w.\x60])(@\w[\w./-]*)`)

// Acts returns what of words in the person's name would do something at a forge: close an issue, notify somebody, or
// have it run no checks. It returns "" for nothing.
func Acts(words string) string {
	return cmp.Or(skips.FindString(words), strings.TrimSpace(calls.FindString(words)))
}

// AsCode returns a commit's message with what closes issues and notifies people as code, which forges let be.
func AsCode(message string) string {
	if !calls.MatchString(message) {
		return message
	}
	return calls.ReplaceAllString(strings.ReplaceAll(message, "`", "'"), "$1$3`$2$4`")
}

// history says what the commits bring that the result does not show: authors other than the person for whom agents
// commit, approvals, words by which a forge acts, and secrets that were taken out again.
func history(w *work) ([]Remark, error) {
	var all []Remark
	add := func(text string, args ...any) {
		all = append(all, Remark{Severity: Warning, Text: fmt.Sprintf(text, args...)})
	}
	var others []string
	count := map[string]int{}
	for _, c := range w.History.Commits {
		if c.Author != w.History.Person {
			if count[c.Author]++; count[c.Author] == 1 {
				others = append(others, c.Author)
			}
		}
		for _, line := range approvals.FindAllStringSubmatch(c.Message, -1) {
			add("commit %.7s says %q, which nobody confirmed", c.ID, strings.TrimSpace(line[0]))
		}
		if words := Acts(c.Message); words != "" {
			add("commit %.7s says %q, by which a forge runs no checks, closes an issue or notifies somebody", c.ID,
				words)
		}
	}
	for _, author := range others {
		add("%s by another author: %s", ui.Plural(count[author], "commit"), author)
	}
	if !w.Rules.Secrets {
		return all, nil
	}
	if w.History.Cut {
		add("its commits add more than is searched for secrets")
	}
	var past []suspect
	known := map[string]bool{}
	for _, c := range slices.Backward(w.History.Commits) {
		for _, s := range search(forms(), block{text: c.Added, line: 1}) {
			if s.remark.Severity == Suggestion || known[s.secret] {
				continue
			}
			known[s.secret] = true
			what := strings.TrimPrefix(s.remark.Text, "adds ")
			s.remark = Remark{Severity: Warning, Text: fmt.Sprintf("a secret in %.7s, removed later: %s", c.ID, what)}
			past = append(past, s)
		}
	}
	if len(past) == 0 {
		return all, nil
	}
	still := map[string]bool{}
	err := w.each(func(v version) {
		for _, s := range past {
			still[s.secret] = still[s.secret] || bytes.Contains(v.new, []byte(s.secret))
		}
	})
	for _, s := range past {
		if !still[s.secret] {
			all = append(all, s.remark)
		}
	}
	return all, err
}
