package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"delegate/internal/text/ui"
	"delegate/registry"
)

// recorder is a source whose answers a test sets.
type recorder struct {
	shot      Snapshot
	err       error
	panes     map[string]string
	asked     []string
	refreshed int
}

func (t *recorder) Snapshot(context.Context) (Snapshot, error) { return t.shot, t.err }

func (t *recorder) Pane(_ context.Context, agent string, tab Tab) (Pane, error) {
	name := agent + " " + tabs()[tab]
	t.asked = append(t.asked, name)
	text, known := t.panes[name]
	if !known {
		text = "pane of " + name
	}
	return Pane{Stamp: name + text, Text: text}, nil
}

func (t *recorder) Refresh() { t.refreshed++ }

// stage is a model, what it was told, and the commands that it had run at the terminal.
type stage struct {
	*testing.T
	m      *model
	source *recorder
	ran    [][]string
	quit   bool
	rings  int
}

func fiveAgents() Snapshot {
	return Snapshot{
		Session: &Session{ID: "DEL-20260102-030405", Title: "Make it useful", Status: "ACTIVE", Target: "main",
			Used:    "≈$1.36 of 10.00 US$",
			Elapsed: 65 * time.Second},
		Agents: []Agent{
			{ID: "AGT-001", Name: "greet-by-name", Subtask: "Greet by name", Now: "Edit hello.go", Cost: "$0.42",
				Status: registry.Running, Word: "working", Progress: 60, Idle: 3 * time.Second,
				Elapsed: time.Minute, Left: 59 * time.Minute, Files: 1, Added: 2, Removed: 1, Tests: "not_run",
				Notes: []string{"1 checkpoint"}},
			{ID: "AGT-002", Subtask: "Say goodbye", Status: registry.Checkpoint, Word: "needs you",
				Progress: 20, Idle: time.Minute, Left: -1, Tests: "not_run"},
			{ID: "AGT-003", Subtask: "Count words", Status: registry.Complete, Word: "ready", Progress: 100, Left: -1,
				Tests: "pass", Files: 12, Added: 1000, Removed: 345},
			{ID: "AGT-004", Subtask: "Compile", Status: registry.Failed, Word: "failed", Progress: -1, Left: -1,
				Tests: "fail"},
			{ID: "AGT-005", Subtask: "Document", Status: registry.Pending, Word: "queued", Progress: -1, Idle: -1,
				Elapsed: -1, Left: -1},
		},
		Waiting: []Waiting{
			{Agent: "AGT-002", Text: "waits for your review", Keys: []string{KeyContinue, KeyAbort}},
			{Agent: "AGT-003", Text: "is complete and waits for its landing", Keys: []string{KeyLand}},
			{Text: "the session is paused", Keys: []string{KeyResume}},
		},
	}
}

func newStage(t *testing.T, shot Snapshot) *stage {
	s := &stage{T: t, source: &recorder{shot: shot, panes: map[string]string{}}}
	s.m = newModel(t.Context(), s.source, Options{Do: func(args []string) {
		s.ran = append(s.ran, args)
	}, Suspends: true})
	s.size(120, 40)
	s.do(s.m.look())
	return s
}

// do carries out a command and what follows from it, as the library would, but for the clock.
func (s *stage) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.do(c)
		}
	case tea.RawMsg:
		if msg.Msg == "\a" {
			s.rings++
		}
	case tea.QuitMsg:
		if s.m.nextCommand == nil {
			s.quit = true
			return
		}
		s.m.o.Do(s.m.nextCommand)
		s.m.nextCommand = nil
		s.m.source.Refresh()
		s.do(s.m.startPolling())
	case shotMsg, paneMsg:
		s.send(msg)
	}
}

func (s *stage) send(msg tea.Msg) {
	_, cmd := s.m.Update(msg)
	s.do(cmd)
}

func (s *stage) size(width, height int) { s.send(tea.WindowSizeMsg{Width: width, Height: height}) }

