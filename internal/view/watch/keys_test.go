package watch

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"delegate/internal/text/ui"
)

func TestKeysRunCommands(t *testing.T) {
	for keys, want := range map[string][]string{
		"l":                          {"sync", "merge", "AGT-002"},
		"<down> l":                   {"sync", "merge", "AGT-003"},
		"L":                          {"sync"},
		"r":                          {"review"},
		"a <enter>":                  {"continue", "AGT-002"},
		"a Friendly,_please <enter>": {"continue", "AGT-002", "Friendly, please"},
		"a --now <enter>":            {"continue", "AGT-002", "--", "--now"},
		"1 x <enter>":                {"continue", "AGT-002", "x"},
		"<up> 2":                     {"sync", "merge", "AGT-003"},
		"3 <enter>":                  {"resume"},
		"m hi <enter>":               {"message", "AGT-002", "hi"},
		"n stop <enter>":             {"message", "--interrupt", "AGT-002", "stop"},
		"i <enter>":                  {"interrupt", "AGT-002"},
		"e <enter>":                  {"extend", "AGT-002", "30m"},
		"T":                          {"takeover", "AGT-002"},
		"E":                          {"open", "AGT-002"},
		"$":                          {"shell", "AGT-002"},
		"e <ctrl+u> 2h <enter>":      {"extend", "AGT-002", "2h"},
		"s lib/** <enter>":           {"scope", "AGT-002", "--allow=lib/**"},
		"S -x <enter>":               {"scope", "AGT-002", "--drop=-x"},
		"N <enter>":                  {"reassign", "AGT-002"},
		"N codex <enter>":            {"reassign", "AGT-002", "--agent=codex"},
		"R <enter>":                  {"retry", "AGT-002"},
		"F <enter>":                  {"force-complete", "AGT-002"},
		"X why <enter>":              {"abort", "AGT-002", "why"},
		"U":                          {"sync", "rollback", "AGT-002"},
		"C":                          {"sync", "complete"},
		"K":                          {"sync", "abort"},
		"P":                          {"approve"},
		"M <enter>":                  {"sync", "merge", "--continue"},
		"u <enter>":                  {"sync", "merge", "--abort"},
		// What leaves without running anything.
		"i <esc>": nil, "a x <esc>": nil, "a x <ctrl+c>": nil, "m <enter>": nil, "M": nil, "M <esc>": nil, "9": nil,
		"x": nil, "? l": nil, "<enter>": nil,
	} {
		s := newStage(t, fiveAgents())
		for k := range strings.FieldsSeq(keys) {
			s.keys(strings.ReplaceAll(k, "_", " "))
		}
		var got []string
		if len(s.ran) > 0 {
			got = s.ran[0]
		}
		if !reflect.DeepEqual(got, want) || len(s.ran) > 1 {
			t.Errorf("keys %q ran %q, want %q", keys, s.ran, want)
		}
		if want != nil && s.source.refreshed != 1 {
			t.Errorf("keys %q: after a command all is looked at anew %d times", keys, s.source.refreshed)
		}
	}
}

// TestLandingHasOneWay holds that no key lands anything but by the command that asks;
// finishing a landing that the person said yes to before takes Enter, at least.
func TestLandingHasOneWay(t *testing.T) {
	for _, a := range actions() {
		words := strings.Join(a.args, " ")
		if strings.Contains(words, "yes") || strings.Contains(words, "--continue") && a.need != sureness {
			t.Errorf("key %q runs %q, which answers for the person", a.key, words)
		}
	}
}

func TestKeysAreUnique(t *testing.T) {
	s := newStage(t, fiveAgents())
	seen := map[string]bool{}
	for _, a := range actions() {
		if _, moves := s.m.moves()[a.key]; moves || seen[a.key] || a.key >= "0" && a.key <= "9" {
			t.Errorf("key %q has two meanings", a.key)
		}
		seen[a.key] = true
	}
	for _, key := range []string{KeyContinue, KeyMessage, KeyMessageNow, KeyInterrupt, KeyLand, KeyReview, KeyRetry,
		KeyReassign, KeyExtend, KeyAllow, KeyDrop, KeyForce, KeyAbort, KeyAdapt, KeyApprove, KeyResume, KeyFinish,
		KeyUndo} {
		if !seen[key] {
			t.Errorf("key %q is named and does nothing", key)
		}
	}
	s.size(120, 60) // the whole help
	s.keys("?")
	for _, a := range actions() {
		s.sees(a.does)
	}
}

