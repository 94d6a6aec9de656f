package project_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/project/config"
	"delegate/registry"
)

// TestSharedFolders holds that a folder which the configuration opens is open, or is a fault that names it and says
// what to type; none in which the repository's git finds what it runs is opened.
func TestSharedFolders(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	b := newBox(t, map[string]string{"f": "f\n"})
	p := b.project()
	if err := errors.Join(os.MkdirAll(filepath.Join(home, "open", "inner"), 0o755),
		os.WriteFile(filepath.Join(home, "file"), nil, 0o644),
		os.Symlink(filepath.Join(p.Repo.CommonDir, "objects"), filepath.Join(home, "link"))); err != nil {
		t.Fatal(err)
	}
	for name, why := range map[string]string{
		"~/open":         "",
		"~/gone":         "is not there; make it (mkdir -p " + home + "/gone)",
		"~/file":         "is not a folder",
		"~/link":         "is in this repository's git folder",
		p.Repo.CommonDir: "is in this repository's git folder",
		filepath.Join(p.Repo.CommonDir, "objects"): "is in this repository's git folder",
		filepath.Dir(p.Main):                       "holds this repository's git folder",
		"/dev/shm":                                 "is in /dev",
	} {
		p.Config.Sandbox.Writable = []string{"~/open/inner", name}
		err := p.CheckShared()
		var fault *config.Error
		switch {
		case why == "" && err != nil, why != "" && !errors.As(err, &fault):
			t.Errorf("%q: %v", name, err)
		case why != "" && !strings.Contains(err.Error(), ".delegate.yaml: sandbox.writable: \""+name+"\" "+why):
			t.Errorf("%q: %v, and not %q", name, err, why)
		}
		want := []string{filepath.Join(home, "open", "inner")}
		if why == "" {
			want = []string{filepath.Join(home, "open")}
		}
		if got := p.SharedFolders(); !slices.Equal(got, want) {
			t.Errorf("%q: opens %q, want %q", name, got, want)
		}
	}
}

// TestAllowable holds that what is offered to allow a refused write would allow it.
func TestAllowable(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	b := newBox(t, map[string]string{"f": "f\n"})
	p := b.project()
	p.Config.Forbidden, p.Config.Restricted = []string{"generated/**"}, []string{"*.key"}
	for _, folder := range []string{"notes", "open/inner", ".config/tool", ".ssh"} {
		if err := os.MkdirAll(filepath.Join(home, filepath.FromSlash(folder)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.Config.Sandbox.Writable = []string{"~/open"}
	for path, want := range map[string][2]string{
		"README.md":                 {"README.md", ""},
		"lib/[x].md":                {`lib/\[x\].md`, ""},
		"docs/logs/x":               {},
		".git/hooks/pre-commit":     {},
		"sub/.git/config":           {},
		"generated/x":               {},
		"vendor/x":                  {},
		"a.key":                     {},
		"~/notes/x":                 {"", "~/notes"},
		"~/notes":                   {"", "~/notes"},
		"~/.config/tool/x":          {"", "~/.config/tool"},
		"~/gone/x":                  {},
		"~/open/inner/x":            {},
		"~/.bashrc":                 {},
		"~/.config/new":             {},
		"~/.ssh/id":                 {},
		"/etc/made":                 {},
		"/dev/made":                 {},
		p.Main + "/f":               {},
		p.Repo.CommonDir + "/x":     {},
		p.WorkPath("x", 1) + "/f":   {},
		home + "/../" + "elsewhere": {},
	} {
		globs, folders := p.Allowable(registry.Agent{Allowed: []string{"src/**"}, Forbidden: []string{"vendor/**"},
			Refused: []string{path}})
		if got := [2]string{strings.Join(globs, ","), strings.Join(folders, ",")}; got != want {
			t.Errorf("%q: offers %q, want %q", path, got, want)
		}
	}
}