// keys presses one key after another: a name of a key in brackets, or letters.
func (s *stage) keys(keys ...string) {
	special := map[string]tea.Key{
		"<enter>": {Code: tea.KeyEnter}, "<esc>": {Code: tea.KeyEscape}, "<tab>": {Code: tea.KeyTab},
		"<up>": {Code: tea.KeyUp}, "<down>": {Code: tea.KeyDown},
		"<backspace>": {Code: tea.KeyBackspace}, "<left>": {Code: tea.KeyLeft}, "<home>": {Code: tea.KeyHome},
		"<pgdown>": {Code: tea.KeyPgDown}, "<pgup>": {Code: tea.KeyPgUp},
		"<ctrl+c>": {Code: 'c', Mod: tea.ModCtrl}, "<ctrl+w>": {Code: 'w', Mod: tea.ModCtrl},
		"<ctrl+u>": {Code: 'u', Mod: tea.ModCtrl}, "<ctrl+l>": {Code: 'l', Mod: tea.ModCtrl},
	}
	for _, k := range keys {
		if key, named := special[k]; named {
			s.send(tea.KeyPressMsg(key))
			continue
		}
		for _, r := range k {
			s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

func (s *stage) text() string { return strings.Join(s.m.screen(), "\n") }

func (s *stage) sees(want ...string) {
	s.Helper()
	for _, w := range want {
		if !strings.Contains(s.text(), w) {
			s.Errorf("%q is not on the screen:\n%s", w, s.text())
		}
	}
}

func (s *stage) misses(words ...string) {
	s.Helper()
	for _, w := range words {
		if strings.Contains(s.text(), w) {
			s.Errorf("%q is on the screen:\n%s", w, s.text())
		}
	}
}

func TestScreenOfASession(t *testing.T) {
	s := newStage(t, fiveAgents())
	s.sees("Make it useful  ACTIVE  DEL-20260102-030405",
		"1m05s · 1 working · 1 needs you · 1 ready · 1 failed · 1 queued · merges into main · "+
			"≈$1.36 of 10.00 US$",
		"1 AGT-002  waits for your review", "a answer · X abort", "3 session  the session is paused", "p resume",
		"greet-by-name  AGT-001  working    Edit hello.go", "$0.42", "59m00s", "▸ AGT-002", "── AGT-002 [output]",
		"pane of AGT-002 output", "? keys")
	if first, second := strings.Index(s.text(), "Waiting for you"), strings.Index(s.text(), "Status"); first < 0 ||
		first > second {
		t.Errorf("what waits does not come first:\n%s", s.text())
	}
}

func TestScreenWithoutASession(t *testing.T) {
	s := newStage(t, Snapshot{})
	s.sees("No session is active", "delegate -f PLAN.md")
	s.keys("a", "l", "1", "<down>", "d")
	if len(s.ran) != 0 {
		t.Errorf("ran %q", s.ran)
	}
	s.source.shot = fiveAgents()
	s.do(s.m.look())
	s.sees("AGT-001")
	s.source.shot.Session.Over, s.source.shot.Session.Status, s.source.shot.Waiting = true, "COMPLETE", nil
	s.do(s.m.look())
	s.sees("COMPLETE (ended)", "AGT-003")
	s.misses("Waiting for you", "l land")
	if s.keys("a"); s.m.mode != looking || len(s.ran) != 0 {
		t.Error("an ended session takes commands")
	}
	s.sees("No session is active.")
}

func TestFaultStaysOnTheScreenAndGoes(t *testing.T) {
	s := newStage(t, fiveAgents())
	s.source.err = errors.New("registry, line 7:\x1b[2J no table")
	s.do(s.m.look())
	s.sees("registry, line 7: no table", "AGT-001")
	s.source.err = nil
	s.do(s.m.look())
	s.misses("no table")
}

// TestSizes holds that no size breaks the screen: not a line too many, not a column too many, and
// what is typed in sight.
func TestSizes(t *testing.T) {
	many := fiveAgents()
	for i := range 40 {
		many.Agents = append(many.Agents,
			Agent{ID: fmt.Sprintf("AGT-%03d", i+6), Subtask: "漢字 wide 🙂 " + strings.Repeat("long ", i),
				Status: registry.Running, Word: "working", Notes: []string{"stalled"}})
		many.Waiting = append(many.Waiting,
			Waiting{Agent: "AGT-006", Text: strings.Repeat("violation ", i),
				Keys: []string{KeyReview, KeyAllow, KeyDrop}})
	}
	many.Notes = []string{"The supervisor is not running"}
	for _, shot := range []Snapshot{{}, fiveAgents(), many} {
		s := newStage(t, shot)
		s.source.panes["AGT-002 output"] = strings.Repeat("表\tx\n", 200)
		for _, before := range []string{"", "z", "?", "m"} {
			for width := 1; width < 160; width += 11 {
				for height := 1; height < 60; height += 5 {
					s.size(width, height)
					s.keys("<esc>", before)
					lines := s.m.screen()
					if len(lines) > height {
						t.Fatalf("%d×%d, %q: %d lines", width, height, before, len(lines))
					}
					for _, l := range lines {
						if ui.Columns(l) > width || strings.ContainsAny(l, "\n\t") {
							t.Fatalf("%d×%d, %q: line %q of %d columns", width, height, before, l, ui.Columns(l))
						}
					}
					if c := s.m.View().Cursor; c != nil && (c.X >= width || c.Y >= height) {
						t.Fatalf("%d×%d: cursor at %d,%d", width, height, c.X, c.Y)
					}
					s.keys("<esc>")
				}
			}
		}
	}
}

func TestNarrowScreen(t *testing.T) {
	s := newStage(t, fiveAgents())
	s.size(40, 12)
	s.sees("▸ AGT-002  needs you  Say goodbye", "waits for", "a answer", "[output] d c f", "pane of AGT-002 output")
	s.size(26, 8)
	s.sees("▸ AGT-002  needs you", "pane of")
	s.keys("<down>", "<down>", "<down>")
	s.sees("▸ AGT-005")
}

// TestHostileText holds that nothing an agent or a plan says reaches the terminal but as text.
func TestHostileText(t *testing.T) {
	evil := "\x1b[2J\x1b]0;owned\a\x9b31mred\u202e\r\b\x00\x1b[31mAGT-999 COMPLETE"
	shot := fiveAgents()
	shot.Session.Title, shot.Session.ID, shot.Session.Status, shot.Session.Target = evil, evil, evil, evil
	shot.Agents[1].Subtask, shot.Agents[1].Notes, shot.Agents[1].Tests = evil, []string{evil + "\n" + evil}, evil
	shot.Waiting[0].Text, shot.Notes = evil+"\nsecond", []string{evil}
	s := newStage(t, shot)
	s.source.panes["AGT-002 output"] = evil + "\n" + evil
	s.keys("d", "o", "m", evil)
	s.send(tea.PasteMsg{Content: evil + "\nyes\n"})
	text := s.text() // without colours of its own, since the style is plain
	for _, r := range text {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e') {
			if !strings.Contains(s.source.panes["AGT-002 output"], "\x1b[31m") || r != '\x1b' {
				t.Fatalf("%q is on the screen: %q", r, text)
			}
		}
	}
	for at := strings.IndexByte(text, '\x1b'); at >= 0; at = strings.IndexByte(text, '\x1b') {
		if colour.FindString(text[at:]) == "" {
			t.Fatalf("a sequence that is no colour: %q", text[at:])
		}
		text = text[at+1:]
	}
}

func TestBellRingsForWhatIsNew(t *testing.T) {
	s := newStage(t, fiveAgents())
	s.do(s.m.look())
	if s.rings != 0 {
		t.Errorf("%d rings for what was there before", s.rings)
	}
	s.source.shot.Waiting = append(slices.Clone(s.source.shot.Waiting[1:]), Waiting{Agent: "AGT-004", Text: "FAILED"})
	s.do(s.m.look())
	s.do(s.m.look())
	if s.rings != 1 {
		t.Errorf("%d rings for one thing that is new", s.rings)
	}
}

// TestUsualScreen holds that at 80 columns a long name is whole where there is room, a column without a word is left
// out, and no word of the help is broken.
func TestUsualScreen(t *testing.T) {
	shot := fiveAgents()
	shot.Agents = shot.Agents[:2]
	shot.Agents[0].Name, shot.Agents[0].Cost = "rename-stringinslice", ""
	s := newStage(t, shot)
	s.size(80, 24)
	s.sees("rename-stringinslice", "Edit hello.go")
	s.misses("Cost")
	s.keys("?")
	s.sees("its output, diff, checkpoint, findings", "lines; PgDn and PgUp scroll")
	s.misses("Nothing is merged without your yes")
	s.keys("G")
	s.sees("Nothing is merged without your yes")
	for _, l := range s.m.help.lines {
		if ui.Columns(l) > 80 {
			t.Errorf("wider than the screen: %q", l)
		}
	}
	for _, a := range actions() {
		for word := range strings.FieldsSeq(a.does) {
			if !slices.ContainsFunc(s.m.help.lines, func(l string) bool {
				return slices.Contains(strings.Fields(l), word)
			}) {
				t.Errorf("no line of the help has %q whole", word)
			}
		}
	}
}
