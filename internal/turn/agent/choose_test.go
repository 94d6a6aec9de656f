package agent_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"delegate/internal/project/config"
	"delegate/internal/turn/agent"
	"delegate/internal/turn/program"
)

func find(t *testing.T, name string, profiles map[string]config.Profile) (agent.Profile, error) {
	t.Helper()
	c := config.Default()
	c.Profiles = profiles
	return agent.Find(c, name)
}

// TestExtends holds that a profile that extends another has everything of it that it does not say itself, by its own
// name, and that a circle is an error.
func TestExtends(t *testing.T) {
	profiles := map[string]config.Profile{
		"claude": {PassEnv: []string{"MINE"}},
		"opus":   {Extends: "claude", Model: "opus", Env: map[string]string{"A": "1"}},
		"slow":   {Extends: "opus", Effort: "high"},
		"a":      {Extends: "b"}, "b": {Extends: "a"}, "lost": {Extends: "nobody"},
	}
	p, err := find(t, "slow", profiles)
	if err != nil {
		t.Fatal(err)
	}
	builtin, _ := program.Named("claude")
	if p.Name != "slow" || p.Program.Name != "claude" || p.Hook == nil || !slices.Equal(p.Command, builtin.Command) ||
		!slices.Equal(p.Credentials, builtin.Credentials) || !slices.Contains(p.PassEnv, "MINE") || p.Env["A"] != "1" {
		t.Errorf("extended: %+v", p)
	}
	args := p.Invoke(p.Command, agent.Values{Prompt: "go"}).Args
	for _, pair := range [][2]string{{"--model", "opus"}, {"--effort", "high"}} {
		if at := slices.Index(args, pair[0]); at < 0 || args[at+1] != pair[1] {
			t.Errorf("%q is not in %q", pair, args)
		}
	}
	for _, name := range []string{"a", "lost"} {
		if _, err := find(t, name, profiles); err == nil || !strings.Contains(err.Error(), "extends") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestChoice holds that the model and the effort of a subtask are on the command line of each program that has a word
// for them, in its first turn and in later ones, go before the profile's, and are an error elsewhere.
func TestChoice(t *testing.T) {
	for _, known := range program.All() {
		p := agent.Profile{Program: known, Name: known.Name, DefaultModel: "other"}
		place := agent.Place{Model: "the-model", Effort: "the-effort"}
		for _, asked := range []struct {
			args          []string
			model, effort string
		}{{known.Model, "the-model", ""}, {known.Effort, "", "the-effort"}} {
			err := p.CanChoose(asked.model, asked.effort)
			if (err == nil) != (len(asked.args) > 0) {
				t.Errorf("%s, %q: %v", known.Name, asked, err)
			}
			for _, command := range [][]string{known.Command, known.Resume} {
				line := strings.Join(p.Invoke(command, agent.Values{Prompt: "go", Place: place}).Args, " ")
				if named := strings.Contains(line, asked.model+asked.effort); len(command) > 0 &&
					named != (len(asked.args) > 0) || strings.Contains(line, "other") {
					t.Errorf("%s, %q: %s", known.Name, asked, line)
				}
			}
		}
	}
	mine, err := find(t, "mine", map[string]config.Profile{
		"mine": {Command: []string{"mine", "-m{model}"}, Model: "small"}})
	if err != nil || mine.CanChoose("big", "") != nil || mine.CanChoose("", "high") == nil {
		t.Errorf("a command with the word for a model: %v", err)
	}
	if args := mine.Invoke(mine.Command, agent.Values{Prompt: "go"}).Args; args[1] != "-msmall" {
		t.Errorf("it runs %q", args)
	}
}

// TestCopiedFiles holds that a profile has the files that it names copied, a login until the program has
// renewed it, others
// anew each time, and no login of anything but an agent program.
func TestCopiedFiles(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	own := fstest.MapFS{".pi/auth.json": {Data: []byte("key")}, ".pi/set.json": {Data: []byte("{}")}}
	if err := os.CopyFS(home, own); err != nil {
		t.Fatal(err)
	}
	p, err := find(t, "mine", map[string]config.Profile{"mine": {Command: []string{"mine"},
		Login: []string{"~/.pi/auth.json"},
		Files: []string{"~/.pi/set.json", "~/.pi/none.json"}}})
	if err != nil {
		t.Fatal(err)
	}
	place := agent.Place{Turn: t.TempDir(), Home: filepath.Join(t.TempDir(), "home")}
	for range 2 {
		if err := p.WriteConfig(place); err != nil {
			t.Fatal(err)
		}
		if got := written(t, place.Home); got != "key{}" && got != "renewed{}" {
			t.Errorf("lent %q", got)
		}
		for _, name := range []string{"auth.json", "set.json", "none.json"} {
			if err := os.WriteFile(filepath.Join(place.Home, ".pi", name), []byte("renewed"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, file := range []string{"~/.ssh/id_ed25519", "~/.aws/credentials", "~/.netrc"} {
		_, err := find(t, "mine", map[string]config.Profile{"mine": {Command: []string{"mine"}, Files: []string{file}}})
		if err == nil {
			t.Errorf("%s is lent", file)
		}
	}
}

// TestWhereALoginIs holds that providers, proxies and configuration folders elsewhere are known by their variables, and
// that keys of a cloud are handed on only where the program is told to use it.
func TestWhereALoginIs(t *testing.T) {
	home, elsewhere := t.TempDir(), t.TempDir()
	for name, value := range map[string]string{"HOME": home, "CLAUDE_CONFIG_DIR": elsewhere, "AWS_ACCESS_KEY_ID": "k",
		"HTTPS_PROXY": "http://proxy.example:8080", "ANTHROPIC_API_KEY": "", "CLAUDE_CODE_USE_BEDROCK": ""} {
		t.Setenv(name, value)
	}
	if err := os.WriteFile(filepath.Join(elsewhere, ".credentials.json"), []byte("login"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := find(t, "claude", nil)
	if err != nil {
		t.Fatal(err)
	}
	place := agent.Place{Turn: t.TempDir(), Home: filepath.Join(t.TempDir(), "home")}
	if err := p.WriteConfig(place); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(place.Home, ".claude/.credentials.json")); string(data) != "login" {
		t.Errorf("lent %q, %v", data, err)
	}
	env := place.Environ(p)
	if !slices.Contains(env, "HTTPS_PROXY=http://proxy.example:8080") || slices.Contains(env, "AWS_ACCESS_KEY_ID=k") {
		t.Errorf("environment %q", env)
	}
	place.Port = 4000
	if slices.Contains(place.Environ(p), "HTTPS_PROXY=http://proxy.example:8080") {
		t.Error("the person's proxy goes before the one of the fence")
	}
	t.Setenv("CLAUDE_CODE_USE_BEDROCK", "1")
	if env := place.Environ(p); !slices.Contains(env, "AWS_ACCESS_KEY_ID=k") {
		t.Errorf("environment with Bedrock %q", env)
	}
}
