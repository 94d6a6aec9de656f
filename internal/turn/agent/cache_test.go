package agent

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"delegate/internal/sys/run"
)

// TestSpareCaches holds that a tool gets a folder of its own exactly where its usual one cannot be shown to it.
func TestSpareCaches(t *testing.T) {
	home, own := t.TempDir(), filepath.Join(t.TempDir(), "own")
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, ".cache"))
	missing := filepath.Join(home, "elsewhere")
	env := WithSpareCaches(own, home, []string{"A=b", "GOCACHE=" + missing})
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "npm_config_cache", "PIP_CACHE_DIR", "CARGO_HOME",
		"GRADLE_USER_HOME"} {
		if got := run.Variable(env, name); got != filepath.Join(own, name) {
			t.Errorf("%s is %q in an empty home", name, got)
		}
	}
	if slices.Contains(env, "GOCACHE="+missing) || !slices.Contains(env, "A=b") {
		t.Errorf("environment %q", env)
	}
	for _, folder := range []string{".cache", ".npm", ".cargo", "go/pkg"} {
		if err := os.MkdirAll(filepath.Join(home, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env = WithSpareCaches(own, home, []string{"GOCACHE=" + missing})
	for name, want := range map[string]string{"GOCACHE": filepath.Join(own, "GOCACHE"), "GOMODCACHE": "",
		"npm_config_cache": "", "PIP_CACHE_DIR": "", "CARGO_HOME": ""} {
		if got := run.Variable(env, name); got != want {
			t.Errorf("%s is %q where its usual folder, or the one above, is a layer; want %q", name, got, want)
		}
	}
}

// TestOwnCaches holds that an agent is never told of a cache that it cannot make.
func TestOwnCaches(t *testing.T) {
	there := t.TempDir()
	missing := filepath.Join(there, "not", "here")
	for hold, want := range map[Confinement][]string{
		Unconfined:    {there, missing, ""},
		FencedLayered: {there, "/home/.caches/GOCACHE/own", "/home/.caches/GOMODCACHE/own"},
		Fenced:        {"/home/.caches/CARGO_HOME/own", "/home/.caches/GOCACHE/own", "/home/.caches/GOMODCACHE/own"},
	} {
		env := map[string]string{"CARGO_HOME": there, "GOCACHE": missing, "GOPATH": missing}
		Place{Home: "/home", Confinement: hold}.ownCaches(env)
		for i, name := range []string{"CARGO_HOME", "GOCACHE", "GOMODCACHE"} {
			if env[name] != want[i] {
				t.Errorf("hold %d: %s is %q, want %q", hold, name, env[name], want[i])
			}
		}
	}
}
