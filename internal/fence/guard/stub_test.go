//go:build !windows

package guard

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSubAgentStub holds that whatever starts the script in the place of an agent program, by its name or as the file
// that an interpreter is given, has the try reported and ends with exit code 1.
func TestSubAgentStub(t *testing.T) {
	b := newBench(t)
	b.hooked("")
	policy := "/the $HOME's \"policy\" `x` é"
	text := SubAgentStub(filepath.Join(b.ground.root, "it's a", "program"), policy)
	for _, c := range []struct {
		name, file string
		with       []string // the interpreter with its words, none for the file itself
	}{
		{"by its name", "bin/codex", nil},
		{"through the shell", "bin/codex", []string{"sh"}},
		{"through bash", "bin/codex", []string{"bash"}},
		{"node, a file without an ending", "bin/qwen", []string{"node"}},
		{"node, CommonJS", "bin/qwen.cjs", []string{"node"}},
		{"node, a module", "bin/qwen.mjs", []string{"node"}},
		{"node, in a package of modules", "package/dist/cli.js", []string{"node"}},
		{"node, loaded by another program", "bin/qwen.cjs", []string{"node", "-r"}},
		{"node, imported by a line", "package/dist/main.js", []string{"node", "--input-type=module", "-e",
			`const m = await import("FILE"); m.main()`}},
		{"node, required by a line", "bin/main.cjs", []string{"node", "-e", `require("FILE").main()`}},
		{"bun", "package/dist/cli.js", []string{"bun"}},
		{"python", "bin/aider", []string{"python3"}},
		{"python, as a module", "site/aider/__init__.py", []string{"python3", "-c",
			`import sys; sys.path = ["SITE", *sys.path]; import aider.main`}},
		{"perl hands on what names a shell", "bin/codex", []string{"perl"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			stub := filepath.Join(b.ground.root, filepath.FromSlash(c.file))
			b.write("/", stub, text)
			b.write("/", filepath.Join(b.ground.root, "package", "package.json"), `{"type": "module"}`)
			if err := os.Chmod(stub, 0o755); err != nil {
				t.Fatal(err)
			}
			if len(c.with) > 0 {
				if _, err := exec.LookPath(c.with[0]); err != nil {
					t.Skip(err)
				}
			}
			words := append(c.with, stub)
			switch last := len(c.with) - 1; {
			case last > 1: // a line of the language
				words = words[:last+1]
				words[last] = strings.NewReplacer("FILE", stub, "SITE", filepath.Dir(filepath.Dir(stub))).Replace(
					words[last])
			case last == 1:
				words = append(words, stub)
			}
			for _, answers := range []string{"", "subagent"} {
				if answers != "" {
					b.refuse(answers)
				}
				if out, ok := b.try("/", append(words, "exec", "--yolo")...); ok {
					t.Errorf("it ended well: %s", out)
				}
				if said := b.said(); said != "hook subagent "+policy+" "+stub {
					t.Errorf("asked %q", said)
				}
			}
		})
	}
}