// TestPromptIsOfTheAgentThatWasChosen holds that what happens while a person types changes nothing of what Enter runs.
func TestPromptIsOfTheAgentThatWasChosen(t *testing.T) {
	s := newStage(t, fiveAgents())
	s.keys("a", "hello")
	s.sees("answer AGT-002> hello", "delegate continue AGT-002 hello", "Enter runs it")
	if c := s.m.View().Cursor; c == nil || c.X != ui.Columns("answer AGT-002> hello") {
		t.Errorf("cursor %v", c)
	}
	s.source.shot.Agents = slices.DeleteFunc(slices.Clone(s.source.shot.Agents), func(a Agent) bool {
		return a.ID == "AGT-002"
	})
	s.do(s.m.look())
	s.keys("<enter>")
	if want := [][]string{{"continue", "AGT-002", "hello"}}; !reflect.DeepEqual(s.ran, want) {
		t.Errorf("ran %q, want %q", s.ran, want)
	}
	if s.m.chosen != "AGT-003" {
		t.Errorf("%q is chosen after the chosen one went", s.m.chosen)
	}
}

func TestEditor(t *testing.T) {
	s := newStage(t, fiveAgents())
	s.keys("m", "one two", "<left>", "<left>", "<left>", "x", "<home>", ">", "<ctrl+u>", "one xtwo")
	s.sees("message AGT-002> one xtwoone xtwo")
	s.keys("<backspace>", "<ctrl+w>")
	s.sees("message AGT-002> one one xtwo")
	s.send(tea.PasteMsg{Content: "a\nb\tc"})
	s.sees("one a b cone xtwo")
	s.keys("<ctrl+u>", "<left>", "<backspace>")
	s.send(tea.PasteMsg{Content: "e\u0301👩\u200d💻"})
	if text, column := s.m.entry.view(20); column != 3 || !strings.HasPrefix(text, "e\u0301👩\u200d💻") {
		t.Errorf("the line shows %q, the cursor at %d", text, column)
	}
	s.keys("<left>", "x", "<backspace>", "<backspace>")
	if text := string(s.m.entry.text[:s.m.entry.at]); text != "" ||
		!strings.HasPrefix(string(s.m.entry.text), "👩\u200d💻") {
		t.Errorf("before the cursor stands %q, in all %q", text, string(s.m.entry.text))
	}
	s.m.entry = editor{}
	s.send(tea.PasteMsg{Content: strings.Repeat("x", 3*longestText)})
	if n := len(s.m.entry.text); n != longestText {
		t.Errorf("a paste made a text of %d letters", n)
	}
}

// TestLongLineIsQuick holds that what a person pastes does not keep the keys waiting: showing it
// takes about as long as it is.
func TestLongLineIsQuick(t *testing.T) {
	s := newStage(t, fiveAgents())
	s.keys("m")
	s.send(tea.PasteMsg{Content: strings.Repeat("漢e\u0301 ", longestText)})
	if text, column := s.m.entry.view(20); column < 15 || column > 19 || ui.Columns(text) != column {
		t.Errorf("the line shows %q, the cursor at %d", text, column)
	}
	if n := testing.AllocsPerRun(5, func() { s.m.entry.view(100) }); n > 500 {
		t.Errorf("showing the line takes %v allocations", n)
	}
}

