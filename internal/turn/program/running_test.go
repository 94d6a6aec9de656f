package program_test

import (
	"strings"
	"testing"

	"delegate/internal/turn/program"
)

// TestProgramOf holds whose name a command line goes by.
func TestProgramOf(t *testing.T) {
	for line, want := range map[string]string{
		"":                            "",
		"/usr/local/bin/codex exec x": "codex",
		"node /usr/bin/claude -p x":   "claude",
		"node --max-old-space-size=9 /x/codex.js": "codex",
		"/bin/sh /x/gemini":                       "gemini",
		"sh -c codex":                             "",
		"bash -e":                                 "",
		"python3 -m aider --yes":                  "aider",
		"python3.12 /usr/bin/aider":               "aider",
		"-bash":                                   "",
		"C/claude.exe":                            "claude",
		"sleep 1":                                 "sleep",
	} {
		if got := program.NameOf(strings.Fields(line)); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// TestRunning holds that a command line is known by its program, its script or the script's package.
func TestRunning(t *testing.T) {
	for line, want := range map[string]string{
		"claude": "claude", "/opt/bin/codex exec x": "codex", "node /usr/local/bin/gemini -p x": "gemini",
		"node --heap=9 /lib/node_modules/@anthropic-ai/claude-code/cli.js": "claude",
		"node /x/node_modules/qwen-code/dist/index.js":                     "qwen",
		"python3 -m aider": "aider",
		"node /x/node_modules/claude-code-docs/index.js": "",
		"vim claude": "", "sh -c claude": "", "bash": "", "claude-notes": "", "": "",
	} {
		p, known := program.Running(strings.Fields(line))
		if p.Name != want || known != (want != "") {
			t.Errorf("%q: %q %v, want %q", line, p.Name, known, want)
		}
	}
}

// TestMarked holds that a program is known by the variable that it sets, and not by one that is switched off.
func TestMarked(t *testing.T) {
	for _, p := range program.All() {
		for _, name := range p.Marks {
			t.Setenv(name, "")
		}
	}
	if p, name, found := program.Marked(); found {
		t.Errorf("%s by %s", p.Name, name)
	}
	t.Setenv("GEMINI_CLI", "0")
	if p, name, found := program.Marked(); found {
		t.Errorf("%s by %s", p.Name, name)
	}
	for _, p := range program.All() {
		for _, name := range p.Marks {
			t.Setenv(name, "1")
			if got, by, found := program.Marked(); !found || got.Name != p.Name || by != name {
				t.Errorf("%s=1: %s by %s", name, got.Name, by)
			}
			t.Setenv(name, "")
		}
	}
}
