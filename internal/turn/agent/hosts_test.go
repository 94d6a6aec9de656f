package agent

import (
	"slices"
	"testing"

	"delegate/internal/fence/proxy"
	"delegate/internal/project/config"
	"delegate/internal/turn/program"
)

// TestHosts holds that a profile reaches its provider, the cloud that the environment chooses and the address that a
// variable names, and that what is no host is passed over.
func TestHosts(t *testing.T) {
	for _, name := range []string{"CLAUDE_CODE_USE_BEDROCK", "AWS_REGION", "AWS_DEFAULT_REGION", "ANTHROPIC_BASE_URL"} {
		t.Setenv(name, "")
	}
	c := config.Config{Profiles: map[string]config.Profile{
		"own":  {Command: []string{"own"}, Env: map[string]string{"OWN_BASE_URL": "https://models.example.org/v1"}},
		"dear": {Extends: "claude"}, "bare": {Command: []string{"own"}},
	}}
	hosts := func(name string) []string {
		p, err := Find(c, name)
		if err != nil {
			t.Fatal(err)
		}
		return p.Hosts()
	}
	if got := hosts("dear"); !slices.Contains(got, "api.anthropic.com") || slices.Contains(got, "api.openai.com") {
		t.Errorf("a profile that extends claude reaches %q", got)
	}
	if got := hosts("own"); !slices.Equal(got, []string{"models.example.org"}) {
		t.Errorf("a command of its own reaches %q", got)
	}
	if got := hosts("bare"); len(got) > 0 {
		t.Errorf("a command of which nothing is known reaches %q", got)
	}
	t.Setenv("CLAUDE_CODE_USE_BEDROCK", "1")
	t.Setenv("AWS_DEFAULT_REGION", "eu-west-1")
	t.Setenv("ANTHROPIC_BASE_URL", "http://gateway.example.org:8080/x")
	for _, host := range []string{"bedrock-runtime.eu-west-1.amazonaws.com", "gateway.example.org:8080"} {
		if got := hosts("claude"); !slices.Contains(got, host) {
			t.Errorf("%s is missing in %q", host, got)
		}
	}
	t.Setenv("AWS_REGION", "us-west-2")
	t.Setenv("ANTHROPIC_BASE_URL", "see below")
	if got := hosts("claude"); !slices.Contains(got, "bedrock-runtime.us-west-2.amazonaws.com") {
		t.Errorf("%q", got)
	}
}

// TestEachProgramHasHosts holds that the hosts of each built-in program are known, and are some.
func TestEachProgramHasHosts(t *testing.T) {
	for _, p := range program.All() {
		if len(p.Hosts) == 0 {
			t.Errorf("%s has no hosts", p.Name)
		}
		if _, err := proxy.ParseRules(p.Hosts); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}
