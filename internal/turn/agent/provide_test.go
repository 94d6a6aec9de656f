package agent_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"delegate/internal/project/config"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/dialect"
	"delegate/internal/turn/program"
)

// TestOverride holds that a configured profile overrides a built-in one key by key.
func TestOverride(t *testing.T) {
	c := config.Default()
	c.Profiles = map[string]config.Profile{
		"claude": {Env: map[string]string{"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}, PassEnv: []string{"MINE"}},
		"mine":   {Command: []string{"mine", "{prompt_file}"}, Output: "stream-json"},
	}
	claude, err := agent.Find(c, "claude")
	if err != nil {
		t.Fatal(err)
	}
	builtin, _ := program.Named("claude")
	if !slices.Equal(claude.Command, builtin.Command) || claude.Hook == nil || claude.Output != dialect.EventLines {
		t.Errorf("keys that were not configured changed: %+v", claude)
	}
	if claude.Env["ANTHROPIC_BASE_URL"] == "" || claude.Env["CLAUDE_CONFIG_DIR"] == "" ||
		!slices.Contains(claude.PassEnv, "MINE") || !slices.Contains(claude.PassEnv, "ANTHROPIC_API_KEY") {
		t.Errorf("env %v, pass_env %v", claude.Env, claude.PassEnv)
	}
	mine, err := agent.Find(c, "mine")
	if err != nil || mine.Delivery != program.File || mine.Output != dialect.EventLines || mine.Hook != nil {
		t.Errorf("%+v, %v", mine, err)
	}
	if _, err := agent.Find(c, "nobody"); err == nil || !strings.Contains(err.Error(), "codex") ||
		!strings.Contains(err.Error(), "mine") {
		t.Errorf("unknown profile: %v", err)
	}
	c.Profiles["codex"] = config.Profile{Output: "acp"}
	if _, err := agent.Find(c, "codex"); err == nil {
		t.Error("a built-in profile speaks a protocol that its own command does not speak")
	}
}

// TestProvide holds for each built-in profile that what it is given is whole: JSON that parses, no
// word in braces left, the login lent, the person's own settings kept in the copy and untouched
// where they are.
func TestProvide(t *testing.T) {
	person := t.TempDir()
	t.Setenv("HOME", person)
	settings := `{"theme": "dark", "hooks": {"BeforeTool": [], "Stop": ["mine"]}, "permission": {"edit": "ask"}}`
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(person, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, known := range program.All() {
		name, p := known.Name, agent.Profile{Program: known}
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), `it's "here"`)
			place := agent.Place{
				Worktree: root + "/work", AgentDir: root + "/desk", Home: root + "/home", Tmp: root + "/tmp",
				Turn: root + "/turn-1", Git: root + "/.git",
				Branch: "delegate/DEL/AGT-001/work", Allowed: []string{"src/**"}, Forbidden: []string{"src/old/**"},
				PromptFile: root + "/turn-1/prompt.md",
			}
			for _, login := range p.Credentials {
				put(login, "secret of "+name)
			}
			for _, f := range p.Files {
				if f.Merge != "" {
					put(f.Merge, settings)
				}
				if f.Copy != "" {
					put(f.Copy, settings)
				}
			}
			if err := p.WriteConfig(place); err != nil {
				t.Fatal(err)
			}
			for _, login := range p.Credentials {
				copied := filepath.Join(place.Home, login)
				if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("login %s: %v", login, err)
				}
			}
			for _, f := range p.Files {
				path := strings.NewReplacer("{turn}", place.Turn, "{home}", place.Home).Replace(f.Path)
				data, err := os.ReadFile(path)
				var got map[string]any
				if err != nil || f.Content != "" && json.Unmarshal(data, &got) != nil {
					t.Fatalf("%s: %q, %v", path, data, err)
				}
				if strings.Contains(f.Content, "{hook}") && !strings.Contains(string(data), " hook "+name+" ") {
					t.Errorf("no hook in %s", data)
				}
				if f.Merge != "" && (got["theme"] == "dark") != (len(f.Keep) == 0) {
					t.Errorf("the person's settings are not in %s", data)
				}
				if own, err := os.ReadFile(filepath.Join(person, f.Merge)); f.Merge != "" &&
					(err != nil || string(own) != settings) {
					t.Errorf("the person's own file is %q", own)
				}
			}
			values := agent.Values{Prompt: "do it", PromptFile: place.PromptFile, SessionID: "id", Place: place}
			lines := append(p.Invoke(p.Command, values).Args, p.Invoke(p.Resume, values).Args...)
			for _, word := range append(lines, place.Environ(p)...) {
				if strings.Contains(word, "{home}") || strings.Contains(word, "{turn}") ||
					strings.Contains(word, "{writable}") || strings.Contains(word, "{refuse}") ||
					strings.Contains(word, "{session_id}") ||
					strings.Contains(word, "{dialect}") {
					t.Errorf("a word in braces is left in %q", word)
				}
			}
			if len(p.Resume) > 0 && !slices.Contains(p.Invoke(p.Resume, values).Args, "id") {
				t.Errorf("a resumed turn does not name its session: %q", lines)
			}
		})
	}
}

