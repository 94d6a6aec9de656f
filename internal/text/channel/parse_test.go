package channel_test

import (
	"reflect"
	"strings"
	"testing"

	"delegate/internal/text/channel"
)

func TestCommands(t *testing.T) {
	tests := map[string]channel.Command{
		"[2026-01-02T15:04:05Z] [PAUSE]":    {Stamp: "2026-01-02T15:04:05Z", Verb: channel.Pause},
		"[2026-01-02 15:04] [RESUME] go on": {Stamp: "2026-01-02 15:04", Verb: channel.Resume, Text: "go on"},
		"[15:04] [status]":                  {Stamp: "15:04", Verb: channel.Status},
		"[15:04][Pause] lunch":              {Stamp: "15:04", Verb: channel.Pause, Text: "lunch"},
		"[15:04]\u00a0[PAUSE]":              {Stamp: "15:04", Verb: channel.Pause},
		"[15:04] [PAUSE] AGT-001 is odd":    {Stamp: "15:04", Verb: channel.Pause, Text: "AGT-001 is odd"},
		"[15:04] [ABORT]":                   {Stamp: "15:04", Verb: channel.Abort},
		"[15:04] [ABORT] AGT-001":           {Stamp: "15:04", Verb: channel.Abort, Agent: "AGT-001"},
		"[15:04] [abort] agt-1: wrong branch": {Stamp: "15:04", Verb: channel.Abort, Agent: "AGT-001",
			Text: "wrong branch"},
		"[15:04] [ABORT] `Agt-12`, as AGT-2 does": {Stamp: "15:04", Verb: channel.Abort, Agent: "AGT-012",
			Text: "as AGT-2 does"},
		"[15:04] [ABORT] AGT-1234":            {Stamp: "15:04", Verb: channel.Abort, Agent: "AGT-1234"},
		"[15:04] [FOCUS_ON_TASK] AGT-002 now": {Stamp: "15:04", Verb: channel.Focus, Agent: "AGT-002", Text: "now"},
		"[15:04] [focus on task] the parser":  {Stamp: "15:04", Verb: channel.Focus, Text: "the parser"},
		"[15:04] [FOCUS-ON-TASK] agt-x":       {Stamp: "15:04", Verb: channel.Focus, Text: "agt-x"},
	}
	for line, want := range tests {
		commands, faults, open := channel.Parse([]byte(line + "\n"))
		want.Line, want.Raw = 1, line
		if len(commands) != 1 || commands[0] != want || len(faults) != 0 || open {
			t.Errorf("%q gives %+v, %+v, %v; want %+v", line, commands, faults, open, want)
		}
	}
}

func TestFaults(t *testing.T) {
	tests := map[string]string{ // line to a part of what is told
		"[PAUSE] lunch":                    "the time is missing; write [2026-01-02 15:04] [PAUSE]",
		"[abort]":                          "the time is missing; write [2026-01-02 15:04] [ABORT]",
		"[] [PAUSE]":                       "the time is missing",
		"[ ] [ABORT]":                      "the time is missing",
		"[TIMESTAMP] [ABORT]":              `"TIMESTAMP" is no time`,
		"[PAUSE] [ABORT]":                  `"PAUSE" is no time`,
		"[15:04] [STOP]":                   `"STOP" is no command; write one of PAUSE, RESUME, ABORT, STATUS, FOCUS_ON_TASK`,
		"[15:04] [ABORT AGT-001]":          `"ABORT AGT-001" is no command`,
		"[x] [15:04] [PAUSE]":              `"15:04" is no command`,
		"PAUSE please":                     "the time is missing; write [2026-01-02 15:04] [PAUSE]",
		"not a command at all":             "it is no command; write one such as [2026-01-02 15:04] [PAUSE]",
		"[15:04] [ABORT] all":              `"all" is no agent`,
		"[15:04] [ABORT] AGT001":           `"AGT001" is no agent`,
		"[15:04] [ABORT] AGT-000":          `"AGT-000" is no agent`,
		"[15:04] [ABORT] AGT-1,AGT-2":      "is no agent",
		"[15:04] [ABORT] AGT-1 AGT-2":      "more than one agent",
		"[15:04] [ABORT] AGT-1 and AGT-2":  "more than one agent",
		"[15:04] [FOCUS_ON_TASK]":          "names no task",
		"[15:04] [ABORT] AGT-99999999999":  "is no agent",
		"[15:04] [ABORT] <!-- AGT-001 -->": "is no agent",
	}
	for line, want := range tests {
		commands, faults, _ := channel.Parse([]byte("\n" + line + "\r\n"))
		if len(commands) != 0 || len(faults) != 1 || faults[0].Line != 2 || faults[0].Raw != line ||
			!strings.Contains(faults[0].Problem, want) {
			t.Errorf("%q gives %+v, %+v; want one fault with %q", line, commands, faults, want)
		}
	}
}

