package project_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"delegate/internal/project"
)

func TestChangedSettings(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	p := b.project()
	inside := func(name string) string { return filepath.Join(b.Dir, ".git", name) }
	put := func(name, text string) {
		b.Write(map[string]string{".git/" + name: text})
	}
	look := func() project.Settings {
		t.Helper()
		s, err := p.SnapshotSettings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	put("hooks/pre-commit", "#!/bin/sh\n")
	b.Git("config", "remote.origin.url", "https://person:secret@example.org/x")
	for _, test := range []struct {
		name string
		act  func()
		want []string // "!" before what is dangerous
	}{
		{"nothing", func() { b.Commit("more"); b.Git("branch", "x"); b.Git("gc", "-q") }, nil},
		{"daily keys", func() {
			b.Git("config", "branch.x.remote", "origin")
			b.Git("config", "core.abbrev", "12")
		}, []string{"config core.abbrev", "config branch.x.remote"}},
		{"a filter", func() { b.Git("config", "filter.x y.clean", "evil") }, []string{"!config filter.x y.clean"}},
		{"another value of it", func() {
			b.Git("config", "--add", "filter.x y.clean", "worse")
		}, []string{"!config filter.x y.clean"}},
		{"taken away", func() {
			b.Git("config", "--remove-section", "filter.x y")
		}, []string{"!config filter.x y.clean"}},
		{"where to push", func() {
			b.Git("config", "remote.origin.url", "https://example.com")
		}, []string{"!config remote.origin.url"}},
		{"hooks elsewhere", func() { b.Git("config", "core.hooksPath", "/tmp/x") }, []string{"!config core.hookspath"}},
		{"an include", func() {
			put("config", read(t, inside("config"))+"[include]\n\tpath = /nowhere\n")
		}, []string{"!config include.path"}},
		{"an alias with dots", func() { b.Git("config", "alias.a", "!x") }, []string{"!config alias.a"}},
		{"its form only", func() { put("config", read(t, inside("config"))+"# a comment\n") }, []string{"config "}},
		{"hook written", func() { put("hooks/pre-push", "x") }, []string{"!hooks/pre-push "}},
		{"hook may run", func() { chmod(t, inside("hooks/pre-commit"), 0o755) }, []string{"!hooks/pre-commit "}},
		{"hook is a link", func() {
			link(t, "pre-commit", inside("hooks/post-merge"))
		}, []string{"!hooks/post-merge "}},
		{"behind the link", func() {
			put("hooks/pre-commit", "y")
		}, []string{"!hooks/post-merge ", "!hooks/pre-commit "}},
		{"sample", func() { put("hooks/x.sample", "y") }, []string{"hooks/x.sample "}},
		{"links to nothing", func() { link(t, "nothing", inside("hooks/y.sample")) }, []string{"hooks/y.sample "}},
		{"folder", func() { put("hooks/folder/x", "y") }, []string{"!hooks/folder "}},
		{"information", func() {
			put("info/attributes", "* filter=x\n")
			put("info/exclude", "z\n")
			put("info/grafts", "")
		}, []string{"!info/attributes ", "info/exclude ", "!info/grafts "}},
		{"objects", func() {
			put("objects/info/alternates", "/nowhere\n")
			put("shallow", "")
		}, []string{"!objects/info/alternates ", "!shallow "}},
		{"a checkout's own", func() {
			put("worktrees/w/config.worktree", "[core]\n\tfsmonitor = x\n")
		}, []string{"!worktrees/w/config.worktree core.fsmonitor"}},
		{"not readable by git", func() {
			put("worktrees/w/config.worktree", "[")
		}, []string{"!worktrees/w/config.worktree "}},
		{"away", func() {
			remove(t, inside("worktrees/w/config.worktree"))
			remove(t, inside("info/attributes"))
		}, []string{"!info/attributes ", "worktrees/w/config.worktree "}},
	} {
		before := look()
		test.act()
		var got []string
		for _, c := range before.Changed(look()) {
			sign := ""
			if c.Dangerous {
				sign = "!"
			}
			got = append(got, sign+c.File+" "+c.Key)
			if text := c.String(); !strings.Contains(text, c.File) ||
				strings.Contains(text, "programs") != c.Dangerous {
				t.Errorf("%s: shown as %q", test.name, text)
			}
		}
		slices.Sort(got)
		slices.Sort(test.want)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: changed %q, want %q", test.name, got, test.want)
		}
	}
}

func TestSurveyIsRemembered(t *testing.T) {
	b := newBox(t, map[string]string{"f": "1\n"})
	p := b.project()
	a, _ := b.agent(p, "src/**")
	b.Git("config", "remote.origin.url", "https://person:secret@example.org/x")
	if _, err := p.RememberedSurroundings(session, a); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before the first: %v", err)
	}
	s, err := p.Surroundings(t.Context(), recorded(), a)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.RememberSurroundings(session, a.ID, s); err != nil {
		t.Fatal(err)
	}
	back, err := p.RememberedSurroundings(session, a)
	if err != nil || len(s.Refs) == 0 || len(s.Refs.Moved(back.Refs)) != 0 ||
		len(s.Settings.Changed(back.Settings)) != 0 {
		t.Errorf("%+v came back as %+v, %v", s, back, err)
	}
	b.Git("config", "remote.origin.url", "https://person:other@example.org/x")
	now, err := p.Surroundings(t.Context(), recorded(), a)
	if changed := back.Settings.Changed(now.Settings); err != nil || len(changed) != 1 ||
		changed[0].Key != "remote.origin.url" {
		t.Errorf("changed since: %+v, %v", changed, err)
	}
	if noted := read(t, filepath.Join(p.AgentState(session, a.ID), "survey.json")); strings.Contains(noted, "secret") {
		t.Errorf("a password was written down: %s", noted)
	}
	a.Turns++
	if _, err := p.RememberedSurroundings(session, a); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of another turn: %v", err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func chmod(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}
