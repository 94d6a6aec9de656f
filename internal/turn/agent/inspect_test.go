package agent_test

import (
	"os"
	"path/filepath"
	"testing"

	"delegate/internal/project/config"
	"delegate/internal/turn/agent"
)

// TestPersonsModel holds that the model of a program that does not tell it is the one of the person's settings.
func TestPersonsModel(t *testing.T) {
	home := t.TempDir()
	for name, value := range map[string]string{"HOME": home, "CODEX_HOME": "", "XDG_CONFIG_HOME": ""} {
		t.Setenv(name, value)
	}
	for name, text := range map[string]string{
		".codex/config.toml":             "# model = \"old\"\nmodel = 'gpt-x'\n[profiles.o]\nmodel = \"o\"\n",
		".config/opencode/opencode.json": `{"model": "acme/m-1"}`,
		".claude/settings.json":          `{"model": "opus"}`,
	} {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"codex": "gpt-x", "opencode": "acme/m-1", "claude": ""} {
		profile, err := agent.Find(config.Default(), name)
		if err != nil {
			t.Fatal(err)
		}
		if got := profile.PersonsModel(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