// TestCopiedLoginIsNotTakenBack holds that a login that the program renewed stays, until the person's own is newer.
func TestCopiedLoginIsNotTakenBack(t *testing.T) {
	person := t.TempDir()
	t.Setenv("HOME", person)
	own := filepath.Join(person, "login")
	p := agent.Profile{Program: program.Program{Name: "x", Credentials: []string{"login"}}}
	place := agent.Place{Home: filepath.Join(t.TempDir(), "home")}
	copied := filepath.Join(place.Home, "login")
	step := func(do func() error, want string) {
		t.Helper()
		if err := do(); err != nil {
			t.Fatal(err)
		}
		if err := p.WriteConfig(place); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(copied); err != nil || string(data) != want {
			t.Errorf("lent %q, %v, want %q", data, err, want)
		}
	}
	step(func() error { return os.WriteFile(own, []byte("first"), 0o600) }, "first")
	step(func() error { return os.WriteFile(copied, []byte("renewed"), 0o600) }, "renewed")
	later := time.Now().Add(time.Hour)
	step(func() error { return os.Chtimes(own, later, later) }, "first")
}

// TestNothingIsWrittenThroughTheAgentsLinks holds that what an agent left in its home does not lead
// this program out of it.
func TestNothingIsWrittenThroughTheAgentsLinks(t *testing.T) {
	person := t.TempDir()
	t.Setenv("HOME", person)
	if err := os.WriteFile(filepath.Join(person, "login"), []byte("lent"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]program.Program{
		"login":         {Name: "x", Credentials: []string{"login"}},
		"configuration": {Name: "x", Files: []program.ConfigFile{{Path: "{home}/dir/file.json", Content: "{}"}}},
	} {
		place := agent.Place{Home: filepath.Join(t.TempDir(), "home")}
		outside := t.TempDir()
		if err := os.MkdirAll(place.Home, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, link := range []string{"dir", "login"} {
			if err := os.Symlink(filepath.Join(outside, link), filepath.Join(place.Home, link)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(filepath.Join(outside, "dir"), 0o700); err != nil {
			t.Fatal(err)
		}
		err := agent.Profile{Program: p}.WriteConfig(place)
		if name == "configuration" && err == nil {
			t.Errorf("%s: nobody says that a link leads out", name)
		}
		left, readErr := filepath.Glob(filepath.Join(outside, "*", "*"))
		if _, statErr := os.Stat(filepath.Join(outside, "login")); statErr == nil || readErr != nil || len(left) > 0 {
			t.Errorf("%s: written outside of the home: %v", name, left)
		}
	}
}

// TestKeyIsKnown holds that claude's screen does not ask about the key that the person gave it, and that no more of the
// key is written than it takes for that.
func TestKeyIsKnown(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	const key = "sk-secret-0123456789-0123456789"
	for name, c := range map[string]struct {
		passed, set string
		want        string
	}{
		"passed": {passed: key, want: `["123456789-0123456789"]`},
		"set":    {passed: "other", set: key, want: `["123456789-0123456789"]`},
		"short":  {passed: "none", want: `["none"]`},
		"none":   {want: `[]`},
	} {
		t.Setenv("ANTHROPIC_API_KEY", c.passed)
		known, _ := program.Named("claude")
		if c.set != "" {
			known.Env["ANTHROPIC_API_KEY"] = c.set
		}
		root := t.TempDir()
		place := agent.Place{Worktree: root + "/work", Home: root + "/home", Turn: root + "/turn-1"}
		if err := (agent.Profile{Program: known}).WriteConfig(place); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(place.Home + "/.claude/.claude.json")
		var got struct {
			Onboarded bool `json:"hasCompletedOnboarding"`
			Keys      struct {
				Approved json.RawMessage `json:"approved"`
			} `json:"customApiKeyResponses"`
		}
		if err != nil || json.Unmarshal(data, &got) != nil || !got.Onboarded {
			t.Fatalf("%s: %v: %s", name, err, data)
		}
		var approved bytes.Buffer
		if err := json.Compact(&approved, got.Keys.Approved); err != nil || approved.String() != c.want {
			t.Errorf("%s: %s, want %s (%v)", name, &approved, c.want, err)
		}
	}
}
