package program

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// lay makes files below a new folder; what ends with ! is executable.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		name, program := strings.CutSuffix(name, "!")
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if program {
			mode = 0o755
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestInstalledFilesOfAPackage has the layouts that npm makes: the program proper nested below its starter's package,
// and beside it.
func TestInstalledFilesOfAPackage(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no mode there")
	}
	const starter = `{"bin": {"codex": "./bin/codex.js"},
		"optionalDependencies": {"@openai/codex-linux-x64": "npm:x", "@openai/codex-darwin-x64": "npm:y", "../../up": "1"}}`
	root := lay(t, map[string]string{
		"package.json":                  `{"bin": "home.js"}`,
		"up/tool!":                      "",
		"lib/node_modules/npm/bin/npm!": "",
		"nested/@openai/codex/bin/rg!":  "",
		"nested/@openai/codex/README":   "", "nested/@openai/codex/dist/main.mjs": "",
		"nested/@openai/codex/bin/codex.js!": "", "nested/@openai/codex/package.json": starter,
		"nested/@openai/codex/node_modules/@openai/codex-linux-x64/vendor/x/bin/codex!": "",
		"nested/@openai/codex/node_modules/semver/bin/semver.js!":                       "",
		"beside/node_modules/opencode-ai/package.json": `{"bin": "bin/opencode",
			"optionalDependencies": {"opencode-linux-x64": "1"}}`,
		"beside/node_modules/opencode-ai/bin/opencode!":        "",
		"beside/node_modules/opencode-linux-x64/bin/opencode!": "",
		"beside/node_modules/other/bin/other!":                 "",
		"own/versions/1.0!":                                    "", "own/versions/2.0/node!": "",
		"bin/claude!": "", "bin/ls!": "",
		"venv/bin/aider!": "#!/venv/bin/python\n", "venv/lib/python3.12/site-packages/aider/__init__.py": "",
		"venv/lib/python3.12/site-packages/aider/__main__.py": "",
		"venv/lib/python3.12/site-packages/aider/coder.py":    "",
		"venv/lib/python3.12/site-packages/pip/__main__.py":   "", "venv/bin/pip!": "#!/bin/sh\n",
	})
	for file, want := range map[string][]string{
		"nested/@openai/codex/bin/codex.js": {"nested/@openai/codex/bin/codex.js", "nested/@openai/codex/bin/rg",
			"nested/@openai/codex/dist/main.mjs",
			"nested/@openai/codex/node_modules/@openai/codex-linux-x64/vendor/x/bin/codex"},
		"beside/node_modules/opencode-ai/bin/opencode": {"beside/node_modules/opencode-ai/bin/opencode",
			"beside/node_modules/opencode-linux-x64/bin/opencode"},
		"own/versions/1.0": {"own/versions/1.0", "own/versions/2.0/node"},
		"bin/claude":       {"bin/claude"}, // that package.json has another command
		"venv/bin/aider": {"venv/bin/aider", "venv/lib/python3.12/site-packages/aider/__init__.py",
			"venv/lib/python3.12/site-packages/aider/__main__.py"},
		"venv/bin/pip": {"venv/bin/pip"}, // no script of Python's
	} {
		var got []string
		for _, path := range Installed(filepath.Join(root, filepath.FromSlash(file))) {
			rel, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, filepath.ToSlash(rel))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got\n%q\nwant\n%q", file, got, want)
		}
	}
}
