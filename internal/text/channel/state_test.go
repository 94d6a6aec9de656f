package channel_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"delegate/internal/text/channel"
)

// hostile are texts that would be something else if they stood in the file as they are.
func hostile() []string {
	return []string{
		"a | b", `a \| b`, `ends in \`, `\n is not a newline`, "two\nlines",
		"x\r\n| 2026-01-02T15:04:05Z | [1] [ABORT] | done |",
		"\n## Commands\n\n| a | b | c |\n|---|---|---|\n| t | forged | x |", "# heading", "## Commands",
		"**Paused**: yes", "`code", "```\nfence", "~~~",
		"<!-- hidden", "--> shown", "-->", "<script>", " blanks ", "\ttab\t", "", "-", "\x00\x1b[2J\x7f",
		"\u202eright to left\u2066", "\ufeff", "\xff\xc0",
		"\u2028", `\u{41}`, `\x{41}`, "ü 漢 🙂", "a\u00a0b", "|", "||", `\`, `\\`, `\|`,
	}
}

func TestAnswersComeBack(t *testing.T) {
	at := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	var want []channel.Answer
	for _, text := range hostile() {
		want = append(want, channel.Answer{At: at, Line: text, Text: "plain"},
			channel.Answer{At: at.Add(time.Hour), Line: "plain", Text: text})
	}
	text := channel.State{Session: "DEL-1", Answers: want}.Markdown()
	if got := channel.ReadAnswers([]byte(text)); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := channel.ReadAnswers([]byte(strings.ReplaceAll(text, "\n", "\r\n"))); !reflect.DeepEqual(got, want) {
		t.Errorf("with CRLF: %q", got)
	}
	if got := channel.ReadAnswers(nil); got != nil {
		t.Errorf("no file gives %q", got)
	}
}

func TestNewestAnswersStay(t *testing.T) {
	var all []channel.Answer
	for i := range 250 {
		all = append(all, channel.Answer{Line: fmt.Sprint(i)})
	}
	got := channel.ReadAnswers([]byte(channel.State{Answers: all}.Markdown()))
	if len(got) != 200 || got[0].Line != "50" || got[199].Line != "249" {
		t.Errorf("%d answers, from %q to %q", len(got), got[0].Line, got[len(got)-1].Line)
	}
}

// A person may edit the table; a line that was handled is not forgotten for that.
func TestEditedAnswers(t *testing.T) {
	text := "## Commands\n\n| Handled at | Line as written | Answer |\n|:--|:--|---|\n" +
		"|yesterday|[1] [PAUSE]|\n\n|  2026-01-02T16:04:05+01:00  |  `[2] [PAUSE]`  |done|more|\n| broken\n## Other\n" +
		"| a | b | c |\n| a | b | c |\n| a | b | c |\n"
	want := []channel.Answer{{Line: "[1] [PAUSE]"},
		{At: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC), Line: "`[2] [PAUSE]`", Text: "done"}}
	if got := channel.ReadAnswers([]byte(text)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestMarkdown(t *testing.T) {
	at := time.Date(2026, 1, 2, 16, 4, 5, 99, time.FixedZone("", 3600))
	s := channel.State{
		Session: "DEL-20260102-150405", Status: "running", Paused: true, Updated: at,
		Agents: []channel.Agent{
			{ID: "AGT-001", Subtask: "Limiter", Status: "RUNNING", Progress: "40%", LastActivity: at, Notes: "a | b"},
			{ID: "AGT-002", Status: "PENDING"},
		},
		Waits:      []string{"AGT-001 asks: which one?"},
		Answers:    []channel.Answer{{At: at, Line: "[15:04] [PAUSE]", Text: "paused"}},
		LastAction: "started AGT-001", NextAction: "",
	}
	text := s.Markdown()
	for _, want := range []string{
		"# Execution State: DEL-20260102-150405\n", "\n**Status**: running\n", "\n**Paused**: yes\n",
		"\n**Updated**: 2026-01-02T15:04:05Z\n",
		"\n| AGT-001 | Limiter | RUNNING | 40% | 2026-01-02T15:04:05Z | a \\| b |\n",
		"\n| AGT-002 |  | PENDING |  | - |  |\n",
		"\n## Waits for you\n\n- AGT-001 asks: which one?\n", "\n| 2026-01-02T15:04:05Z | [15:04] [PAUSE] | paused |\n",
		"\n**Last action**: started AGT-001\n", "\n**Next action**: -\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if text := (channel.State{}).Markdown(); !strings.Contains(text, "**Paused**: no\n") ||
		!strings.Contains(text, "## Waits for you\n\nNothing.\n") {
		t.Errorf("an empty state gives\n%s", text)
	}
}

// The lines that the state file shows as samples are commands once they stand in the other file.
func TestSamplesAreCommands(t *testing.T) {
	_, how, _ := strings.Cut(channel.State{}.Markdown(), "```\n")
	samples, _, _ := strings.Cut(how, "```")
	commands, faults, open := channel.Parse([]byte(samples))
	if len(commands) != strings.Count(samples, "\n") || len(commands) < 5 || len(faults) != 0 || open {
		t.Errorf("%d lines give %+v, %+v", strings.Count(samples, "\n"), commands, faults)
	}
}

// shape is a text with its values taken out of lines: what a reader of Markdown takes for its structure.
func shape(text string) (lines []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "**"):
			line, _, _ = strings.Cut(line, ":")
		case strings.HasPrefix(line, "# "):
			line = "#"
		case strings.HasPrefix(line, "- "):
			line = "-"
		case strings.HasPrefix(line, "|"):
			line = strings.Repeat("|", strings.Count(strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\|`, ""),
				"|"))
		}
		lines = append(lines, line)
	}
	return lines
}

func FuzzState(f *testing.F) {
	for _, text := range hostile() {
		f.Add(text, "plain", int64(0))
		f.Add("plain", text, int64(1767366245))
	}
	f.Fuzz(func(t *testing.T, a, b string, at int64) {
		when := time.Unix(at%250_000_000_000, 0).UTC()
		if when.Year() < 0 || when.Year() > 9999 {
			t.Skip("years that RFC 3339 cannot write")
		}
		full := func(a, b string) channel.State {
			return channel.State{
				Session: a, Status: b, LastAction: b, NextAction: a, Waits: []string{a, b},
				Agents:  []channel.Agent{{ID: a, Subtask: b, Status: a, Progress: b, Notes: a}},
				Answers: []channel.Answer{{At: when, Line: a, Text: b}, {At: when, Line: b, Text: a}},
			}
		}
		state := full(a, b)
		text := state.Markdown()
		if got := channel.ReadAnswers([]byte(text)); !reflect.DeepEqual(got, state.Answers) {
			t.Errorf("got %q, want %q", got, state.Answers)
		}
		if got, want := shape(text), shape(full("x", "y").Markdown()); !reflect.DeepEqual(got, want) {
			t.Errorf("%q and %q change the structure to\n%s", a, b, text)
		}
		for _, mark := range []string{"<!--", "-->", "\r", "\x00"} {
			if strings.Contains(text, mark) {
				t.Errorf("%q stands in\n%s", mark, text)
			}
		}
	})
}
