//go:build bench && linux

package record

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestScriptSaysWhatToDo(t *testing.T) {
	got, err := parseScript(strings.NewReader(`# first words
title A film

folder greeter
type delegate -f "plan.md"
key ctrl-c
wait "say \"yes\""
wait
answer "? Land" yes "Why (Enter" ""
pause 1.5s
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []step{
		{line: 2, verb: "title", text: "A film"},
		{line: 4, verb: "folder", text: "greeter"},
		{line: 5, verb: "type", text: `delegate -f "plan.md"`},
		{line: 6, verb: "key", text: "ctrl-c"},
		{line: 7, verb: "wait", text: `say "yes"`},
		{line: 8, verb: "wait"},
		{line: 9, verb: "answer", text: `"? Land" yes "Why (Enter" ""`,
			pairs: []pair{{"? Land", "yes"}, {"Why (Enter", ""}}},
		{line: 10, verb: "pause", text: "1.5s", pause: 1500 * time.Millisecond},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestScriptFaultsNameTheirLine(t *testing.T) {
	for _, line := range []string{"sleep 1s", "type", "key escape", "key ctrl-", "wait text", "answer",
		`answer "? Land"`, "pause long", "run"} {
		_, err := parseScript(strings.NewReader("# a remark\n" + line + "\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "script, line 2: ") {
			t.Errorf("%q gives %v", line, err)
		}
	}
}

func TestKeysAreWhatTerminalsSend(t *testing.T) {
	for name, want := range map[string]string{"enter": "\r", "ctrl-c": "\x03", "ctrl-z": "\x1a", "up": "\x1b[A"} {
		if got, err := keyBytes(name); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
}

func TestScriptsOfThisFolderParse(t *testing.T) {
	file, err := os.Open("bench/record/landing.script")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if steps, err := parseScript(file); err != nil || len(steps) == 0 {
		t.Errorf("%d steps, %v", len(steps), err)
	}
}
