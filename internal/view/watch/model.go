package watch

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"delegate/internal/text/ui"
)

// mode is the meaning of the keys.
type mode int

const (
	looking mode = iota
	typing       // a text for an action, or Enter to be sure of it
	helping
)

// model is everything that the screen depends on. It is changed by messages only, one after the other.
type model struct {
	ctx           context.Context
	source        Source
	o             Options
	width, height int

	shot        Snapshot
	seen        bool // a snapshot has come
	fault       error
	chosen      string // agent
	tab         Tab
	pane        view
	zoomed      bool
	mode        mode
	help        view
	entry       editor
	current     action
	subject     string          // the agent that the action is about
	said        string          // about the last key
	polling     bool            // a look at the session is under way
	reading     bool            // a look at the pane is
	stopping    tea.Cmd         // what ends or stops the screen as soon as neither is; nil: nothing does
	nextCommand []string        // the command that the screen makes room for; nil: none
	pollCtx     context.Context // of the looks
	stopPolling context.CancelFunc
	drawn       *tea.View // the screen, as long as it is right
	out         *graphemeWriter
}

// The size of a terminal that does not tell its own.
const usualWidth, usualHeight = 80, 24

func newModel(ctx context.Context, source Source, o Options) *model {
	m := &model{ctx: ctx, source: source, o: o, width: usualWidth, height: usualHeight, pane: view{follows: true},
		out: newGraphemeWriter(o.Out)}
	m.pollCtx, m.stopPolling = context.WithCancel(ctx)
	return m
}

// lookEvery is how often the source is asked.
const lookEvery = time.Second

type tickMsg struct{}

type shotMsg struct {
	shot Snapshot
	err  error
}

type paneMsg struct {
	agent string
	tab   Tab
	pane  Pane
	err   error
}

// Init looks for the first time, or for the first time after a command.
func (m *model) Init() tea.Cmd { return tea.Batch(m.startPolling(), tick()) }

// startPolling has looks begin, again after the screen was gone.
func (m *model) startPolling() tea.Cmd {
	m.stopping = nil
	m.pollCtx, m.stopPolling = context.WithCancel(m.ctx)
	return tea.Batch(m.look(), m.read())
}

func tick() tea.Cmd { return tea.Tick(lookEvery, func(time.Time) tea.Msg { return tickMsg{} }) }

// look asks for a snapshot, away from the screen, unless that is being done.
func (m *model) look() tea.Cmd {
	if m.polling || m.stopping != nil {
		return nil
	}
	m.polling = true
	ctx := m.pollCtx
	return func() tea.Msg {
		shot, err := m.source.Snapshot(ctx)
		return shotMsg{shot, err}
	}
}

// read asks for the pane's text, in the same way.
func (m *model) read() tea.Cmd {
	if m.reading || m.stopping != nil || m.chosen == "" {
		return nil
	}
	m.reading = true
	agent, tab, ctx := m.chosen, m.tab, m.pollCtx
	return func() tea.Msg {
		pane, err := m.source.Pane(ctx, agent, tab)
		return paneMsg{agent, tab, pane, err}
	}
}

// Update takes in what happened.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tickMsg:
		return m, tea.Batch(m.look(), m.read(), tick())
	case shotMsg:
		m.polling = false
		if m.stopping != nil {
			return m, m.stop(m.stopping)
		}
		if sameFault(m.fault, msg.err) && m.seen && reflect.DeepEqual(m.shot, msg.shot) {
			return m, nil
		}
	case paneMsg:
		m.reading = false
		if m.stopping != nil {
			return m, m.stop(m.stopping)
		}
		if msg.agent == m.chosen && msg.tab == m.tab && msg.err == nil && m.pane.shows(msg.pane) {
			return m, nil
		}
	}
	m.drawn = nil
	return m, m.update(msg)
}

// wholeScreenScrolls takes back the margins between which the terminal scrolls, and leaves the cursor where it is.
// The screen's library sets them for the size that it knows, so a frame of the old size that
// crosses a resize would leave them wrong for good.
const wholeScreenScrolls = "\x1b7\x1b[r\x1b8"

