package page

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"delegate/internal/agentdir"
	"delegate/internal/status"
	"delegate/registry"
)

// TestAnswerIsToWhatWasSeen holds that the answer of a form counts for the question that was on the page, and not for
// one that an agent puts in its place meanwhile.
func TestAnswerIsToWhatWasSeen(t *testing.T) {
	permission := agentdir.Question{ID: "1", Tool: "Write", Line: "Write w1/one"}
	asks := agentdir.Question{ID: "2", Text: "Which form?", Choices: []string{"plain", "JSON"}}
	for _, c := range []struct {
		name     string
		seen, is agentdir.Question
		answers  url.Values
		want     string // "" for none
	}{
		{"the same", permission, permission, url.Values{"word": {"allow"}}, "allow"},
		{"another line", permission, agentdir.Question{ID: "1", Tool: "Write", Line: "Write w1/two"},
			url.Values{"word": {"allow"}}, ""},
		{"another verdict", permission, agentdir.Question{ID: "1", Tool: "Write", Line: "Write w1/one", Outside: "x"},
			url.Values{"word": {"allow"}}, ""},
		{"a choice", asks, asks, url.Values{"word": {"said"}, "choice": {"1"}}, "said JSON"},
		{"other choices", asks, agentdir.Question{ID: "2", Text: "Which form?", Choices: []string{"plain", "none"}},
			url.Values{"word": {"said"}, "choice": {"1"}}, ""},
		{"another word", permission, permission, url.Values{"word": {"said"}}, ""},
	} {
		c.answers.Set("seen", shownIn(t, c.seen))
		got, err := answerTo(c.is, c.answers)
		said := strings.TrimSpace(string(got.Word) + " " + got.Text)
		if said != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v, want %q", c.name, said, err, c.want)
		}
	}
}

// shownIn is what the forms for a question carry of it.
func shownIn(t *testing.T, q agentdir.Question) string {
	t.Helper()
	s := &server{}
	page, err := s.templates(registry.State{Session: &registry.Session{}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	v := pointView{Point: status.Point{Kind: status.AskPoint, Question: q}}
	if err := page.ExecuteTemplate(&b, "point", v); err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile(`name="seen" value="([^"]*)"`).FindAllStringSubmatch(b.String(), -1)
	if len(all) != strings.Count(b.String(), "<form") {
		t.Fatalf("%d forms carry it: %s", len(all), b.String())
	}
	return all[0][1]
}
