package setup

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"delegate/internal/sys/atomicfile"

	"github.com/pelletier/go-toml/v2"
)

func TestCommandFiles(t *testing.T) {
	places := map[string][2]string{
		"claude":   {".claude/commands/delegate.md", ".claude/commands/sync.md"},
		"opencode": {".opencode/commands/delegate.md", ".opencode/commands/sync.md"},
		"qwen":     {".qwen/commands/delegate.md", ".qwen/commands/sync.md"},
		"gemini":   {".gemini/commands/delegate.toml", ".gemini/commands/sync.toml"},
		"codex":    {".agents/skills/delegate/SKILL.md", ".agents/skills/delegate-sync/SKILL.md"},
	}
	for program, want := range places {
		files := CommandFiles(program)
		if len(files) != 2 || files[0].Path != want[0] || files[1].Path != want[1] {
			t.Fatalf("%s: %v", program, files)
		}
		for _, f := range files {
			text := string(f.Content)
			if strings.Contains(text, "{task}") || !strings.Contains(text, "A wait that times out is no failure") {
				t.Errorf("%s:\n%s", f.Path, text)
			}
			for _, form := range []string{"wait --timeout 100s", "delegate sync complete", "delegate sync abort"} {
				if !strings.Contains(text, form) {
					t.Errorf("%s does not say %q", f.Path, form)
				}
			}
			allowed := strings.Contains(text, "allowed-tools: Bash(delegate status:*), ")
			if allowed != (program == "claude") {
				t.Errorf("%s allows tools: %v", f.Path, allowed)
			}
			if program != "gemini" {
				if !strings.HasPrefix(text, "---\n") || strings.Count(text, "\n---\n") != 1 {
					t.Errorf("%s has no head of fields:\n%s", f.Path, text)
				}
				continue
			}
			var command struct{ Description, Prompt string }
			if err := toml.Unmarshal(f.Content, &command); err != nil || command.Description == "" ||
				!strings.Contains(command.Prompt, "{{args}}") {
				t.Errorf("%s: %v, %+v", f.Path, err, command)
			}
		}
	}
	if files := CommandFiles("aider"); len(files) != 0 {
		t.Errorf("aider has commands: %v", files)
	}
}

func TestServer(t *testing.T) {
	if files := serverFiles([]string{"codex"}); len(files) != 0 {
		t.Errorf("%v", files)
	}
	f := serverFiles([]string{"codex", "claude"})[0]
	if !json.Valid(f.Content) {
		t.Errorf("%s", f.Content)
	}
	for text, want := range map[string]bool{
		string(f.Content): true, `{"mcpServers":{"d":{"command":"/usr/bin/delegate","args":["mcp"]}}}`: true,
		`{"mcpServers":{"x":{"command":"npx","args":["mcp"]}}}`: false, `{}`: false, "": false, "[": false,
	} {
		if HasServer([]byte(text)) != want {
			t.Errorf("%s: not %v", text, want)
		}
	}
}

func TestWrite(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	f := File{Path: ".claude/commands/x.md", Content: []byte("words\n")}
	if found, err := f.Present(root); found != nil || err != nil {
		t.Fatalf("%q, %v", found, err)
	}
	if err := f.Write(root); err != nil {
		t.Fatal(err)
	}
	if found, err := f.Present(root); string(found) != "words\n" || err != nil {
		t.Errorf("%q, %v", found, err)
	}
	var changed *atomicfile.ChangedError
	if err := (File{Path: f.Path, Content: []byte("others")}).Write(root); !errors.As(err, &changed) {
		t.Errorf("written over what was there: %v", err)
	}
	empty := File{Path: "empty"}
	if err := os.WriteFile(filepath.Join(root, "empty"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if found, err := empty.Present(root); found == nil || err != nil {
		t.Errorf("an empty file counts as none: %v", err)
	}
	for link, to := range map[string]string{".gemini": outside, "dangling": filepath.Join(outside, "made"),
		".qwen/commands": outside} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{".gemini/commands/x.toml", "dangling", ".qwen/commands/x.md"} {
		err := File{Path: path, Content: []byte("x")}.Write(root)
		if err == nil || !strings.Contains(err.Error(), "behind the symbolic link") {
			t.Errorf("%s was written through a link: %v", path, err)
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside there is %v, %v", left, err)
	}
	for _, path := range []string{"empty/x", ".claude"} {
		if err := (File{Path: path}).Write(root); err == nil {
			t.Errorf("%s was written", path)
		}
	}
}