// update is Update for what changes the screen.
func (m *model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if msg.Width < 1 || msg.Height < 1 { // a terminal that does not know, such as a serial line
			return func() tea.Msg { return tea.WindowSizeMsg{Width: usualWidth, Height: usualHeight} }
		}
		m.width, m.height = msg.Width, msg.Height
		return tea.Sequence(tea.Raw(wholeScreenScrolls), tea.ClearScreen)
	case shotMsg:
		return m.take(msg)
	case paneMsg:
		return m.show(msg)
	case tea.ResumeMsg:
		return m.startPolling()
	case tea.PasteMsg:
		if m.mode == typing && m.current.need >= maybe {
			m.entry.insert(msg.Content)
		}
	case tea.KeyPressMsg:
		if m.nextCommand == nil {
			return m.press(msg)
		}
	}
	return nil
}

// stop ends the screen, or stops this process and the git that it runs, once no look is under way:
// one that is stopped half-way holds its lock against the supervisor and every other command.
func (m *model) stop(by tea.Cmd) tea.Cmd {
	m.stopping = by
	m.stopPolling()
	if m.polling || m.reading {
		return nil
	}
	return by
}

// sameFault says whether the second error would be shown like the first.
func sameFault(a, b error) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Error() == b.Error()
}

// take takes in a snapshot. The chosen agent stays chosen as long as it is there.
func (m *model) take(msg shotMsg) tea.Cmd {
	m.fault = msg.err
	if msg.err != nil {
		return nil
	}
	var call tea.Cmd
	if m.seen && m.hasNews(msg.shot) {
		call = tea.Raw("\a")
	}
	if sessionOf(m.shot) != sessionOf(msg.shot) {
		m.said = "" // it was about another one
	}
	m.shot, m.seen = msg.shot, true
	if m.agentAt(m.chosen) < 0 {
		m.chosen = ""
		if len(m.shot.Agents) > 0 {
			return tea.Batch(call, m.choose(m.first()))
		}
	}
	return call
}

func sessionOf(shot Snapshot) string {
	if shot.Session == nil {
		return ""
	}
	return shot.Session.ID
}

// hasNews says whether something waits for the person that did not before: for who looks elsewhere, the bell rings.
func (m *model) hasNews(shot Snapshot) bool {
	return slices.ContainsFunc(shot.Waiting, func(w Waiting) bool {
		return !slices.ContainsFunc(m.shot.Waiting, func(old Waiting) bool {
			return old.Agent == w.Agent && old.Text == w.Text
		})
	})
}

// first is the agent to begin with: the one that has waited longest for the person, or else the first.
func (m *model) first() string {
	for _, w := range m.shot.Waiting {
		if m.agentAt(w.Agent) >= 0 {
			return w.Agent
		}
	}
	return m.shot.Agents[0].ID
}

func (m *model) agentAt(id string) int {
	return slices.IndexFunc(m.shot.Agents, func(a Agent) bool { return a.ID == id })
}

// choose shows another agent.
func (m *model) choose(id string) tea.Cmd {
	if id == m.chosen {
		return nil
	}
	m.chosen = id
	return m.turn(m.tab)
}

// turn shows a tab from where one begins to read: what is printed at its end, anything else at its beginning.
func (m *model) turn(tab Tab) tea.Cmd {
	m.tab, m.pane = tab, view{follows: tab == Output}
	return m.read()
}

// show takes in a pane's text. One that was asked for before the person went on is asked for anew.
func (m *model) show(msg paneMsg) tea.Cmd {
	if msg.agent != m.chosen || msg.tab != m.tab {
		return m.read()
	}
	if msg.err != nil {
		m.pane.set("error "+ui.ErrorText(msg.err), m.o.Style.Red(clean(ui.ErrorText(msg.err))))
		return nil
	}
	m.pane.set(msg.pane.Stamp, msg.pane.Text)
	return nil
}

// press does what a key means.
func (m *model) press(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	m.said = ""
	switch {
	case key == "ctrl+c" && m.mode == typing:
		m.mode = looking
		return nil
	case key == "ctrl+c":
		return tea.Interrupt
	case key == "ctrl+z":
		if m.o.Suspends {
			return m.stop(tea.Suspend)
		}
		m.said = "No shell is there that could continue this."
		return nil
	case m.mode == typing:
		return m.pressEntry(msg)
	case m.mode == helping:
		return m.pressHelp(key)
	}
	if do, known := m.moves()[key]; known {
		return do()
	}
	if len(key) == 1 && key >= "1" && key <= "9" {
		return m.answer(int(key[0] - '1'))
	}
	if a, known := actionOf(key); known {
		return m.begin(a, m.chosen)
	}
	m.said = fmt.Sprintf("%q does nothing here; ? lists the keys.", clean(key))
	return nil
}

