package git_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConfigWithoutLogins holds that no login of a repository's configuration is in what agents are shown of it, and
// that the rest reads the same.
func TestConfigWithoutLogins(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	secret := "t0psecret"
	more := filepath.Join(b.TempDir(), "more")
	for file, text := range map[string]string{
		filepath.Join(b.Dir, ".git", "config"): `
[remote "origin"]
	url = https://ada:` + secret + `@example.org/x.git
	pushurl = ssh://ada:` + secret + `@example.org/x.git
	fetch = +refs/heads/*:refs/remotes/origin/*
	fetch = +refs/tags/*:refs/tags/*
[remote "https://` + secret + `@example.org/y.git"]
	prune
[http "https://example.org"]
	extraHeader = Authorization: ` + secret + `
[url "https://` + secret + `@example.org/"]
	insteadOf = https://example.org/
[credential]
	helper = store --file=` + secret + `
[forge]
	apiToken = ` + secret + `
	address = https://example.org/?private_token=` + secret + `&x=1
[alias]
	say = "!echo \"a\\tb\"	# no remark"
[include]
	path = ` + more + `
`,
		more: "[core]\n\tabbrev = 9\n\tsshCommand = ssh -i " + secret + "\n",
	} {
		old, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(old, text...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := b.open().ConfigWithoutLogins(t.Context())
	if err != nil || strings.Contains(text, secret) {
		t.Fatalf("%v\n%s", err, text)
	}
	file := filepath.Join(b.TempDir(), "own")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"remote.origin.url":                      "https://example.org/x.git",
		"remote.origin.pushurl":                  "ssh://ada@example.org/x.git",
		"remote.origin.fetch":                    "+refs/heads/*:refs/remotes/origin/*\n+refs/tags/*:refs/tags/*",
		"remote.https://example.org/y.git.prune": "true",
		"forge.address":                          "https://example.org/?private_token=&x=1",
		"alias.say":                              b.Git("config", "--get-all", "alias.say"),
		"core.abbrev":                            "9",
		"core.bare":                              "false",
		"core.repositoryformatversion":           "0",
	} {
		args := []string{"config", "--file", file}
		if want == "true" {
			args = append(args, "--type=bool")
		}
		if got := b.Git(append(args, "--get-all", key)...); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}
