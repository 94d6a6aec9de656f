package setup

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"delegate/internal/land/suite"
	"delegate/internal/project/config"
)

// tree makes a folder with these files; a name with a slash at its end is a folder.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		name, text, _ := strings.Cut(name, "=")
		path := filepath.Join(root, filepath.FromSlash(name))
		folder := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			folder = path
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if folder == path {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func paths(all []Item) (names []string) {
	for _, it := range all {
		names = append(names, it.Path)
	}
	return names
}

func TestLook(t *testing.T) {
	root := tree(t, "go.mod=module x", ".env=A=1", "web/package-lock.json", "web/.env.local", "php/composer.lock",
		"php/composer.json", "php/vendor/x/y", "node_modules/a/b",
		"package-lock.json", "Cargo.toml", "target/debug/x=xx", "target2/x", "log/x", "deep/a/b/c/d/.env",
		"own/s/node_modules/x", "other/vendor/x", "odd[x]/.env", "c:/.env",
		`js/package.json={"devDependencies": {"x": "1"}}`, `bare/package.json={}`)
	if err := os.Symlink("/etc", filepath.Join(root, "venv")); err != nil {
		t.Fatal(err)
	}
	found, err := look(t.Context(), Request{
		Root: root, Programs: []string{"codex"}, Own: "own",
		Ignored: []string{".env", "web/.env.local", "php/vendor/", "node_modules/", "target/", "target2/", "log/",
			"deep/a/b/c/d/.env", "own/s/node_modules/", "other/vendor/", "venv", "odd[x]/.env", "c:/.env", "gone/.env"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := paths(found.Copy), []string{".env", "web/.env.local", "node_modules",
		"php/vendor"}; !slices.Equal(got, want) {
		t.Errorf("to copy: %q, want %q", got, want)
	}
	if got := paths(found.Spare); !slices.Equal(got, []string{"target"}) ||
		found.Spare[0].Size != (Size{Bytes: 2, Files: 1}) {
		t.Errorf("to spare: %v", found.Spare)
	}
	if want := []Step{{"cd 'js' && npm install", "js/package.json"},
		{"cd 'web' && npm ci", "web/package-lock.json"}}; !slices.Equal(found.Setup, want) {
		t.Errorf("setup: %q, want %q", found.Setup, want)
	}
	if got := suite.Lines(found.Verify); !slices.Equal(got, []string{"go build ./...", "go test ./...", "cargo test"}) {
		t.Errorf("verify: %q", got)
	}
}

func TestStepsOfMembers(t *testing.T) {
	root := tree(t, `package.json={"dependencies": {"x": "1"}}`, `web/package.json={"dependencies": {"x": "1"}}`,
		"py/uv.lock", "uv.lock", ".venv/")
	found, err := look(t.Context(), Request{Root: root})
	if want := []Step{{"npm install", "package.json"}, {"cd 'py' && uv sync --frozen", "py/uv.lock"}}; err != nil ||
		!slices.Equal(found.Setup, want) {
		t.Errorf("%q, %v", found.Setup, err)
	}
}

func TestManyOfOneName(t *testing.T) {
	var files, ignored []string
	for _, dir := range []string{"a", "b", "c", "d", "e"} {
		files = append(files, dir+"/node_modules/x=123")
		ignored = append(ignored, dir+"/node_modules/")
	}
	found, err := look(t.Context(), Request{Root: tree(t, files...), Ignored: ignored})
	if err != nil || len(found.Copy) != 1 ||
		found.Copy[0] != (Item{Path: "**/node_modules", Count: 5, Size: Size{Bytes: 15, Files: 5}}) {
		t.Errorf("%v, %v", found.Copy, err)
	}
}

// hostile is what no file name or command should do to a configuration.
func hostile() Found {
	return Found{
		Programs: []string{"claude", "true"},
		Verify: []suite.Command{{Line: "cd 'a\n- b' && make: test # \"x\"", Why: "a\nagent: evil"},
			{Line: "detect", Why: "x"}, {Line: "- x"}, {Line: "{a: b}"}, {Line: "null"}},
		Copy:  []Item{{Path: "ab: b", Count: 1}, {Path: "**/.env", Count: 9}, {Path: "x # y", Count: 1}},
		Spare: []Item{{Path: "target\ncopy: [x]", Count: 1}},
		Setup: []Step{{Line: "a]\nb", Lock: "x\nsetup: y"}},
	}
}

// TestConfiguration holds that every configuration parses, and means what was found and the
// defaults else; also when the lines that are left out are taken in.
func TestConfiguration(t *testing.T) {
	asIs := Found{Programs: []string{"codex"}, Verify: []suite.Command{{Line: "go test ./...", Why: "go.mod"}},
		Copy: []Item{{Path: ".env", Count: 1}}, Setup: []Step{{Line: "npm ci", Lock: "package-lock.json"}},
		Holds: true, Hosts: []string{"api.example.org"}}
	for name, f := range map[string]Found{"nothing": {}, "something": asIs, "hostile": hostile()} {
		c, err := config.Parse("x", f.Configuration())
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, f.Configuration())
		}
		agent := ""
		if len(f.Programs) > 0 {
			agent = f.Programs[0]
		}
		if c.Agent != agent || !slices.Equal(c.Verify, suite.Lines(f.Verify)) || !slices.Equal(c.Copy, paths(f.Copy)) ||
			c.VerifyDetect || len(c.Setup) > 0 {
			t.Errorf("%s: %+v from\n%s", name, c, f.Configuration())
		}
		if list := c.Sandbox.Read == config.ReadByList; list != f.Holds {
			t.Errorf("%s: sandbox.read: list is %v, and the machine can hold it: %v", name, list, f.Holds)
		}
		if closed := c.Sandbox.Network == config.NetworkHosts; closed != (f.Holds && len(f.Hosts) > 0) {
			t.Errorf("%s: sandbox.network is %s", name, c.Sandbox.Network)
		}
		c.Agent, c.Verify, c.Copy = "", nil, nil
		if c.MaxParallelAgents.IsSet() || c.AgentTimeout.IsSet() || c.ScopeLimit.IsSet() || len(c.Profiles) > 0 {
			t.Errorf("%s sets more than was found:\n%s", name, f.Configuration())
		}
		taken := regexp.MustCompile(`(?m)^# ([a-z_]+: ?[^A-Z\n ]*.*)$`).ReplaceAll(f.Configuration(), []byte("$1"))
		whole, err := config.Parse("x", taken)
		if err != nil {
			t.Fatalf("%s with every line: %v\n%s", name, err, taken)
		}
		d := config.Default()
		if !whole.MaxParallelAgents.IsSet() || whole.MaxParallelAgents.Value() != d.MaxParallelAgents.Value() ||
			whole.AgentTimeout.Value() != d.AgentTimeout.Value() ||
			whole.VerifyTimeout.Value() != d.VerifyTimeout.Value() ||
			whole.ScopeLimit.Value() != d.ScopeLimit.Value() ||
			whole.Sandbox.Read != c.Sandbox.Read || whole.Sandbox.Network != c.Sandbox.Network ||
			whole.Supervision != d.Supervision {
			t.Errorf("%s: what is said to be a default is none: %+v", name, whole)
		}
		var lines []string
		for _, s := range f.Setup {
			lines = append(lines, s.Line)
		}
		if !slices.Equal(whole.Setup, lines) {
			t.Errorf("%s: setup is %q, want %q", name, whole.Setup, lines)
		}
	}
}

func TestAdditions(t *testing.T) {
	f := Found{Programs: []string{"codex"}, Verify: []suite.Command{{Line: "make test", Why: "Makefile"}},
		Copy: []Item{{Path: ".env", Count: 1}}}
	c, err := config.Parse("x", []byte("agent: claude\nverify: detect\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Additions(c); !strings.Contains(got, "copy:\n  - \".env\"") &&
		!strings.Contains(got, "copy:\n  - .env") || strings.Contains(got, "agent:") ||
		strings.Contains(got, "verify:") {
		t.Errorf("to add:\n%s", got)
	}
	c.Copy = []string{"x"}
	if got := f.Additions(c); got != "" {
		t.Errorf("to add where everything is set:\n%s", got)
	}
}

func TestSizes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 999: "999 bytes", 1000: "1.0 kB", 9960: "10 kB",
		999_600: "1.0 MB", 212_400_000: "212 MB", 3_140_000_000: "3.1 GB"} {
		if got := Bytes(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	if got := (Size{Bytes: 2000, Files: 3, More: true}).String(); got != "more than 2.0 kB, 3 files" {
		t.Error(got)
	}
}