// moves are the keys that only change what is seen.
func (m *model) moves() map[string]func() tea.Cmd {
	step := func(n int) func() tea.Cmd { return func() tea.Cmd { return m.step(n) } }
	turn := func(t Tab) func() tea.Cmd { return func() tea.Cmd { return m.turn(t) } }
	next := func(n int) func() tea.Cmd {
		return func() tea.Cmd { return m.turn(Tab((int(m.tab) + n + len(tabs())) % len(tabs()))) }
	}
	all := map[string]func() tea.Cmd{
		"q":   func() tea.Cmd { return tea.Quit },
		"?":   func() tea.Cmd { m.mode, m.help = helping, view{}; return nil },
		"z":   func() tea.Cmd { m.zoomed = !m.zoomed; return nil },
		"esc": func() tea.Cmd { m.zoomed = false; return nil },
		"ctrl+l": func() tea.Cmd {
			m.source.Refresh()
			return tea.Batch(tea.ClearScreen, m.look(), m.read())
		},
		"down": step(1), "j": step(1), "up": step(-1), "k": step(-1),
		"tab": next(1), "right": next(1), "shift+tab": next(-1), "left": next(-1),
		"o": turn(Output), "d": turn(Diff), "c": turn(Checkpoint), "f": turn(Findings),
	}
	for key, by := range scrolls() {
		all[key] = func() tea.Cmd { m.pane.scroll(by); return nil }
	}
	return all
}

// step chooses the agent so many rows further.
func (m *model) step(n int) tea.Cmd {
	if len(m.shot.Agents) == 0 {
		return nil
	}
	at := min(max(0, m.agentAt(m.chosen)+n), len(m.shot.Agents)-1)
	return m.choose(m.shot.Agents[at].ID)
}

// answer begins what answers a thing that waits.
func (m *model) answer(n int) tea.Cmd {
	if n >= len(m.shot.Waiting) {
		m.said = fmt.Sprintf("Nothing with the number %d waits.", n+1)
		return nil
	}
	w := m.shot.Waiting[n]
	var seen tea.Cmd
	if m.agentAt(w.Agent) >= 0 {
		seen = m.choose(w.Agent)
	}
	if len(w.Keys) == 0 {
		return seen
	}
	a, _ := actionOf(w.Keys[0])
	return tea.Batch(seen, m.begin(a, w.Agent))
}

// begin asks for what an action needs, or runs it.
func (m *model) begin(a action, agent string) tea.Cmd {
	if a.ofAgent() && m.agentAt(agent) < 0 {
		m.said = "No agent is chosen."
		return nil
	}
	if m.shot.Session == nil || m.shot.Session.Over {
		m.said = "No session is active."
		return nil
	}
	m.current, m.subject, m.entry = a, agent, editor{}
	if a.need == nothing {
		return m.run()
	}
	m.mode = typing
	m.entry.insert(a.fill)
	return nil
}

func (m *model) pressEntry(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc":
		m.mode = looking
	case "enter":
		if m.current.need == words && m.entry.String() == "" {
			m.said = "It needs a text; Esc leaves."
			return nil
		}
		m.mode = looking
		return m.run()
	default:
		if m.current.need >= maybe {
			m.entry.press(msg.Key())
		}
	}
	return nil
}

func (m *model) pressHelp(key string) tea.Cmd {
	if by, known := scrolls()[key]; known {
		m.help.scroll(by)
		return nil
	}
	m.mode = looking
	return nil
}

// run makes room for a command at the terminal: the screen ends, and Run begins another one behind
// it. The library's own way to do that can leave a dead screen behind a command that is over at
// once: the renderer that was stopped stops the next one's clock.
func (m *model) run() tea.Cmd {
	m.nextCommand = m.current.command(m.subject, m.entry.String())
	return m.stop(tea.Quit)
}

// clean makes one line of text that an agent wrote.
func clean(s string) string { return strings.Join(strings.Fields(ui.Clean(s)), " ") }
