package sandbox

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCredentialsAreBelowTheHome holds that each place is a plain path below a home, named once, and that none hides
// what builds need: a home, its configuration, its caches or its programs as a whole.
func TestCredentialsAreBelowTheHome(t *testing.T) {
	all := Credentials()
	for i, place := range all {
		if place != path.Clean(place) || path.IsAbs(place) || strings.HasPrefix(place, "..") {
			t.Errorf("%q is no path below a home", place)
		}
		if at := slices.Index(all, place); at != i {
			t.Errorf("%q is named twice", place)
		}
	}
	for _, needed := range []string{".config", ".cache", ".local", ".local/bin", ".local/share", ".cargo/registry",
		".cargo/bin", ".rustup", ".nvm", ".npm", ".m2/repository", ".gradle/caches", "go/pkg/mod", ".cache/go-build",
		".bundle/cache", ".sbt/1.0",
		".config/goose/config.yaml", ".ollama/models", ".conda/pkgs", ".julia/packages", ".pyenv", ".gitconfig"} {
		for _, place := range all {
			if needed == place || strings.HasPrefix(needed, place+"/") {
				t.Errorf("%q hides %q", place, needed)
			}
		}
	}
}

// TestUsualCredentialsAreHidden holds the list against the files that public lists name.
func TestUsualCredentialsAreHidden(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "credentials.txt"))
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for line := range strings.Lines(string(data)) {
		file := strings.TrimSpace(line)
		if file == "" || strings.HasPrefix(file, "#") {
			continue
		}
		if !slices.ContainsFunc(Credentials(), func(place string) bool { return Contains(place, file) }) {
			t.Errorf("%q is hidden by nothing", file)
		}
		held++
	}
	if held < 101 {
		t.Errorf("%d files are looked for, and the usual ones are 101", held)
	}
}
