package project_test

import (
	"strings"
	"testing"

	"delegate/internal/project"
	"delegate/registry"
)

func TestSubject(t *testing.T) {
	const title = "Limit requests"
	for summary, want := range map[string]string{
		"":                                          title,
		"Count requests for each client.":           "Count requests for each client",
		"fix(limit): count  requests":               "fix(limit): count requests",
		"Done.":                                     title,
		"All tests pass now":                        title,
		"I have added a limiter":                    title,
		"Added it\n\nwith tests":                    title,
		"Which port should it listen on?":           title,
		"- added the limiter":                       title,
		"# added the limiter":                       title,
		"fixup! count requests again":               title,
		"Count all requests [skip ci]":              title,
		"Count them all, closes #1":                 title,
		"Count them all: Fixes o/r#2":               title,
		"Resolved: https://x.example/o/r/issues/3 ": title,
		"Count for each @client":                    title,
		"Count for each `@client":                   title,
		"Count \u202estseuqer of all":               title,
		"Count \x1b]0;owned\a requests of all":      title,
		"Approved-by: Ada the owner":                title,
		"Fix the mail of a@b.example, #4 and UTF-8": "Fix the mail of a@b.example, #4 and UTF-8",
		"Count requests " + strings.Repeat("x", 72): title,
	} {
		if got := project.Subject(registry.Agent{Subtask: "Limit\trequests", Summary: "Not these words",
			CommitSubject: project.SubjectOf(summary)}); got != want {
			t.Errorf("of %q: %q, want %q", summary, got, want)
		}
	}
}