// A file as people write it: only the lines that say so are commands, whatever Markdown is around them.
func TestWholeFile(t *testing.T) {
	file := strings.Join([]string{
		"\ufeff# Commands for today",
		"",
		"Write lines like `[15:04] [PAUSE]` here, see [the guide](x.md) and [this][1], [1]: http://x",
		"[guide](x.md) first, then [2][3]",
		"[see][1] and [STATUS](status.md)",
		"[STATUS](status.md)",
		"[15:04] [not](a.command)",
		"[1]: http://x",
		"- [x] buy milk",
		"> [15:01] [ABORT]",
		"- [15:02] [PAUSE] one",
		"\t* `[15:03] [RESUME] two`",
		"```[15:04] [STATUS] three```",
		"```text",
		"[15:05] [ABORT]",
		"~~~",
		"[15:06] [ABORT]",
		"````",
		"[15:07] [PAUSE] four",
		"<!-- [15:08] [ABORT]",
		"[15:09] [ABORT] --> [15:10] [ABORT]",
		"<!-- [15:11] [ABORT] -->",
		"  [15:12] [RESUME] five",
		"- ~~~",
		"  [15:13] [ABORT]",
		"  ~~~",
		"[15:14] [PAUSE] six",
	}, "\r\n") + "\r\n"
	commands, faults, open := channel.Parse([]byte(file))
	var got []string
	for _, c := range commands {
		got = append(got, c.Raw)
		if lines := strings.Split(file, "\r\n"); !strings.Contains(lines[c.Line-1], c.Raw) {
			t.Errorf("line %d is %q, not %q", c.Line, lines[c.Line-1], c.Raw)
		}
	}
	want := []string{"[15:02] [PAUSE] one", "[15:03] [RESUME] two", "[15:04] [STATUS] three", "[15:07] [PAUSE] four",
		"[15:12] [RESUME] five", "[15:14] [PAUSE] six"}
	// of the lines between, only the person's own prose is answered
	if !reflect.DeepEqual(got, want) || len(faults) != 7 || faults[0].Line != 3 || faults[6].Line != 9 || open {
		t.Errorf("commands %q, faults %+v, open %v; want %q", got, faults, open, want)
	}
}

func TestBeingTyped(t *testing.T) {
	tests := []struct {
		file                   string
		commands, faults, open int
	}{
		{"", 0, 0, 0},
		{"[15:04] [ABORT] AGT-001", 0, 0, 1},
		{"[15:04] [ABO", 0, 0, 1},
		{"# [15:04] [PAUSE]", 0, 0, 0},
		{"[15:04] [ABORT] AG", 0, 0, 1},
		{"[15:04] [PAUSE]\n[15:05] [ABORT] AGT-001", 1, 0, 1},
		{"[15:04] [PAUSE]\nsome words", 1, 0, 1},
		{"```\n[15:04] [PAUSE]\n", 0, 1, 0},
		{"```\n[15:04] [PAUSE]\n``", 0, 0, 1},
		{"```\n[15:04] [PAUSE]\n```", 0, 0, 0},
		{"```\nno command\n", 0, 0, 0},
		{"<!-- later\n[15:04] [PAUSE]\n", 0, 1, 0},
		{"\xff\xfe[\x00", 0, 1, 0},
	}
	for _, test := range tests {
		commands, faults, open := channel.Parse([]byte(test.file))
		if len(commands) != test.commands || len(faults) != test.faults || open != (test.open == 1) {
			t.Errorf("%q gives %+v, %+v, %v; want %+v", test.file, commands, faults, open, test)
		}
	}
}

// Whatever the file holds, lines are what the results say, and a newline is all that an open line lacks.
func FuzzParse(f *testing.F) {
	f.Add([]byte("- `[15:04] [ABORT] agt-1`\r\n```\n<!--\n"))
	f.Add([]byte("\ufeff[PAUSE] [1]\n[2026-01-02] [FOCUS_ON_TASK] x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		commands, faults, open := channel.Parse(data)
		lines := strings.SplitAfter(string(data), "\n")
		for _, c := range commands {
			if !strings.Contains(lines[c.Line-1], c.Raw) || !strings.HasSuffix(lines[c.Line-1], "\n") {
				t.Errorf("line %d is %q, not %q", c.Line, lines[c.Line-1], c.Raw)
			}
			if c.Verb != channel.Abort && c.Verb != channel.Focus && c.Agent != "" ||
				c.Verb == channel.Abort && c.Agent == "" && c.Text != "" {
				t.Errorf("%+v", c)
			}
			if again, _, _ := channel.Parse([]byte(c.Raw + "\n")); len(again) != 1 || again[0].Raw != c.Raw ||
				again[0].Verb != c.Verb {
				t.Errorf("%q alone gives %+v, in the file it was %+v", c.Raw, again, c)
			}
		}
		more, moreFaults, stillOpen := channel.Parse(append(data[:len(data):len(data)], '\n'))
		if stillOpen || open != (len(more)+len(moreFaults) > len(commands)+len(faults)) {
			t.Errorf("open %v, then %v with %d and %d more", open, stillOpen, len(more)-len(commands),
				len(moreFaults)-len(faults))
		}
	})
}
