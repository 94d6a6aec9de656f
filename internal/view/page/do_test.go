package page

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"delegate/internal/turn/agentdir"
	"delegate/internal/view/status"
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

// TestFormsCarryTheTurn holds that an answer to an agent that waits says which of its turns it is to.
func TestFormsCarryTheTurn(t *testing.T) {
	page, err := (&server{}).templates(registry.State{Session: &registry.Session{}})
	if err != nil {
		t.Fatal(err)
	}
	a := registry.Agent{ID: "AGT-001", Attempt: 2, Turns: 3, Status: registry.Checkpoint}
	for _, kind := range []status.PointKind{status.CheckpointPoint, status.FailedPoint, status.StalledPoint} {
		var b strings.Builder
		if err := page.ExecuteTemplate(&b, "point", pointView{Point: status.Point{Kind: kind}, Agent: a}); err != nil {
			t.Fatal(err)
		}
		if want := `name="turn" value="2 3 CHECKPOINT"`; !strings.Contains(b.String(), want) {
			t.Errorf("%s: no %s in %s", kind, want, b.String())
		}
	}
}

// TestRefusedIsNotOffered holds that what the server would refuse has no button, and that the reason is in its place.
func TestRefusedIsNotOffered(t *testing.T) {
	page, err := (&server{}).templates(registry.State{Session: &registry.Session{Target: "main"}})
	if err != nil {
		t.Fatal(err)
	}
	const reason = "its time is used up"
	offered := func(template string, data any) []string {
		var b strings.Builder
		if err := page.ExecuteTemplate(&b, template, data); err != nil {
			t.Fatal(err)
		}
		var acts []string
		for _, found := range regexp.MustCompile(`name="act" value="([^"]*)"`).FindAllStringSubmatch(b.String(), -1) {
			acts = append(acts, found[1])
		}
		return append(acts, regexp.MustCompile(reason).FindAllString(b.String(), -1)...)
	}
	point := func(kind status.PointKind, extend bool, held string) []string {
		return offered("point", pointView{Point: status.Point{Kind: kind}, Extend: extend, Held: held})
	}
	general := func(of registry.Status, extend bool, held string) []string {
		p := agentPage{Extend: extend, Held: held}
		p.Status = of
		return offered("general", p)
	}
	asks := func(request string) []string {
		return offered("point", pointView{Point: status.Point{Kind: status.CheckpointPoint},
			Agent: registry.Agent{Request: request}})
	}
	for name, c := range map[string]struct{ got, want []string }{
		"asks to go on":    {asks("CONTINUE"), []string{"continue", "complete"}},
		"asks for a merge": {asks("MERGE"), []string{"complete", "continue"}},
		"failed":           {point(status.FailedPoint, true, ""), []string{"message", "retry", "complete"}},
		"failed, no time":  {point(status.FailedPoint, true, reason), []string{"extend", "retry", "complete", reason}},
		"failed, no money": {point(status.FailedPoint, false, reason), []string{"retry", "complete", reason}},
		"stalled":          {point(status.StalledPoint, true, ""), []string{"now", "interrupt", "extend"}},
		"no limit":         {point(status.StalledPoint, false, ""), []string{"now", "interrupt"}},
		"conflict":         {point(status.ConflictPoint, true, ""), []string{"conflict", "seen"}},
		"conflict, held":   {point(status.ConflictPoint, true, reason), []string{"seen", reason}},
		"violation, held":  {point(status.ViolationPoint, true, reason), []string{reason}},
		"running": {general(registry.Running, true, ""), []string{"message", "now", "interrupt", "extend",
			"allow"}},
		"waiting":        {general(registry.Checkpoint, false, ""), []string{"message", "adapt", "allow"}},
		"ready":          {general(registry.Complete, true, ""), []string{"message", "adapt", "extend", "allow"}},
		"ready, no time": {general(registry.Complete, true, reason), []string{"extend", "allow", reason}},
		"pending":        {general(registry.Pending, false, ""), []string{"message", "allow"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: the page offers %q, want %q", name, c.got, c.want)
		}
	}
}

// TestPathsAreAskedForAsTheyAre holds that a file is asked for by its own name, whatever stands in it.
func TestPathsAreAskedForAsTheyAre(t *testing.T) {
	page, err := (&server{}).templates(registry.State{Session: &registry.Session{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"a/b.txt", "b.txt&path=c", "c++ #1 100%.txt", `"quoted" <b>`, "line\nline", "ü?x=y"} {
		v := fileView{}
		v.File.File.Path = path
		var b strings.Builder
		if err := page.ExecuteTemplate(&b, "file-live", v); err != nil {
			t.Fatal(err)
		}
		for _, attribute := range []string{"data-load", "href"} {
			found := regexp.MustCompile(attribute + `="(file[^"]*)"`).FindStringSubmatch(b.String())
			if found == nil {
				t.Fatalf("no %s in %s", attribute, b.String())
			}
			link, err := url.Parse(html.UnescapeString(found[1]))
			if err != nil || link.Query().Get("path") != path || len(link.Query()["path"]) != 1 || link.Fragment != "" {
				t.Errorf("%q: %s asks for %s, %v", path, attribute, found[1], err)
			}
		}
	}
}
