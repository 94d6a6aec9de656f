package report

import (
	"fmt"
	"math"
	"slices"
	"time"

	"delegate/internal/text/shorten"
	"delegate/registry"
)

// timeline is a drawing of the session: a lane for the session, one for each agent.
// Events stand in their order, and long pauses are drawn shorter than they were, so that a night
// does not hide an hour's work.
type timeline struct {
	Width, Height int
	Lanes         []lane
	Ticks         []tick
	Text          string // the same in a sentence
}

type lane struct {
	Y      int // of its middle
	Name   string
	Note   string
	Anchor string
	Spans  []span
	Marks  []spot
}

// span is a time that an agent spent in one state.
type span struct {
	X, Width    int
	Tone, Label string
	Title       string
}

// spot is one event.
type spot struct {
	X      int
	Shape  string // person, trouble, turn or info
	Anchor string
	Title  string
}

type tick struct {
	X    int
	Text string
}

// The sizes of the drawing, in its own units.
const (
	timeWidth  = 1200
	timeLabels = 170 // the column of names
	timeRight  = 24
	laneHeight = 46
	timeTop    = 30
	tickRoom   = 84
	mostLanes  = 60
)

func newTimeline(d Data, rows []row, end time.Time) timeline {
	if len(rows) == 0 || len(d.Agents) > mostLanes || len(rows) > mostListed {
		return timeline{}
	}
	at := positions(rows, end)
	t := timeline{Width: timeWidth}
	t.Lanes = append(t.Lanes, lane{Y: timeTop + laneHeight/2, Name: "Session", Marks: spots(rows, at, "")})
	for _, a := range d.Agents {
		l := lane{Y: timeTop + laneHeight/2 + len(t.Lanes)*laneHeight, Name: shorten.Runes(a.Name, 22), Note: a.ID,
			Anchor: anchor(d.Agents, a.ID)}
		l.Spans, l.Marks = spans(rows, at, a.ID), spots(rows, at, a.ID)
		t.Lanes = append(t.Lanes, l)
	}
	t.Height = timeTop + len(t.Lanes)*laneHeight + 8
	t.Ticks = ticks(rows, at)
	t.Text = fmt.Sprintf("%s of %s from %s to %s; the list below has the same events.",
		plural(len(rows), "event"), plural(len(d.Agents), "agent"), when(rows[0].Time), when(end))
	return t
}

// positions is where each event stands; the last one more is the end.
func positions(rows []row, end time.Time) []int {
	const step = 1.2 // of the square root of a second, for events at the same time
	sums := make([]float64, len(rows)+1)
	for i := 1; i <= len(rows); i++ {
		next := end
		if i < len(rows) {
			next = rows[i].Time
		}
		sums[i] = sums[i-1] + step + math.Sqrt(max(0, next.Sub(rows[i-1].Time).Seconds()))
	}
	at := make([]int, len(sums))
	for i, s := range sums {
		at[i] = timeLabels + 14 + int(s/sums[len(rows)]*(timeWidth-timeLabels-timeRight-14))
	}
	return at
}

// ticks are the times of events that stand far enough from each other to be read.
func ticks(rows []row, at []int) (all []tick) {
	day := ""
	for i, r := range rows {
		if len(all) > 0 && (at[i]-all[len(all)-1].X < tickRoom || r.Time.Equal(rows[i-1].Time)) ||
			at[i] > timeWidth-tickRoom/2 {
			continue
		}
		text := r.Time.UTC().Format("15:04:05")
		if today := r.Time.UTC().Format("2 Jan"); today != day {
			if day != "" {
				text = r.Time.UTC().Format("2 Jan 15:04")
			}
			day = today
		}
		all = append(all, tick{at[i], text})
	}
	return all
}

// spans are the states of an agent one after the other, as its rows tell.
func spans(rows []row, at []int, agent string) (all []span) {
	status, from := registry.Pending, 0
	add := func(to int) {
		if status == registry.Pending || at[to] == at[from] {
			return
		}
		s := span{X: at[from], Width: at[to] - at[from], Tone: tone(status)}
		if len(status)*8+8 < s.Width {
			s.Label = string(status)
		}
		s.Title = fmt.Sprintf("%s, %s", agent, status)
		if to < len(rows) {
			s.Title = fmt.Sprintf("%s for %s", s.Title, took(rows[to].Time.Sub(rows[from].Time)))
		}
		all = append(all, s)
	}
	for i, r := range rows {
		if r.Agent != agent || r.By == agent {
			continue // what an agent printed in the middle of a turn is no transition
		}
		next, moves := after(status, r.Kind)
		if !moves {
			continue
		}
		add(i)
		status, from = next, i
	}
	if status.Ended() { // it is over; a short end says how
		if last := len(at) - 1; at[last]-at[from] > endWidth {
			all = append(all, span{X: at[from], Width: endWidth, Tone: tone(status),
				Title: fmt.Sprintf("%s, %s", agent, status)})
			return all
		}
	}
	add(len(rows))
	return all
}

// endWidth is how long the state is drawn in which an agent ended.
const endWidth = 26

// after is the state that an event leads to, by any actor.
func after(from registry.Status, k registry.Kind) (registry.Status, bool) {
	all := registry.Transitions()
	i := slices.IndexFunc(all, func(t registry.Transition) bool { return t.From == from && t.Event == k })
	if i < 0 {
		return from, false
	}
	return all[i].To, true
}

func spots(rows []row, at []int, agent string) (all []spot) {
	for i, r := range rows {
		if r.Agent != agent {
			continue
		}
		s := spot{X: at[i], Shape: r.Sort, Anchor: r.Anchor}
		if r.Person {
			s.Shape = "person"
		}
		details := shorten.Runes(oneLine(r.Details), 160)
		s.Title = fmt.Sprintf("%s %s: %s", r.Time.UTC().Format("15:04:05"), r.Kind, details)
		if r.By != "" {
			s.Title += " (" + shorten.Runes(r.By, 60) + ")"
		}
		all = append(all, s)
	}
	return all
}