func TestLeaving(t *testing.T) {
	s := newStage(t, fiveAgents())
	if s.keys("q"); !s.quit {
		t.Error("q does not leave")
	}
	_, cmd := s.m.Update(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
	if cmd == nil || reflect.TypeOf(cmd()) != reflect.TypeFor[tea.InterruptMsg]() {
		t.Error("Ctrl-C does not interrupt")
	}
	_, cmd = s.m.Update(tea.KeyPressMsg{Code: 'z', Mod: tea.ModCtrl})
	if cmd == nil || reflect.TypeOf(cmd()) != reflect.TypeFor[tea.SuspendMsg]() {
		t.Error("Ctrl-Z does not stop")
	}
	s.send(tea.ResumeMsg{})
	s.m.o.Suspends = false
	if _, cmd = s.m.Update(tea.KeyPressMsg{Code: 'z', Mod: tea.ModCtrl}); cmd != nil {
		t.Error("Ctrl-Z stops where nobody could continue")
	}
}

// TestStopWaitsForLooks holds that Ctrl-Z ends what is being looked at before it stops the process,
// whose looks hold locks that others wait for.
func TestStopWaitsForLooks(t *testing.T) {
	s := newStage(t, fiveAgents())
	shot, pane := s.m.look(), s.m.read()
	ctx := s.m.pollCtx
	stops := func(cmd tea.Cmd) bool {
		return cmd != nil && reflect.TypeOf(cmd()) == reflect.TypeFor[tea.SuspendMsg]()
	}
	if _, cmd := s.m.Update(tea.KeyPressMsg{Code: 'z', Mod: tea.ModCtrl}); cmd != nil || ctx.Err() == nil {
		t.Fatalf("stopped %t while looks are under way, which are told to end: %v", cmd != nil, ctx.Err())
	}
	if _, cmd := s.m.Update(shot()); cmd != nil {
		t.Error("stops while the pane is being read")
	}
	if s.m.look() != nil {
		t.Error("looks while it waits to stop")
	}
	if _, cmd := s.m.Update(pane()); !stops(cmd) {
		t.Error("does not stop when nothing is under way any more")
	}
	s.send(tea.ResumeMsg{})
	s.source.shot.Session.Title = "What came meanwhile"
	s.do(s.m.look())
	if s.sees("What came meanwhile"); s.m.pollCtx.Err() != nil {
		t.Error("its looks stay ended after it goes on")
	}
}

func TestPaneScrolls(t *testing.T) {
	s := newStage(t, fiveAgents())
	var b strings.Builder
	for i := range 500 {
		b.WriteString("row " + string(rune('a'+i/26)) + string(rune('a'+i%26)) + "\n")
	}
	s.source.panes["AGT-002 output"], s.source.panes["AGT-002 diff"] = b.String(), b.String()
	s.do(s.m.turn(Output))
	s.sees("row tf", "of 500") // the end of what is printed
	s.misses("row aa")
	s.keys("g")
	s.sees("row aa")
	b.WriteString("row zz\n")
	s.source.panes["AGT-002 output"] = b.String()
	s.do(s.m.read())
	s.sees("row aa", "of 501") // who went up stays there
	s.keys("G")
	s.sees("row zz")
	b.WriteString("row !!\n")
	s.source.panes["AGT-002 output"] = b.String()
	s.do(s.m.read())
	s.sees("row !!")
	s.keys("d")
	s.sees("row aa", "[diff]") // a diff is read from its beginning
	s.keys("<pgdown>")
	s.misses("row aa")
	s.keys("<pgup>")
	s.sees("row aa")
	s.keys("z")
	s.misses("Waiting for you")
	s.keys("<tab>")
	s.sees("[checkpoint]")
}

// TestLateAnswer holds that the text of another agent is never shown under the chosen one.
func TestLateAnswer(t *testing.T) {
	s := newStage(t, fiveAgents())
	late := s.m.read()
	s.keys("<down>", "d")
	s.misses("pane of AGT-003")
	s.do(late)
	s.sees("pane of AGT-003 diff")
	s.misses("pane of AGT-002")
}

func TestFold(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"abcdef", 4, []string{"abcd", "ef"}},
		{"", 4, []string{""}},
		{"漢字漢", 4, []string{"漢字", "漢"}},
		{"漢", 1, []string{"漢"}},
		{"a\tb", 10, []string{"a   b"}},
		{"\x1b[31mabc\x1b[0md", 2, []string{"\x1b[31mab\x1b[0m", "\x1b[31mc\x1b[0md"}},
		{"e\u0301👩\u200d💻x", 3, []string{"e\u0301👩\u200d💻", "x"}},
		{"a\x1b[2Jb\x1b[5;5Hc", 9, []string{"abc"}},
	} {
		if got := fold(c.text, c.width); !reflect.DeepEqual(got, c.want) {
			t.Errorf("fold(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
